// A cell stops where the user says so: at the head of every loop and function, whatever its form, with `finally` run and
// its variables kept.
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../../../../kernel/cell/analyze.ts";
import { compile } from "../../../../kernel/cell/compile.ts";
import { Evaluator } from "../../../helpers/evaluator.ts";

const notebook = new Evaluator();
afterAll(() => notebook.close());
beforeEach(() => {
  notebook.stop[0] = 0;
  notebook.calls.splice(0);
});

describe("an interrupt ends a loop that is written as", () => {
  it.each([
    ["for", "for (;;) {}"],
    ["for without a block", "for (;;);"],
    ["for with a statement", "let a = 0; for (;;) a++"],
    ["for over var", "for (var b = 0; ; b++) {}"],
    ["for-of", "for (const x of [1]) {}"],
    ["for-of without a block", "for (const x of [1]) x"],
    ["for-in", "for (const key in { a: 1 }) {}"],
    ["for-await", "for await (const x of [1]) {}"],
    ["while", "while (true) {}"],
    ["while without a block", "while (true);"],
    ["do", "do {} while (true)"],
    ["do without a block", "do 1; while (true)"],
    ["a labelled loop", "again: while (true) continue again"],
    ["a loop directly in a loop", "for (const x of [[1]]) for (const y of x) while (true);"],
    ["a loop in a branch", "if (true) while (true) {} else {}"],
    ["a loop in switch", "switch (1) { case 1: for (;;) {} }"],
    ["an epoch loop", "for (let epoch = 0; ; epoch++) {}"],
    ["an epoch loop without a block", "for (let epoch = 0; ; epoch++);"],
    ["a loop after an await", "await 1; while (true) {}"],
    ["a loop over lab.epochs", "const lab = { epochs: () => [1] }; for (const x of lab.epochs()) {}"],
  ])("%s", async (_, text) => {
    await expect(notebook.run(`pressStop(); ${text}`)).rejects.toThrow("interrupted");
  });
});

describe("an interrupt ends a call of", () => {
  it.each([
    ["a function", "function f() {}", "f()"],
    ["a function expression", "const f = function () {}", "f()"],
    ["an arrow function", "const f = () => {}", "f()"],
    ["an arrow function that is an expression", "const f = (x: number) => x + 1", "f(1)"],
    ["an arrow function that is an object", "const f = () => ({})", "f()"],
    ["an arrow function that returns another", "const f = () => () => 1", "f()"],
    ["an arrow function that another returned", "const f = (() => () => 1)()", "f()"],
    ["an arrow function that awaits", "const f = async () => await 1", "await f()"],
    ["an async function", "async function f() {}", "await f()"],
    ["a generator", "function* f() {}", "f().next()"],
    ["an async generator", "async function* f() {}", "await f().next()"],
    ["a method", "class C { m() {} } const f = new C()", "f.m()"],
    ["a static method", "class C { static m() {} }", "C.m()"],
    ["a private method", "class C { #m() {} m = () => this.#m() } const f = new C()", "f.m()"],
    ["a constructor", "class C { constructor() {} }", "new C()"],
    [
      "a constructor that calls super",
      "class B {} class C extends B { constructor() { super() } }",
      "new C()",
    ],
    ["a constructor with parameter properties", "class C { constructor(readonly a = 1) {} }", "new C()"],
    ["a static block", "", "class C { static { } }"],
    ["a getter", "const f = { get a() { return 1 } }", "f.a"],
    ["a setter", "const f = { set a(value) {} }", "f.a = 1"],
    ["an object's method", "const f = { m() {} }", "f.m()"],
    ["a computed method", "const f = { [Symbol.iterator]: function* () {} }", "[...f]"],
    ["a function in a default", "const f = (a = (() => 1)()) => a; const g = f", "g()"],
  ])("%s", async (_, declare, call) => {
    await notebook.run(declare);
    await expect(notebook.run(`pressStop(); ${call}`)).rejects.toThrow("interrupted");
  });

  it("a function that calls itself for ever, long before the stack is full", async () => {
    await notebook.run("let depth = 0; function dive() { if (++depth === 10) pressStop(); dive() }");
    await expect(notebook.run("dive()")).rejects.toThrow("interrupted");
    expect(await notebook.run("depth")).toBe(10);
  });
});

it("`finally` runs, and what the cell had computed stays", async () => {
  const text = `
    let steps = 0;
    try { while (true) { if (++steps === 5) pressStop() } } finally { note("finally") }`;
  await expect(notebook.run(text)).rejects.toThrow("interrupted");
  expect(notebook.calls).toEqual(["finally"]);
  expect((await notebook.evaluate("steps")).result.value).toBe(5);
});

it("every await can be ended by the runtime, in functions and loops too", () => {
  const { code } = compile(
    "await a; async function f() { return await b(await c) } for await (const d of e) {}",
    NO_BINDINGS,
    { script: "1", flush: true },
  );
  expect(code).toContain("await __mpslab_await(a);");
  expect(code).toContain("return await __mpslab_await(b(await __mpslab_await(c)));");
  expect(code).toContain("for await (const d of __mpslab_await_each(e))");
});

it("names of functions and what they see of their arguments stay as they were", async () => {
  const text = `
    const arrow = (a, b = 1) => a;
    function plain(a, b) { return [arguments.length, new.target === undefined] }
    class Base { self() { return "base" } }
    class Derived extends Base { #secret = 1; self() { return super.self() + this.#secret } }
    const object = { method() { return this === object } };
    [arrow.name, arrow.length, plain.name, plain.length, ...plain(1, 2, 3), Derived.name, new Derived().self(), object.method()]`;
  expect(await notebook.run(text)).toEqual(["arrow", 1, "plain", 2, 3, true, "Derived", "base1", true]);
});
