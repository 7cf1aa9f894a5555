// What a program reads of its standard input comes from an input box.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Notebook } from "../session/notebook.ts";

let notebook: Notebook;
let questions: string[];
beforeAll(() => void (notebook = new Notebook()));
afterAll(() => notebook.close());
beforeEach(() => {
  questions = [];
  notebook.answer = (question) => {
    questions.push(question);
    return ["Ada", "36", "London"][questions.length - 1] ?? "";
  };
});

it("question asks with its own words, by promise, callback and promisify, and no line is asked for beside it", async () => {
  const byPromise = await notebook.run(`
    import { createInterface } from "node:readline/promises";
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    const person = await lines.question("Name? ");
    await new Promise((resolve) => setTimeout(resolve, 20));
    const age = Number(await lines.question("Age? "));
    lines.close();
    [person, age]`);
  expect([byPromise.text, byPromise.stdout]).toEqual(["[ 'Ada', 36 ]", ""]);
  const otherwise = await notebook.run(`
    import readline from "readline";
    import { promisify } from "util";
    const other = readline.createInterface(process.stdin, process.stdout);
    const town = await new Promise((resolve) => other.question("Town? ", resolve));
    const country = await promisify(other.question).call(other, "Country? ");
    other.close();
    [town, country]`);
  expect(otherwise.text).toBe("[ 'London', '' ]");
  expect(questions).toEqual(["Name? ", "Age? ", "Town? ", "Country? "]);
  await notebook.run("const waiting = createInterface({ input: process.stdin });");
  await notebook.run("await new Promise((resolve) => setTimeout(resolve, 20)); waiting.close();");
  expect(questions).toHaveLength(4);
});

it.each([
  [
    "data",
    'await new Promise((resolve) => process.stdin.setEncoding("utf8").once("data", (line) => { console.log(line.trim()); resolve(null); }));',
  ],
  [
    "lines of an interface",
    'import { createInterface } from "readline"; for await (const line of createInterface({ input: process.stdin })) { console.log(line); break; }',
  ],
  [
    "a line event",
    'import { createInterface } from "readline"; const events = createInterface(process.stdin); await new Promise((resolve) => events.on("line", (line) => { console.log(line); events.close(); resolve(null); }));',
  ],
  [
    "the stream itself",
    "for await (const chunk of process.stdin) { console.log(`${chunk}`.trim()); break; }",
  ],
  [
    "keys, as programs with menus read them",
    'import * as readline from "readline"; const keys = readline.createInterface({ input: process.stdin, terminal: true }); await new Promise((resolve) => process.stdin.on("keypress", (_: string, key: { name: string }) => { if (key.name === "return") { console.log(keys.line || "entered"); keys.close(); resolve(null); } }));',
  ],
])("%s: one input box for one line", async (_, code) => {
  const { stdout, done } = await notebook.run(code);
  expect(done.error).toBeUndefined();
  expect(stdout).toMatch(/^(Ada|entered)\n$/);
  expect(questions).toEqual([""]);
});

const NO_INPUT = "This front end takes no input: pass the value in the cell instead.";
const QUESTION =
  'import { createInterface } from "node:readline/promises"; await createInterface({ input: process.stdin }).question("Name? ")';
const DATA = 'await new Promise((resolve) => process.stdin.once("data", resolve))';

it.each([QUESTION, DATA])(
  "where the front end takes no input, the cell fails with what to do: %s",
  async (code) => {
    notebook.answer = () => null;
    const { done } = await notebook.run(code);
    expect(done.error?.evalue).toBe(NO_INPUT);
  },
);

it("of cells that run directly one after the other, each one that reads fails", async () => {
  notebook.answer = () => null;
  const ends = await Promise.all([QUESTION, DATA, QUESTION, DATA].map((code) => notebook.run(code)));
  expect(ends.map(({ done }) => done.error?.evalue)).toEqual(Array(4).fill(NO_INPUT));
});
