// Type errors of a cell: tsc's words at the user's positions, and nothing about what the kernel put around the cell.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
beforeAll(async () => {
  notebook = new NotebookSession();
  await notebook.run(
    "interface Point { x: number; y: number } const origin: Point = { x: 0, y: 0 }; let label = 'o'",
  );
});
afterAll(() => notebook.close());

test("explanations are chained on indented lines, as tsc prints them", async () => {
  expect(
    await notebook.problems("const f: (at: { q: string }) => void = (at: { q: number }) => {};"),
  ).toEqual([
    [
      "1:7 TS2322: Type '(at: { q: number; }) => void' is not assignable to type '(at: { q: string; }) => void'.",
      "  Types of parameters 'at' and 'at' are incompatible.",
      "    Type '{ q: string; }' is not assignable to type '{ q: number; }'.",
      "      Types of property 'q' are incompatible.",
      "        Type 'string' is not assignable to type 'number'.",
    ].join("\n"),
  ]);
});

test("positions are the cell's own, in UTF-16 units, after any kind of line end and any character", async () => {
  const text = "// 😀 é\r\nconst a = '😀'; a.nope;\n\torigin.z";
  const found = await notebook.service.check(notebook.compile(text));
  expect(found.map(({ start, end, code, category }) => [text.slice(start, end), code, category])).toEqual([
    ["nope", 2339, "error"],
    ["z", 2339, "error"],
  ]);
});

test("what every cell has, and what a shell has, is told apart from what is nowhere", async () => {
  expect(await notebook.problems('import { display, displya } from "mpslab"')).toEqual([
    "1:10 TS2305: mpslab has no export 'display': every cell has it without an import.",
    "1:19 TS2305: Module '\"mpslab\"' has no exported member 'displya'.",
  ]);
  expect(await notebook.problems("print(1)")).toEqual(["1:1 TS2304: Cannot find name 'print'."]);
  expect(await notebook.problems("document.body")).toEqual([
    "1:1 TS2584: Cannot find name 'document': a cell runs in Node, which has no page; " +
      'display({ "text/html": "<b>text</b>" }) shows HTML.',
  ]);
  expect(await notebook.problems("const a = 1;\n  !ls -la\n")).toEqual([
    "2:3 TS2304: Cannot find name 'ls': a shell's commands stand behind %sh: %sh ls -la.",
  ]);
  expect(await notebook.problems("!label")).toEqual([]);
});

test("types of other cells appear by their names", async () => {
  expect(await notebook.problems("label = origin")).toEqual([
    "1:1 TS2322: Type 'Point' is not assignable to type 'string'.",
  ]);
  expect(await notebook.problems("const p: Point = { x: 1 }")).toEqual([
    "1:7 TS2741: Property 'y' is missing in type '{ x: number; }' but required in type 'Point'.",
  ]);
});

test.each([
  [
    "unused names, parameters and imports",
    "import { sep } from 'node:path'; const unused = 1; function f(x: number) {}",
  ],
  ["unreachable code and unused labels", "function f() { return 1; label: for (;;) {} }"],
  ["expressions that do nothing", "1 + 1; 'text'; origin; origin.x === 1; [1, 2].map(String)"],
  ["an `await` of nothing to wait for", "await origin; await 1"],
  ["an array that is filled later", "const history = []; let best = null; let later"],
  ["a deprecated name", "'text'.substr(1)"],
  ["a cell that says @ts-nocheck", "// @ts-nocheck\nconst x: number = 'text'"],
  ["a line that says @ts-ignore", "// @ts-ignore\nconst x: number = 'text'"],
  ["an error that is expected", "// @ts-expect-error the point of this line\nconst x: number = 'text'"],
  ["an empty cell", ""],
  ["a cell of comments", "// nothing\n/* at all */"],
])("%s: no error", async (_, cell) => {
  expect(await notebook.problems(cell)).toEqual([]);
});

test.each([
  ["a parameter without a type", "function twice(x) { return x * 2 } twice(3);"],
  [
    "recursion without a return type",
    "function factorial(n: number) { return n < 2 ? 1 : n * factorial(n - 1) }",
  ],
  ["a string for a key", 'const counts = { a: 1 }; for (const key of ["a", "b"]) counts[key];'],
  ["a variable without a type", "let grown; function read() { return grown } grown = 1"],
  ["a list that is filled", "const losses = []; losses.push(1); losses[0].toFixed(2); losses[0] * 2;"],
])("%s, of which nobody said a type: no error", async (_, cell) => {
  expect(await notebook.problems(cell)).toEqual([]);
});

test("a list that is filled holds what was pushed", async () => {
  expect(await notebook.problems("const losses = []; losses.push(1); losses[0].toUpperCase()")).toEqual([
    "1:46 TS2339: Property 'toUpperCase' does not exist on type 'number'.",
  ]);
});

test.each([
  [
    "a name used before its declaration",
    "early + 1; const early = 1",
    [
      "1:1 TS2448: Block-scoped variable 'early' used before its declaration.",
      "1:1 TS2454: Variable 'early' is used before being assigned.",
    ],
  ],
  [
    "its own name on the right",
    "let label = label + '!'",
    ["1:13 TS2448: Block-scoped variable 'label' used before its declaration."],
  ],
  [
    "a needless @ts-expect-error",
    "// @ts-expect-error\nconst x = 1",
    ["1:1 TS2578: Unused '@ts-expect-error' directive."],
  ],
  ["the last line", "origin.x;\norigin.q", ["2:8 TS2339: Property 'q' does not exist on type 'Point'."]],
])("of %s, tsc's opinion", async (_, cell, problems) => {
  expect(await notebook.problems(cell)).toEqual(problems);
});

test("a folder may have any name", async () => {
  const parent = mkdtempSync(path.join(tmpdir(), "mpslab-language-"));
  const directory = path.join(parent, "Übung [1] #2, 100% 'neu' 😀");
  mkdirSync(directory);
  const session = new NotebookSession({ "a.ts": "export const a = [1];" }, directory);
  expect(await session.run("import { a } from './a'; class K { v = a } const k = [new K()]")).toEqual([]);
  expect(await session.typeOf("k")).toBe("K[]");
  expect(await session.completions("k[0]?.|")).toEqual(["v"]);
  session.close();
  rmSync(parent, { recursive: true });
});

test("what a constructor assigns to this is a field, of a class below it too, and a typing error is none", async () => {
  await notebook.run(
    "class Named { constructor(name) { this.name = name; [1].forEach(() => { this.count = 1; }); } greet() { return this.name + this.count; } }",
  );
  expect(await notebook.problems("new Named('Ada').name.length + new Named('').greet()")).toEqual([]);
  expect(
    await notebook.problems(
      "class Pupil extends Named { constructor() { super('x'); this.age = this.name; } }",
    ),
  ).toEqual([]);
  expect(await notebook.problems("new Named('Ada').nmae")).toEqual([
    "1:18 TS2339: Property 'nmae' does not exist on type 'Named'.",
  ]);
  expect(await notebook.problems("function Old(name) { this.name = name } new Old('x')")).toEqual([]);
});

test("a comment names the type of what has none of its own, as in a JavaScript file", async () => {
  expect(await notebook.problems("/** @type {any} */\nlet any = 123; any = any + ' Hello'; any")).toEqual([]);
  expect(await notebook.run("/** @type {number[]} */ export const sizes = [];")).toEqual([]);
  expect(await notebook.problems("sizes.push(1); sizes.push('a')")).toEqual([
    "1:27 TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
  ]);
  const area =
    "/**\n * @param {number} width\n * @param {number} [height]\n */\nconst area = (width, height) => width * (height ?? width);";
  expect(await notebook.problems(`${area}\narea(1); area('1');`)).toEqual([
    "6:15 TS2345: Argument of type 'string' is not assignable to parameter of type 'number'. A number has no quotes: write 1.",
  ]);
  expect(
    await notebook.problems(
      "/** @type {?string} */ let odd = 1; odd = 2;\n/** @type {string} */ let own: number = 1; own.toFixed();",
    ),
  ).toEqual([]);
});

test("a library that a cell refers to counts", async () => {
  expect(
    await notebook.problems(
      '/// <reference lib="dom" />\nlet box: HTMLElement | undefined; document.body;\nbox.nope',
    ),
  ).toEqual([
    "3:1 TS18048: 'box' is possibly 'undefined'. What may be missing is read by ?.: write box?.nope.",
    "3:5 TS2339: Property 'nope' does not exist on type 'HTMLElement'.",
  ]);
});

test("an import that Node does not load is answered with what to do", async () => {
  expect(await notebook.problems('import d3 from "https://esm.sh/d3@7"')).toEqual([
    `1:16 TS2307: Node does not load 'https://esm.sh/d3@7'. It is a package of npm: %npm install d3@7, then import from "d3".`,
  ]);
});

test("a name in brackets that the library's namespaces, tables and columns have not is an error; of own objects it is none", async () => {
  await notebook.run(
    'import { data, functional, nn, torch } from "mpslab"; const rents = data.readCsv("a,b\\n1,2\\n");',
  );
  expect(
    await notebook.problems('[torch["foo"], nn["Lin"], functional["rel"], torch["add"], nn["Linear"]]'),
  ).toEqual([
    "1:2 TS7053: Property 'foo' does not exist on type 'typeof torch'.",
    "1:16 TS7053: Property 'Lin' does not exist on type 'typeof nn'.",
    "1:38 TS2551: Property 'rel' does not exist on type 'typeof functional'.",
  ]);
  expect(await notebook.problems('[rents["rent"], rents["names"], rents.column("a")["mode"]]')).toEqual([
    '1:2 TS7053: A table is not indexed by brackets: write rents.column("rent").',
    "1:33 TS7053: A column is not indexed by brackets: column.get(0) is its first value.",
  ]);
  expect(
    await notebook.problems(
      'const seen = {}; const word = "a" as string; seen[word] = 1; [seen["b"], torch[word], globalThis["c"], rents.get(0)["a"]];',
    ),
  ).toEqual([]);
});
