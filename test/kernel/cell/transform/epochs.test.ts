// Epoch loops: which loops get a flush, and in what order the runtime hears of them, whichever way an iteration ends.
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../../../../kernel/cell/analyze.ts";
import { compile } from "../../../../kernel/cell/compile.ts";
import { Evaluator } from "../../../helpers/evaluator.ts";

const notebook = new Evaluator();
beforeEach(() => void notebook.calls.splice(0));
afterAll(() => notebook.close());

const epochLoops = (text: string) => compile(text, NO_BINDINGS, { script: "1", flush: true }).epochLoops;

describe("an epoch loop is", () => {
  it.each([
    ["a for loop over epoch", "for (let epoch = 0; epoch < 3; epoch++) {}"],
    ["a for loop over ep", "for (let ep = 0; ep < 3; ep++) {}"],
    ["a for loop over epoch and more", "for (let step = 0, epoch = 0; epoch < 3; epoch++) {}"],
    ["a for loop over a variable from before", "let epoch; for (epoch = 0; epoch < 3; epoch++) {}"],
    ["a for-of loop over epoch", "for (const epoch of [1]) {}"],
    ["a for-of loop over a variable from before", "let epoch; for (epoch of [1]) {}"],
    ["a for-of loop that takes epoch out of a pair", "for (const [epoch, rate] of pairs) {}"],
    ["a for-in loop over epoch", "for (const epoch in {}) {}"],
    ["a for-await loop over epoch", "for await (const epoch of stream) {}"],
    ["a for loop over var epoch", "for (var epoch = 0; epoch < 3; epoch++) {}"],
    ["a while loop over epoch", "let epoch = 0; while (epoch < 3) { epoch++; }"],
    ["a while loop that adds to epoch", "let epoch = 0; while (epoch < 3) { train(); epoch += 1; }"],
    ["a do loop over epoch", "let epoch = 0; do { epoch = epoch + 1 } while (epoch < 3)"],
    ["a for loop over epoch from before", "let epoch = 0; for (; epoch < 3; epoch++) {}"],
    ["a while loop whose end is decided elsewhere", "let epoch = 0; while (!done()) { epoch++; }"],
    ["a while loop with the comment", "// @epoch\nwhile (next()) {}"],
    ["a do loop with the comment", "/* @epoch */ do {} while (next())"],
    ["any loop with the comment", "// train once\n// @epoch until converged\n\nfor (;;) {}"],
    ["a labelled loop with the comment", "// @epoch\nouter: for (const x of []) {}"],
    ["a loop with the comment behind its label", "outer: // @epoch\nfor (;;) {}"],
    ["a loop with the comment after a type", "type A = 1;\n// @epoch\nfor (;;) {}"],
    ["a loop with the comment in a namespace", "namespace N {\n  // @epoch\n  for (;;) {}\n}"],
    ["a loop with the comment in a cell with using", "using q = null;\n// @epoch\nfor (;;) {}"],
    ["one over lab.epochs", "for (const e of lab.epochs(3)) {}"],
    ["one over mpslab.lab.epochs", "for (const e of mpslab.lab.epochs(3)) {}"],
    ["one over lab.epochs around another", "for (const e of lab.epochs(3)) for (const epoch of []) {}"],
    ["one inside of a function", "async function train() { for (const epoch of []) await step() }"],
    ["one inside of a method with the comment", "class T { fit() {\n  // @epoch\n  for (;;) {}\n} }"],
    ["one inside of a loop over something else", "for (const rate of rates) for (const epoch of []) {}"],
  ])("%s", (_, text) => {
    expect(epochLoops(text)).toBe(1);
  });
});

describe("no epoch loop is", () => {
  it.each([
    ["a loop over something else", "for (const batch of batches) {}"],
    ["a loop that only mentions epoch", "for (const i of range(epoch)) { epoch }"],
    ["a while loop that only reads epoch", "while (epoch < 3) { step(); }"],
    ["a while loop over steps that counts an epoch now and then", "while (go()) { if (last()) epoch++; }"],
    ["a while loop around a loop over epoch", "while (go()) { for (const x of y) epoch++; }"],
    ["a while loop around a function that counts", "while (go()) { later(() => epoch++); }"],
    ["a loop with a variable of its own that counts epochs too", "for (const batch of all) { epoch++; }"],
    ["a while loop with @no-flush", "// @no-flush\nwhile (epoch < 3) { epoch++; }"],
    ["one with @no-flush", "// @no-flush\nfor (const epoch of []) {}"],
    ["a labelled one with @no-flush", "// @no-flush\nouter: for (const epoch of []) {}"],
    ["one after a comment about another statement", "// @epoch\nstep();\nfor (;;) {}"],
    ["one after the comment of a statement's own line", "step(); // @epoch\nfor (;;) {}"],
    ["one with the comment in its head", "for (/* @epoch */ const x of []) {}"],
    ["one with another word", "// @epochs\nfor (;;) {}"],
    ["one with the word in a string", "'@epoch'; for (;;) {}"],
  ])("%s", (_, text) => {
    expect(epochLoops(text)).toBe(0);
  });
});

describe("what the compiler took a loop for is said where it is a guess", () => {
  const compiled = (text: string) => compile(text, NO_BINDINGS, { script: "1", flush: true }).code;
  const guess = 'guess: "its body changes epoch; // @no-flush before it says no"';
  it.each([
    ["a while loop whose end is decided elsewhere", "while (!done()) { epoch++; }", true],
    ["an endless loop", "for (;;) { if (epoch++ > 3) break; }", false],
    ["a while loop over epoch", "while (epoch < 3) { epoch++; }", false],
    ["a for loop over epoch", "for (let epoch = 0; epoch < 3; epoch++) {}", false],
    ["one with the comment", "// @epoch\nwhile (!done()) { epoch++; }", false],
  ])("%s", (_, text, isGuess) => {
    expect(compiled(text).includes(guess)).toBe(isGuess);
  });
});

it("under %flush off a loop is found all the same, and marked to be recorded alone", () => {
  const { code, epochLoops } = compile("for (const epoch of []) {}", NO_BINDINGS, {
    script: "1",
    flush: false,
  });
  expect(epochLoops).toBe(1);
  expect(code).toContain('__mpslab_epochs({ variable: "epoch", line: 1, flush: false })');
});

it("the outermost of nested epoch loops counts, and one of a function inside it counts anew", () => {
  expect(epochLoops("for (const epoch of []) for (const ep of []) {}")).toBe(1);
  expect(epochLoops("for (const epoch of []) {}\nfor (const epoch of []) {}")).toBe(2);
  expect(epochLoops("for (const epoch of []) { later(() => { for (const ep of []) {} }) }")).toBe(2);
});

it("the runtime is told the loop's variable and its line in the cell", async () => {
  await notebook.run(
    "interface Shape {\n  a: number\n}\n\nfor (const ep of []) {}\n// @epoch\ndo {} while (false)",
  );
  expect(notebook.calls).toEqual(["open ep 5", "close", "open epoch 7", "begin", "end", "close"]);
});

describe("the runtime hears begin, end and close when the body is left by", () => {
  const twice = ["begin", "1", "end", "begin", "2", "end"];
  it.each([
    ["its end", "for (const epoch of [1, 2]) { note(`${epoch}`) }", twice],
    ["its end, without a block", "for (const epoch of [1, 2]) note(`${epoch}`)", twice],
    [
      "continue",
      "for (const epoch of [1, 2]) { note(`${epoch}`); if (epoch) continue; note('never') }",
      twice,
    ],
    ["break", "for (const epoch of [1, 2]) { note(`${epoch}`); break }", ["begin", "1", "end"]],
    [
      "continue with its label",
      "all: for (const epoch of [1, 2]) { for (;;) { note(`${epoch}`); continue all } }",
      twice,
    ],
    [
      "break with its label",
      "all: for (const epoch of [1, 2]) { for (;;) { note('x'); break all } }",
      ["begin", "x", "end"],
    ],
    [
      "continue inside try and finally",
      "for (const epoch of [1]) { try { continue } finally { note('finally') } }",
      ["begin", "finally", "end"],
    ],
    ["an await", "for (const epoch of [1, 2]) { await null; note(`${epoch}`) }", twice],
    [
      "an await, over a stream",
      "for await (const epoch of (async function* () { yield 1; note('between'); yield 2 })()) note(`${epoch}`)",
      ["begin", "1", "end", "between", "begin", "2", "end"],
    ],
    ["nothing, as it never runs", "for (const epoch of []) {}", []],
    ["an empty body", "for (const epoch of [1]);", ["begin", "end"]],
  ])("%s", async (_, text, between) => {
    await notebook.run(text);
    expect(notebook.calls).toEqual(["open epoch 1", ...between, "close"]);
  });

  it("continue of an outer loop that is none", async () => {
    await notebook.run(
      "outer: for (const rate of [1, 2]) for (const epoch of [1, 2]) { note(`${rate}`); continue outer }",
    );
    const once = (rate: string) => ["open epoch 1", "begin", rate, "end", "close"];
    expect(notebook.calls).toEqual([...once("1"), ...once("2")]);
  });

  it("return, in a function", async () => {
    const value = await notebook.run("(() => { for (const epoch of [1, 2]) { return epoch * 5 } })()");
    expect(value).toBe(5);
    expect(notebook.calls).toEqual(["open epoch 1", "begin", "end", "close"]);
  });

  it("return, in a generator that is closed early", async () => {
    await notebook.run(
      "function* g() { for (const epoch of [1, 2]) yield epoch }\nfor (const x of g()) break;",
    );
    expect(notebook.calls).toEqual(["open epoch 1", "begin", "end", "close"]);
  });

  it("throw", async () => {
    await expect(notebook.run("for (const epoch of [1]) { throw new Error('boom') }")).rejects.toThrow(
      "boom",
    );
    expect(notebook.calls).toEqual(["open epoch 1", "begin", "cut", "end", "close"]);
  });

  it("throw, of what an await rejects", async () => {
    const text = "for await (const epoch of [1]) { await Promise.reject(new Error('lost')) }";
    await expect(notebook.run(text)).rejects.toThrow("lost");
    expect(notebook.calls).toEqual(["open epoch 1", "begin", "cut", "end", "close"]);
  });

  it("throw, caught around the loop", async () => {
    await notebook.run("try { for (const epoch of [1]) { throw 1 } } catch { note('caught') }");
    expect(notebook.calls).toEqual(["open epoch 1", "begin", "cut", "end", "close", "caught"]);
  });

  it("its end, where what it threw was caught in it", async () => {
    await notebook.run("for (const epoch of [1]) { try { throw 1 } catch { note('caught') } }");
    expect(notebook.calls).toEqual(["open epoch 1", "begin", "caught", "end", "close"]);
  });

  it("throw, out of a loop over lab.epochs", async () => {
    const text =
      "const lab = { epochs: () => [1, 2] };\nfor (const e of lab.epochs()) throw new Error('boom')";
    await expect(notebook.run(text)).rejects.toThrow("boom");
    expect(notebook.calls).toEqual(["open epoch 2", "begin", "cut", "end", "close"]);
  });

  it("an interrupt in the body", async () => {
    const text = "for (const epoch of [1, 2]) { pressStop(); while (true) {} }";
    await expect(notebook.run(text)).rejects.toThrow("interrupted");
    expect(notebook.calls).toEqual(["open epoch 1", "begin", "cut", "end", "close"]);
  });

  it("an interrupt before the body, so that the epoch does not begin", async () => {
    await expect(notebook.run("pressStop(); for (const epoch of [1, 2]) {}")).rejects.toThrow("interrupted");
    expect(notebook.calls).toEqual(["open epoch 1", "close"]);
  });
});

it("a closure of each iteration keeps its own variable", async () => {
  const text =
    "const reads = []; for (let epoch = 0; epoch < 3; epoch++) reads.push(() => epoch); reads.map((read) => read())";
  expect(await notebook.run(text)).toEqual([0, 1, 2]);
});
