// Set-up puts the question how many arguments there are into public functions: which ones it finds, and what it writes.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limitArguments } from "../../../native/codegen/argument_counts.ts";
import { isArrayCallback, tooManyArguments } from "../../../lib/surplus_arguments.ts";

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-counts-"));
const write = (file: string, text: string) => {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
};
const read = (file: string) => readFileSync(path.join(folder, file), "utf8");

const LAYERS = `// Layers.
import { checked } from "./checked.js";
export class Layer {
  train(mode = true) { return [this, mode]; }
  copy(other, deep) { return [other, deep]; }
  static from(rows) { return rows; }
  toJSON() { return "{}"; }
}
const made = (base) => base;
function layerOf(run) {
  class Made extends Layer {
    constructor(options) { super(); this.options = checked(options); }
    forward(...inputs) { return run(...inputs); }
  }
  return Made;
}
export class Loss extends layerOf(made) {
  copy(other) { return other; }
}
export const options = { read(name) { return name; }, ["computed"](name) { return name; } };
const own = { ...options, zeros: function (size, { dtype } = {}) { return [size, dtype]; } };
export const all = Object.defineProperties({}, Object.getOwnPropertyDescriptors(own));
export function refuse() {
  throw new TypeError("There is none.");
}
`;

let library: Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- what is called here has no types

beforeAll(async () => {
  write("package.json", '{ "type": "module" }');
  write("index.js", 'export * as nn from "./nn/layers.js";\nexport { scale as scaled } from "./scale.js";\n');
  write("nn/layers.js", LAYERS);
  write("nn/checked.js", "export function checked(value) { return value; }\n");
  write(
    "scale.js",
    "export function scale(x, by = 2, _far = 1) {\n  return x * by;\n}\nexport function kept(x) { return x; }\n",
  );
  write(
    "torch/tensor.js",
    "const methods = { size(dim) { return dim; } };\nexport { methods as forTests };\n",
  );
  write("torch/composed.js", "export const composedMethods = {};\n");
  write("torch/autograd/tensor_members.js", "export const autogradMembers = {};\n");
  write(
    "surplus_arguments.js",
    "export const methodName = (self, name) => `${self?.constructor?.name}.${name}`;\n" +
      "export const isArrayCallback = (given) => given.length === 3 && Array.isArray(given[2]);\n" +
      "export const tooManyArguments = (...told) => new TypeError(JSON.stringify(told));\n",
  );
  limitArguments(path.join(folder, "index.js"));
  library = (await import(pathToFileURL(path.join(folder, "index.js")).href)) as typeof library;
});
afterAll(() => rmSync(folder, { recursive: true }));

it("what takes one argument is given one by an array's map", () => {
  expect([[1], [2]].map(library.nn.Layer.from)).toEqual([[1], [2]]);
  expect(() => [1].map(library.nn.all.zeros)).toThrow('["nn.all.zeros",2,3,"size, options"]');
});

describe("an array's callback is known by its three arguments", () => {
  const xs = ["a", "b"];
  it.each([
    ["an element, its place, the array", ["b", 1, xs], true],
    ["another element", ["a", 1, xs], false],
    ["no place", ["a", "0", xs], false],
    ["no array", ["a", 0, "ab"], false],
    ["two arguments", ["a", 0], false],
    ["four arguments", ["a", 0, xs, xs], false],
    ["none", [], false],
  ])("%s", (_, given, expected) => {
    expect(isArrayCallback(given)).toBe(expected);
  });
});

describe("a surplus argument is refused", () => {
  it.each([
    [
      "of a function, under its public name",
      () => library.scaled(1, 2, 3, 4),
      ["scaled", 3, 4, "x, by, far"],
    ],
    ["of a constructor", () => new library.nn.Loss({}, 5), ["new Loss", 1, 2, "options"]],
    ["of a class without a constructor", () => new library.nn.Layer(5), ["new Layer", 0, 1, ""]],
    ["of an inherited method", () => new library.nn.Loss().train(true, 5), ["Loss.train", 1, 2, "mode"]],
    ["of a static method", () => library.nn.Layer.from([], 5), ["nn.Layer.from", 1, 2, "rows"]],
    ["of a function in an object", () => library.nn.options.read("a", 5), ["nn.options.read", 1, 2, "name"]],
    [
      "of a function in what an object becomes",
      () => library.nn.all.zeros([2], {}, 5),
      ["nn.all.zeros", 2, 3, "size, options"],
    ],
  ] as const)("%s", (_, call, told) => {
    expect(call).toThrow(new TypeError(JSON.stringify(told)));
  });
});

it("a method takes what the one takes that it overrides", () => {
  expect(new library.nn.Loss().copy(1, 2)).toBe(1);
});

it("what takes any number of arguments, only refuses, is called by JavaScript itself, or is no cell's, is left alone", () => {
  expect(new library.nn.Loss().forward(1, 2, 3)).toBe(1);
  expect(() => library.nn.refuse(1)).toThrow("There is none.");
  expect(JSON.stringify({ layer: new library.nn.Layer() })).toBe('{"layer":"{}"}');
  expect(library.nn.options.computed(1, 2)).toBe(1);
  expect(read("nn/checked.js")).toBe("export function checked(value) { return value; }\n");
  expect(read("scale.js")).toContain("export function kept(x) { return x; }");
});

it("functions keep their names, their lengths and their lines", () => {
  expect(library.scaled.name).toBe("scale");
  expect(library.scaled).toHaveLength(1);
  expect(read("scale.js").split("\n")).toHaveLength(5);
});

it("a file is changed once", () => {
  const before = read("nn/layers.js");
  limitArguments(path.join(folder, "index.js"));
  expect(read("nn/layers.js")).toBe(before);
});

it.each([
  [
    3,
    4,
    "input, target, options",
    "F.loss takes at most 3 arguments (input, target, options); 4 were given.",
  ],
  [1, 3, "tensor", "F.loss takes at most 1 argument (tensor); 3 were given."],
  [0, 1, "", "F.loss takes no arguments; 1 was given."],
  [2, 3, undefined, "F.loss takes at most 2 arguments, its options included; 3 were given."],
] as const)("the error of %i arguments and %i given", (most, given, parameters, text) => {
  expect(tooManyArguments("F.loss", most, given, parameters)).toEqual(new TypeError(text));
});
