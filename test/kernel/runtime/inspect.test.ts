// Tests what the session tells an editor of live values. It runs nothing of the user's for it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Notebook } from "../session/notebook.ts";

let notebook: Notebook;
beforeAll(async () => {
  notebook = new Notebook();
  await notebook.run(
    `import { nn, torch } from "mpslab";
     const point = { x: 1, name: "p", "two words": [1, 2, 3] }; const text = "hello"; const none = null;
     let ran = 0;
     const trap = { get value() { ran++; return 1; }, plain: 2, [Symbol.for("nodejs.util.inspect.custom")]() { ran++; return ""; } };
     const proxy = new Proxy({ a: 1 }, { get() { ran++; return 1; }, ownKeys() { ran++; return []; }, getOwnPropertyDescriptor() { ran++; return undefined; } });
     class Tensor { get shape() { ran++; return [1]; } }
     const lookalike = new Tensor();
     const x = torch.zeros([3, 4]).requiresGrad_(); const freed = torch.ones([2]); freed.dispose();
     const state = { "fc.weight": torch.zeros([2, 3]), "fc.bias": torch.zeros([2], { dtype: "float64" }) };
     const cache = new Map<string, unknown>([["alpha", x], ["beta", 2]]); const tags = new Set(["a", "b"]);
     const many = Array.from({ length: 5_000 }, (_, n) => n);
     const model = new nn.Sequential(new nn.Linear(4, 8), new nn.Linear(8, 2));
     for (const frozen of [...model.parameters()].slice(0, 2)) frozen.requiresGrad = false;
     const numbers = Array.from({ length: 10_000_000 }, (_, n) => n); const typed = new Float64Array(10_000_000);
     const table = Object.fromEntries(Array.from({ length: 500_000 }, (_, n) => ["k" + n, n]));
     const index = new Map(Array.from({ length: 500_000 }, (_, n) => ["k" + n, n]));
     class Data { rows = [1, 2]; table = table; } const data = new Data(); const long = "\u0416".repeat(200_000_000);
     class Base { shared() {} } class Derived extends Base { own = 1; #hidden = 2; method() { return this.#hidden } }
     const instance = new Derived(); class Trainer { layer = new nn.Linear(2, 3) } const trainer = new Trainer(); const wide = torch; const fn = (a: number) => a;`,
  );
});
afterAll(() => notebook.close());

const tell = async (...path: (string | number)[]) =>
  (await notebook.session.inspect({ path, about: "value" }))?.text ?? null;
const names = async (about: "keys" | "members", ...path: (string | number)[]) =>
  ((await notebook.session.inspect({ path, about }))?.names ?? []).map(({ text }) => text);

describe("a value", () => {
  it.each([
    [["point"], "Object: { x: 1, name: 'p', 'two words': [ 1, 2, 3 ] }"],
    [["point", "x"], "number: 1"],
    [["point", "two words", 1], "number: 2"],
    [["text"], "string: 'hello'"],
    [["none"], "null"],
    [["x"], "Tensor [3, 4] float32 on cpu, 48 bytes, requires grad"],
    [["x", "grad"], "null"],
    [["freed"], "Tensor, disposed"],
    [["x", "requiresGrad"], "boolean: true"],
    [["cache"], "Map: { 'alpha' => Tensor [3, 4] float32 on cpu, 48 bytes, requires grad, 'beta' => 2 }"],
    [["tags"], "Set: { 'a', 'b' }"],
    [["many"], "Array: [ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ... 4,990 more ]"],
    [["numbers"], "Array: [ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ... 9,999,990 more ]"],
    [["data"], "Data { rows: [ 1, 2 ], table: Object of 500,000 keys }"],
    [
      ["typed"],
      "Float64Array: Float64Array(10000000) [\n  0, 0, 0, 0, 0,\n  0, 0, 0, 0, 0,\n  ... 9999990 more items\n]",
    ],
    [["model"], "Sequential: 58 parameters in 4 tensors, 232 bytes on cpu; 40 of them frozen"],
    [["instance"], "Derived { own: 1 }"],
    [["wide"], ""],
    [["fn"], ""],
    [["long"], `string: '${"\u0416".repeat(200)}'... 199999800 more characters`],
    [["nowhere"], null],
    [["point", "missing"], null],
  ])("%j", async (path, text) => {
    expect(await tell(...path)).toBe(text);
  });

  it.each([
    ["point", "{ x: 1, name: 'p', 'two words': [ 1, 2, 3 ] }"],
    ["text", "'hello'"],
    ["none", "null"],
    ["x", "Tensor [3, 4] float32 on cpu, 48 bytes, requires grad"],
    ["trap", "{ value: [Getter], plain: 2 }"],
    ["proxy", "Proxy"],
    ["fn", "[Function: fn]"],
    ["Derived", "[class Derived extends Base]"],
    ["wide", ""],
    ["instance", "Derived { own: 1 }"],
  ])("%s in a table of variables is one line without its class", async (name, text) => {
    expect((await notebook.session.inspect({ path: [name], about: "variable" }))?.text).toBe(text);
  });

  it("with a layer shows the layer, and not the function that it is so that it can be called", async () => {
    expect(await tell("trainer")).toMatch(/^Trainer \{\n {2}layer: Linear \{\n/);
  });

  it("of named tensors is their shapes, without their elements", async () => {
    expect(await tell("state")).toBe(
      "Object: {\n  'fc.weight': Tensor [2, 3] float32 on cpu, 24 bytes,\n  'fc.bias': Tensor [2] float64 on cpu, 16 bytes,\n}",
    );
  });

  it("runs no getter, no trap, no inspect method, and no code in place of a name", async () => {
    expect(await tell("trap", "value")).toBeNull();
    expect(await tell("trap")).toMatch(/^Object: \{ value: \[Getter\], plain: 2/);
    expect(await tell("proxy")).toBe("Proxy");
    expect(await tell("proxy", "a")).toBeNull();
    expect(await tell("lookalike")).toMatch(/^Tensor \{/);
    expect(await tell("ran++")).toBeNull();
    expect(await names("members", "trap")).toEqual(["value", "plain"]);
    expect(await names("keys", "proxy")).toEqual([]);
    expect((await notebook.run("ran")).text).toBe("0");
  });
});

describe("names", () => {
  it("keys of objects, Maps and Sets", async () => {
    expect(await names("keys", "state")).toEqual(["fc.weight", "fc.bias"]);
    expect(await names("keys", "cache")).toEqual(["alpha", "beta"]);
    expect(await names("keys", "tags")).toEqual(["a", "b"]);
    expect(await names("keys", "many")).toEqual([]);
    expect(await names("keys", "index")).toHaveLength(500);
    expect(await names("keys", "table")).toHaveLength(500);
    expect(await names("keys", "x")).toEqual([]);
  });

  it("members, own ones first, without what every object has", async () => {
    expect(await names("members", "instance")).toEqual(["own", "method", "shared"]);
    expect(await names("members", "point")).toEqual(["x", "name"]);
    expect((await names("members", "numbers")).slice(0, 3)).toEqual(["length", "at", "concat"]);
    expect(await names("members", "table")).toHaveLength(500);
  });
});
