// Names across cells: which are visible, of which type, and what may be done with them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;

/** One notebook for all tests of a group: each declares the names that it uses. */
function withNotebook(): void {
  beforeAll(() => {
    notebook = new NotebookSession();
  });
  afterAll(() => notebook.close());
}

/** One declaration of each kind, how a later cell uses it, and tsc's words when a later cell assigns to it. */
const KINDS = {
  const: ["const it = 1", "it.toFixed()", "TS2588: Cannot assign to 'it' because it is a constant."],
  let: ["let it = 1", "it.toFixed()", null],
  var: ["var it = 1", "it.toFixed()", null],
  using: [
    "using it = { value: 1, [Symbol.dispose]() {} }",
    "it.value.toFixed()",
    "TS2588: Cannot assign to 'it' because it is a constant.",
  ],
  function: [
    "function it(x: number) { return x }",
    "it(1).toFixed()",
    "TS2630: Cannot assign to 'it' because it is a function.",
  ],
  class: [
    "class it { x = 1 }",
    "new it().x.toFixed()",
    "TS2629: Cannot assign to 'it' because it is a class.",
  ],
  enum: ["enum it { A, B }", "const b: it = it.B", "TS2628: Cannot assign to 'it' because it is an enum."],
  namespace: [
    "namespace it { export const x = 1; export interface Shape { y: typeof x } }",
    "const s: it.Shape = { y: it.x }",
    "TS2631: Cannot assign to 'it' because it is a namespace.",
  ],
  import: [
    'import { sep as it } from "node:path"',
    "it.length",
    "TS2632: Cannot assign to 'it' because it is an import.",
  ],
} as const;

describe.each(Object.entries(KINDS))("a %s of an earlier cell", (kind, [declaration, use, assigned]) => {
  withNotebook();

  test("is visible with its type", async () => {
    expect(await notebook.run(declaration)).toEqual([]);
    expect(await notebook.run(use)).toEqual([]);
    expect(await notebook.problems(`${use}; it.nonsense`)).toHaveLength(1);
  });

  test(assigned === null ? "may be assigned a value of its type" : "may not be assigned to", async () => {
    await notebook.run(declaration);
    const problems = await notebook.problems(kind === "using" ? "it = null as any" : "it = 2 as any");
    expect(problems).toEqual(assigned === null ? [] : [`1:1 ${assigned}`]);
  });

  test.each(Object.entries(KINDS))("gives way to a %s, with the new type", async (_, [again, useAgain]) => {
    await notebook.run(declaration);
    expect(await notebook.run(again)).toEqual([]);
    expect(await notebook.problems(useAgain)).toEqual([]);
  });
});

describe("types without values", () => {
  withNotebook();

  test.each([
    ["type", "type It = { a: number }"],
    ["interface", "interface It { a: number }"],
    ["generic type", "type Wrapped<T> = { a: T }; type It = Wrapped<number>"],
    ["imported type", 'import type { Stats } from "node:fs"; type It = { a: Stats["size"] }'],
  ])("a %s is visible", async (_, declaration) => {
    expect(await notebook.run(declaration)).toEqual([]);
    expect(await notebook.problems("const it: It = { a: 'text' }")).toEqual([
      "1:18 TS2322: Type 'string' is not assignable to type 'number'.",
    ]);
  });

  test("a type may be declared anew; values of the old one keep it", async () => {
    const cell = notebook.nextCount;
    await notebook.run("interface Point { x: number } const p: Point = { x: 1 }");
    expect(await notebook.run("interface Point { y: string } const q: Point = { y: '' }")).toEqual([]);
    expect(await notebook.run("p.x.toFixed(); q.y.length")).toEqual([]);
    expect(await notebook.problems("const r: Point = p")).toEqual([
      `1:7 TS2741: Property 'y' is missing in type 'Cell[${cell}].Point' but required in type 'Cell[${cell + 1}].Point'.`,
    ]);
  });

  test("a value and a type of one name stay both", async () => {
    await notebook.run(
      "const Level = { Low: 'low', High: 'high' } as const; type Level = (typeof Level)[keyof typeof Level];",
    );
    expect(await notebook.run("const level: Level = Level.Low")).toEqual([]);
    expect(await notebook.problems("const other: Level = 'middle'")).toEqual([
      `1:7 TS2322: Type '"middle"' is not assignable to type 'Level'.`,
    ]);
  });

  test("`declare global` reaches every later cell", async () => {
    await notebook.run("declare global { interface Array<T> { second(): T } }");
    await notebook.run("const a = 1");
    expect(await notebook.run("[1, 2].second().toFixed()")).toEqual([]);
  });
});

describe("the type of a value in later cells", () => {
  withNotebook();

  test.each([
    ["const losses = []; for (let i = 0; i < 3; i++) losses.push(i)", "losses", "number[]"],
    ["const losses = []", "losses", "any[]"],
    [
      "let best = null; for (const x of [1, 2]) if (best === null || x > best) best = x",
      "best",
      "number | null",
    ],
    ["let u: string | number = 5", "u", "string | number"],
    ["const literal = 'a'", "[literal] as const", 'readonly ["a"]'],
    ["let widened = 'a'", "widened", "string"],
    ["const pair = [1, 'a'] as const", "pair", 'readonly [1, "a"]'],
    ["const m = new Map<string, Set<number>>()", "m", "Map<string, Set<number>>"],
    ["const { a, ...rest } = { a: 1, b: 2, c: '' }", "rest", "{ b: number; c: string; }"],
    [
      "function over(a: string): string; function over(a: number): number; function over(a: any): any { return a }",
      "over(1)",
      "number",
    ],
    [
      "const generic = <T,>(x: T, ...more: T[]) => [x, more] as const",
      "generic('')",
      "readonly [string, string[]]",
    ],
    ["async function* steps() { yield 1 }", "steps()", "AsyncGenerator<number, void, unknown>"],
    [
      "function outer() { class Hidden { h = 1 } return new Hidden() } const hidden = outer()",
      "hidden.h",
      "number",
    ],
    ["const Anonymous = class { q = 1 }", "new Anonymous().q", "number"],
    ["function counter() {} counter.count = 1", "counter.count", "number"],
    ["const key = Symbol('key'); const keyed = { [key]: 1 }", "keyed[key]", "number"],
    ["const path = await import('node:path')", "path.sep.length", "number"],
    ["import { statSync } from 'node:fs'; const stats = statSync('/')", "stats", "Stats"],
    ["class Node { next?: Node }\nconst list = [new Node()]", "list", "Node[]"],
    ["class Box<T> { constructor(readonly value: T) {} } const box = new Box([1])", "box.value", "number[]"],
    ["const émoji = '😀'; const après = { é: [1] }", "après", "{ é: number[]; }"],
  ])("%s: %s is %s", async (declaration, expression, type) => {
    expect(await notebook.run(declaration)).toEqual([]);
    expect(await notebook.typeOf(expression)).toBe(type);
  });

  test("an assertion function still narrows, and a type guard too", async () => {
    await notebook.run(
      "function assertText(x: unknown): asserts x is string {} const isText = (x: unknown): x is string => true",
    );
    expect(
      await notebook.run("const given: unknown = JSON.parse('1'); assertText(given); given.length"),
    ).toEqual([]);
    expect(
      await notebook.run("const other: unknown = JSON.parse('1'); if (isText(other)) other.length"),
    ).toEqual([]);
  });

  test("a value that nothing was put into yet takes anything", async () => {
    await notebook.run("let model = null; const history = []; let later");
    expect(await notebook.run("model = { a: 1 }; history.push(1); later = 'x'")).toEqual([]);
  });

  test("subclasses of a class that was declared anew keep the class that they extend", async () => {
    await notebook.run("class Base { old = 1 }");
    await notebook.run("class Derived extends Base {} const d = new Derived()");
    await notebook.run("class Base { fresh = '' }");
    expect(await notebook.run("d.old.toFixed(); new Derived().old; new Base().fresh.length")).toEqual([]);
  });

  test("a redeclared name does not change the types that were made with the old one", async () => {
    await notebook.run("const size = 1");
    await notebook.run("class Grid { cells() { return size } } const g = new Grid()");
    await notebook.run("const size = 'large'");
    expect(await notebook.typeOf("g.cells()")).toBe("number");
    expect(await notebook.typeOf("size.length")).toBe("number");
  });
});

describe("visibility", () => {
  withNotebook();

  test("names that a failing cell did not initialise are unknown", async () => {
    await notebook.run("const first = 1; const second = 2", ["second"]);
    expect(await notebook.problems("first; second")).toEqual([
      "1:8 TS2304: Cannot find name 'second': Cell [1], which declares it, failed before it got there.",
    ]);
  });

  test("a cell that was checked but not run leaves nothing", async () => {
    await notebook.problems("const unrun = 1");
    expect(await notebook.problems("unrun")).toEqual(["1:1 TS2304: Cannot find name 'unrun'."]);
  });

  test("a cell that ran unchecked (`%check off`) leaves its names", async () => {
    notebook.commit("const loose: number = 'text'");
    expect(await notebook.typeOf("loose")).toBe("number");
  });

  test("an inner name hides an earlier cell's", async () => {
    await notebook.run("const x = 1");
    expect(
      await notebook.run("function f(x: string) { return x.length } { const x = ''; x.length }"),
    ).toEqual([]);
  });

  test("a name of the checker's own library may be declared: `name`, `Map`, `fetch`, `process`", async () => {
    expect(
      await notebook.run("const name = 'me'; let fetch = 1; class Map { mine = 1 } const process = [1]"),
    ).toEqual([]);
    expect(await notebook.run("name.length; fetch = 2; new Map().mine; process.push(2)")).toEqual([]);
  });

  test("`export` in a cell is no second declaration", async () => {
    const cell =
      "export const a = 1; export class K {} export function f() {} const b = 2; export { b as c }";
    expect(await notebook.run(cell)).toEqual([]);
    expect(await notebook.run("a.toFixed(); new K(); f(); b.toFixed()")).toEqual([]);
  });
});

describe("a long notebook", () => {
  withNotebook();

  test("after 300 cells every name has its type still", async () => {
    for (let i = 0; i < 300; i++) {
      const list = i === 0 ? "[0]" : `v${i - 1}.map((x) => x + ${i})`;
      notebook.commit(`const v${i} = ${list}; let w${i} = { list: v${i} };`);
    }
    expect(await notebook.typeOf("v299")).toBe("number[]");
    expect(await notebook.typeOf("w3")).toBe("{ list: number[]; }");
    expect(await notebook.problems("w0 = { list: [''] }")).toEqual([
      "1:15 TS2322: Type 'string' is not assignable to type 'number'.",
    ]);
  });
});
