// Whatever a cell declares, a later cell can declare anew, as anything else: all pairs of kinds, in V8's REPL mode.
import { afterAll, describe, expect, it } from "vitest";
import { Evaluator } from "../../../helpers/evaluator.ts";

const notebook = new Evaluator();
notebook.modules.set("m", { name: "import", default: "import" });
afterAll(() => notebook.close());

/** For each kind: a declaration of `name`, and what `typeof name` then is. */
const KINDS: Record<string, readonly [declaration: (name: string) => string, type: string]> = {
  const: [(name) => `const ${name} = 1`, "number"],
  let: [(name) => `let ${name}: number = 1`, "number"],
  var: [(name) => `var ${name} = 1`, "number"],
  "var in a loop": [(name) => `for (var ${name} = 0; ${name} < 1; ${name}++) {}`, "number"],
  destructuring: [(name) => `const { a: [${name} = 3] } = { a: [] }`, "number"],
  using: [(name) => `using ${name} = { [Symbol.dispose]() {} }`, "object"],
  function: [(name) => `function ${name}() {}`, "function"],
  "async generator": [(name) => `async function* ${name}() {}`, "function"],
  class: [(name) => `class ${name} {}`, "function"],
  enum: [(name) => `enum ${name} { A }`, "object"],
  "const enum": [(name) => `const enum ${name} { A }`, "object"],
  namespace: [(name) => `namespace ${name} { export const a = 1 }`, "object"],
  "named import": [(name) => `import { name as ${name} } from "m"`, "string"],
  "default import": [(name) => `import ${name} from "m"`, "string"],
  "namespace import": [(name) => `import * as ${name} from "m"`, "object"],
  "import of require": [(name) => `import ${name} = require("node:path")`, "object"],
};

const pairs = Object.keys(KINDS).flatMap((first) =>
  Object.keys(KINDS).map((second) => [first, second] as const),
);

describe("a name declared as", () => {
  it.each(pairs)("%s can be declared as %s later", async (first, second) => {
    const [declareFirst, firstType] = KINDS[first] as (typeof KINDS)[string];
    const [declareSecond, secondType] = KINDS[second] as (typeof KINDS)[string];
    const name = `n${pairs.findIndex(([a, b]) => a === first && b === second)}`;
    await notebook.run(declareFirst(name));
    expect(await notebook.run(`typeof ${name}`)).toBe(firstType);
    await notebook.run(declareSecond(name));
    expect(await notebook.run(`typeof ${name}`)).toBe(secondType);
  });

  it.each(Object.keys(KINDS))("%s can be a global's name, which libraries go on seeing", async (kind) => {
    const [declare, type] = KINDS[kind] as (typeof KINDS)[string];
    await notebook.run(declare("structuredClone"));
    expect(await notebook.run("typeof structuredClone")).toBe(type);
    expect(typeof structuredClone(new Map())).toBe("object");
  });
});

describe("across cells", () => {
  it("a function sees the later value of a variable", async () => {
    await notebook.run("let rate = 1; function current() { return rate }");
    await notebook.run("const rate = 2");
    expect(await notebook.run("current()")).toBe(2);
    await notebook.run("rate = 3");
    expect(await notebook.run("current()")).toBe(3);
  });

  it("a function that calls itself finds the one that replaced it", async () => {
    await notebook.run(
      "function down(n: number): string { return n === 0 ? 'old' : down(n - 1) } const kept = down",
    );
    await notebook.run("function down(n: number) { return 'new' }");
    expect(await notebook.run("kept(2)")).toBe("new");
  });

  it("instances of a class keep their class when a cell declares it anew", async () => {
    await notebook.run(
      "class Net { static version = 1; version() { return Net.version } } const net = new Net()",
    );
    await notebook.run("class Net { static version = 2 }");
    expect(await notebook.run("[net.version(), Net.version, net instanceof Net]")).toEqual([1, 2, false]);
  });

  it("an enum that runs again has no members of the earlier one", async () => {
    await notebook.run("enum Phase { Warm, Steady }");
    await notebook.run("enum Phase { Cold }");
    expect(await notebook.run("Phase")).toEqual({ 0: "Cold", Cold: 0 });
  });

  it("a namespace merges inside one cell and not with an earlier one", async () => {
    await notebook.run("namespace Space { export const a = 1 } namespace Space { export const b = 2 }");
    expect(await notebook.run("Space")).toEqual({ a: 1, b: 2 });
    await notebook.run("namespace Space { export const c = 3 }");
    expect(await notebook.run("Space")).toEqual({ c: 3 });
  });

  it("a namespace may export variables that change, and enums beside them", async () => {
    await notebook.run(`
      export namespace Counter {
        export let count = 0;
        export enum Step { One = 1 }
        export function up(): number { return (count += Step.One) }
        export namespace Deep { export let far: number = 5 }
      }
      Counter.up();`);
    expect(
      await notebook.run("Counter.up(); Counter.Deep.far += 1; [Counter.count, Counter.Deep.far]"),
    ).toEqual([2, 6]);
    await notebook.run("namespace Counter { export var fresh = 1 }");
    expect(await notebook.run("Object.keys(Counter)")).toEqual(["fresh"]);
  });

  it("a namespace adds to a class, a function and an enum of its cell", async () => {
    await notebook.run(`
      class Model {} namespace Model { export const a = 1 }
      function build() { return 2 } namespace build { export const b = 2 }
      enum Kind { X } namespace Kind { export const c = 3 }`);
    expect(await notebook.run("[Model.a, build(), build.b, Kind.X, Kind.c]")).toEqual([1, 2, 2, 0, 3]);
  });

  it("a value that a failing cell did not reach stays what it was", async () => {
    await notebook.run("const model = 'trained'");
    await expect(notebook.run("throw new Error('typo'); const model = 'untrained'")).rejects.toThrow("typo");
    expect(await notebook.run("model")).toBe("trained");
  });

  it.each([
    ["a var", "throw new Error('typo'); var best = 2"],
    ["a var in a loop", "throw new Error('typo'); for (var best of [2]);"],
    ["a variable in a cell with using", "using lock = null; throw new Error('typo'); const best = 2"],
    ["a class in a cell with using", "using lock = null; throw new Error('typo'); class best {}"],
    ["an enum", "throw new Error('typo'); enum best { A }"],
    ["a namespace", "throw new Error('typo'); namespace best { export const a = 1 }"],
  ])("a value stays what it was where a failing cell did not reach %s", async (_, text) => {
    await notebook.run("const best = 'kept'");
    await expect(notebook.run(text)).rejects.toThrow();
    expect(await notebook.run("best")).toBe("kept");
  });

  it("a function is there from its cell's first line on, though the cell fails", async () => {
    await expect(
      notebook.run("throw new Error(half(4)); function half(x: number) { return `${x / 2}` }"),
    ).rejects.toThrow("2");
    expect(await notebook.run("half(8)")).toBe("4");
  });

  it("a var that is declared again, and given nothing, is undefined", async () => {
    await notebook.run("const rate = 5");
    expect(await notebook.run("if (rate === 0) { var rate = 1 } typeof rate")).toBe("undefined");
    await notebook.run("const rate = 5");
    expect(await notebook.run("var rate; typeof rate")).toBe("undefined");
    await notebook.run("const rate = 5");
    expect(await notebook.run("using lock = null; let rate; typeof rate")).toBe("undefined");
    expect(await notebook.run("for (var rate = 0; rate < 3; rate++); rate")).toBe(3);
  });

  it("assigning to a name that no cell declared is an error, not a new global", async () => {
    await expect(notebook.run("misspelt = 1")).rejects.toThrow("misspelt is not defined");
    await expect(notebook.run("await 0; misspelt = 1")).rejects.toThrow("misspelt is not defined");
  });
});
