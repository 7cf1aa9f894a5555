// A cell may call its variables as globals are called: cells see them, and libraries go on seeing the globals.
import { afterAll, describe, expect, it } from "vitest";
import { GLOBAL_NAMES } from "../../../../kernel/cell/transform/globals.ts";
import { Evaluator } from "../../../helpers/evaluator.ts";

const notebook = new Evaluator();
afterAll(() => notebook.close());

it("a cell's setTimeout from node:timers/promises leaves this module's alone", async () => {
  await notebook.run('import { setTimeout } from "node:timers/promises"');
  expect(await notebook.run("await setTimeout(1, 'waited')")).toBe("waited");
  const timer = setTimeout(() => {}, 1);
  expect(typeof timer.unref).toBe("function");
  clearTimeout(timer);
});

it("names by which libraries learn where they run stay undefined for them", async () => {
  await notebook.run(
    "const window = 'mine', self = window; function define() { return self } class document {}",
  );
  expect(await notebook.run("[window, define(), typeof document]")).toEqual(["mine", "mine", "function"]);
  const seen = (
    await notebook.evaluate("[typeof window, typeof self, typeof define, typeof document].join()")
  ).result;
  expect(seen.value).toBe("undefined,undefined,undefined,undefined");
});

describe("a renamed variable is itself in", () => {
  it.each([
    ["a shorthand property", "({ performance })", { performance: { accuracy: 0.97 } }],
    ["a closure", "(() => performance.accuracy)()", 0.97],
    ["typeof", "typeof performance", "object"],
    ["a template literal", "`${performance.accuracy}`", "0.97"],
    ["a default", "((p = performance) => p.accuracy)()", 0.97],
    ["a computed key", "({ [performance.accuracy]: 1 })", { "0.97": 1 }],
    ["an assignment to its property", "performance.accuracy = 0.97", 0.97],
    [
      "an assignment pattern",
      "let kept = performance; ({ performance } = { performance: kept }); performance === kept",
      true,
    ],
    ["a pattern with a default", "({ performance = 1 } = { performance }); performance.accuracy", 0.97],
    ["an update", "let process = 1; process++; process", 2],
    ["an enum's initializer", "enum Score { A = performance.accuracy * 100 } Score.A", 97],
  ])("%s", async (_, text, value) => {
    await notebook.run("const performance = { accuracy: 0.97 }");
    expect(await notebook.run(text)).toEqual(value);
  });
});

describe("a name is left alone where it is", () => {
  it.each([
    ["a property", "({ fetch: 1 }).fetch", 1],
    ["a method", "({ fetch() { return 2 } }).fetch()", 2],
    ["a parameter", "((fetch) => fetch)(3)", 3],
    ["a parameter in a pattern", "(({ a: [fetch] }) => fetch)({ a: [4] })", 4],
    [
      "a variable of a function, before it too",
      "(() => { const read = () => fetch; var fetch = 5; return read() })()",
      5,
    ],
    ["a variable of a block", "let b1; { let fetch = 6; b1 = fetch } b1", 6],
    ["a variable of a loop", "let last; for (const fetch of [7]) last = fetch; last", 7],
    ["a caught error", "let b2; try { throw 8 } catch (fetch) { b2 = fetch } b2", 8],
    ["a function's own name", "(function fetch() { return typeof fetch })()", "function"],
    ["a function in a block", "let b3; { function fetch() { return 9 } b3 = fetch() } b3", 9],
    ["a variable of a case", "let b4; switch (1) { case 1: let fetch = 10; b4 = fetch } b4", 10],
    ["a label", "fetch: for (;;) { break fetch }", undefined],
    ["a field of a class", "class F { fetch = 11 } new F().fetch", 11],
    ["a property of globalThis", "typeof globalThis.fetch", "function"],
  ])("%s", async (_, text, value) => {
    await notebook.run("const fetch = 'of the cell'");
    expect(await notebook.run(text)).toEqual(value);
  });
});

it("a class of a global's name keeps its name inside and out", async () => {
  const text =
    "class Response { static made = 1; again() { return Response.made } } [Response.name, new Response().again()]";
  expect(await notebook.run(text)).toEqual(["Response", 1]);
});

it("a function of a global's name keeps its name, which stack traces show", async () => {
  const text = `
    function fetch() { return new Error().stack.split("\\n")[1] }
    const process = () => {}, Event = class {};
    var crypto = async function () {};
    [fetch.name, process.name, Event.name, crypto.name, /at fetch /.test(fetch())]`;
  expect(await notebook.run(text)).toEqual(["fetch", "process", "Event", "crypto", true]);
});

it("a type of a global's name hides nothing", async () => {
  expect(
    await notebook.run("interface Headers { a: 1 }\ntype Blob = string; typeof Headers + typeof Blob"),
  ).toBe("functionfunction");
});

it("the analysis says what a name is called in the session", () => {
  const { declared } = notebook.compile("const fetch = 1, own = 2");
  expect(declared).toEqual([
    { name: "fetch", kind: "const", runtimeName: "__mpslab_own_fetch", typeOnly: false },
    { name: "own", kind: "const", runtimeName: "own", typeOnly: false },
  ]);
});

it("the list knows every global of this Node", () => {
  const own = new Set(["note", "pressStop", "fetch"]);
  const missing = Object.getOwnPropertyNames(globalThis).filter(
    (name) => !GLOBAL_NAMES.has(name) && !own.has(name) && !/^__|^VITEST|^vitest/i.test(name),
  );
  expect(missing).toEqual([]);
});
