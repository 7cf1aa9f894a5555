// The value of a cell, which the front end shows as its result: that of its last statement, if that is an expression.
// What the compiler inserts never changes it.
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { afterAll, describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../../../../kernel/cell/analyze.ts";
import { compile } from "../../../../kernel/cell/compile.ts";
import { Evaluator } from "../../../helpers/evaluator.ts";

const notebook = new Evaluator();
notebook.modules.set("m", { a: 1, default: 2 });
afterAll(() => notebook.close());

describe("a cell has the value of", () => {
  it.each([
    ["its last expression", "1 + 1", 2],
    ["an expression with a semicolon, which hides nothing", "1 + 1;", 2],
    ["an object literal in parentheses", "({ a: 1 })", { a: 1 }],
    ["a string that looks like a directive", '"hello"', "hello"],
    ["a template literal", "`a${1}`", "a1"],
    ["an awaited expression", "await Promise.resolve(3)", 3],
    ["an assignment", "let v1; v1 = 4", 4],
    ["a cast", "5 as number", 5],
    ["a satisfies expression", "6 satisfies number", 6],
    ["an expression before a comment", "7 // seven", 7],
    ["an expression before an empty statement", "7;;", 7],
    ["an expression before a function, which is hoisted", "8; function f1() {}", 8],
    ["an expression before a type, which is no step", "9; interface I1 {}\ntype T1 = number", 9],
    ["an expression before an import, which is hoisted", '10; import { a } from "m"', 10],
    ["an expression before an export list", "let v2 = 1; 11; export { v2 }", 11],
    ["a default export", "export default 12", 12],
    ["a default export that is an object", "export default { a: 1 }", { a: 1 }],
    [
      "a default export before an import, which is hoisted",
      'export default [13].map((n) => n); import { a } from "m"',
      [13],
    ],
    ["an expression before a function that is the default export", "14; export default function f2() {}", 14],
    ["an object of several keys", "{ a: 1, b: 2 }", { a: 1, b: 2 }],
    ["an object of one key, which is also a block with a label", "{ a: 1 }", { a: 1 }],
    ["an object of names", "const rate = 3; const steps = 4\n{ rate, steps }", { rate: 3, steps: 4 }],
    ["an object with a semicolon and a comment", "{ ...{ a: 1 } }; // done", { a: 1 }],
    [
      "an object of several lines below a magic",
      "%flush off\n{\n  a: 1,\n  get b() { return 2 }\n}",
      { a: 1, b: 2 },
    ],
    ["no key", "{}", {}],
    ["a cell with using", "using r1 = { [Symbol.dispose]() {} }; 21", 21],
  ])("%s", async (_, text, value) => {
    expect(await notebook.run(text)).toEqual(value);
  });
});

describe("a cell has no value when it", () => {
  it.each([
    ["is empty", ""],
    ["is a comment", "// nothing"],
    ["is an empty statement", ";"],

    ["ends with const", "5; const d1 = 1"],
    ["ends with let after an await", "await 5; let d2 = 1"],
    ["ends with var", "5; var d3 = 1"],
    ["ends with a var that has no value", "5; var d4"],
    ["ends with a destructuring", "5; const { length: d5 } = 'abc'"],
    ["ends with a class", "5; class D6 {}"],
    ["ends with an enum", "5; enum D7 { A }"],
    ["ends with a namespace", "5; namespace D8 { export const a = 1 }"],
    ["ends with an exported const", "5; export const d9 = 1"],
    ["ends with using", "5; using d10 = null"],
    ["has a function only", "function d11() { return 1 }"],
    ["has a type only", "type D12 = number"],
    ["exports a class by default", "5; export default class D15 {}"],
    ["exports a class without a name by default", "export default class {}"],
    ["exports a function by default", "export default async function d16() {}"],
    ["exports a function without a name by default", "export default function () {}"],
    ["exports an interface by default", "export default interface D17 { a: 1 }"],
    ["ends with the block of an if on a line of its own", "if (true)\n{ a: 1 }"],
    ["ends with a block behind which an object could stand", "let x1 = 1\n{ x1; }"],
    ["has an import only", 'import d13 from "m"'],
    ["has an import without names only", 'import "m"'],
    ["has a declaration in a block only", "{ const inner = 1 }"],
    ["ends with an if", "if (true) 13; else 14"],
    ["ends with a block", "{ 15; let inner = 1; }"],
    ["ends with a try", "try { 16 } finally { 17 }"],
    ["ends with a switch", "switch (1) { case 1: 19; break; default: 20 }"],
    ["ends with a loop", "5; for (const i of [1, 2]) i * 10"],
    ["ends with a while", "let n = 0; while (n < 3) { n++; n * 100 }"],
    ["ends with an epoch loop", "for (const epoch of [1, 2]) { epoch * 7 }"],
    ["ends with an epoch loop without a block", "for (const epoch of [1, 2]) epoch * 8"],
    ["ends with a labelled epoch loop", "all: for (const epoch of [1, 2]) { epoch * 10 }"],
    ["ends with a loop under using", "using r2 = { [Symbol.dispose]() {} }; for (const i of [1, 2]) i"],
    ["ends with a loop before a type", "for (const i of [1, 2]) i; type T2 = number"],
    ["is a loop over nothing", "for (const i of []) i"],
    ["is a loop that declares", "for (const i of [1, 2]) { const inner = i }"],
    ["is an epoch loop that declares", "for (const epoch of [1, 2]) { const inner = epoch }"],
    ["is a loop with a var in its body", "for (const i of [1, 2]) { var d14 = i }"],
  ])("%s", async (_, text) => {
    expect(await notebook.run(text)).toBeUndefined();
  });
});

it("a function can be called above the line that declares it, an exported one too", async () => {
  const text = `
    const sum = even(3) + twice(4);
    // Both are put before the first statement.
    function even(n: number): number { return n === 0 ? 1 : odd(n - 1) }
    function odd(n: number): number { return n === 0 ? 10 : even(n - 1) }
    export function twice(n: number) { return n * 2 }
    sum`;
  expect(await notebook.run(text)).toBe(18);
});

it("types leave nothing behind that runs", async () => {
  const text = `
    abstract class Shape<T extends object = {}> {
      declare tag: string;
      abstract area(): number;
      constructor(protected readonly scale: number = 2, private name?: string) {}
      scaled(this: Shape<T>, by: number): number;
      scaled(by: number | string): number { return (this.area() as number) * Number(by)! * this.scale }
    }
    class Square extends Shape<{ a: 1 }> implements Sized { override area() { return 3 } }
    interface Sized { area(): number }
    declare const elsewhere: number;
    declare function missing(): void;
    const square = new Square();
    <number>square.scaled(5)`;
  expect(await notebook.run(text)).toBe(30);
  expect(await notebook.run("Object.keys(square)")).toEqual(["scale", "name"]);
});

it("an error in an object that ends a cell has the place that the user wrote", async () => {
  const text = 'const a = 1\n  { a, get: (() => { throw new Error("no") })() }';
  const compiled = compile(text, NO_BINDINGS, { script: "1", flush: true });
  const map = new TraceMap(compiled.map);
  const lines = compiled.code.split("\n");
  const line = lines.findIndex((each) => each.includes("new Error"));
  const column = (lines[line] as string).indexOf("new Error");
  expect(originalPositionFor(map, { line: line + 1, column })).toMatchObject({ line: 2, column: 27 });
  expect(compiled.text.slice(12)).toBe('  ;({ a, get: (() => { throw new Error("no") })() })');
  const at = compiled.text.indexOf("get");
  expect(text.slice(compiled.original(at), compiled.original(at) + 3)).toBe("get");
});

describe("a namespace adds to", () => {
  it.each([
    [
      "a class",
      "class M1 { n = 1 } namespace M1 { export let count = 1; export const up = () => ++count }\n[M1.up(), M1.count, new M1().n]",
      [2, 2, 1],
    ],
    [
      "a function",
      "function m2() { return ++m2.calls } namespace m2 { export let calls = 0 }\nm2(); [m2(), m2.calls]",
      [2, 2],
    ],
    ["an enum", "enum M3 { A, B } namespace M3 { export let last = M3.B }\n[M3.A, M3.last]", [0, 1]],
    [
      "another block, whose variables it sees",
      "namespace M4 { export let a = 1 } M4.a = 5; namespace M4 { export let b = a + 1; export const sum = () => a + b }\nM4.a = 10; [M4.b, M4.sum()]",
      [6, 16],
    ],
    [
      "another block, whose constants it sees",
      "namespace M5 { export const a = 1 } namespace M5 { export const b = a + 1 } M5.b",
      2,
    ],
    [
      "a namespace inside of it",
      "namespace M6.N { export let a = 1 } namespace M6 { export let b = N.a + 1 } M6.b",
      2,
    ],
  ])("%s", async (_, text, value) => {
    expect(await notebook.run(text)).toEqual(value);
  });
});
