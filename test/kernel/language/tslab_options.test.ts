// Tests that a notebook that imports tslab is checked as loosely as tslab checks it, from that cell on.
import { afterEach, describe, expect, test } from "vitest";
import { TYPESCRIPT_DEFAULTS } from "../../../kernel/cell/names.ts";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
const open = (files: Record<string, string> = {}): NotebookSession => (notebook = new NotebookSession(files));
afterEach(() => notebook.close());

const NULL = "const text: string = null;";
const NULL_REFUSED =
  "1:7 TS2322: Type 'null' is not assignable to type 'string'. What may be null says so: write text: string | null.";
/** What a strict notebook refuses and tslab runs. */
const LOOSE = [
  NULL,
  "class Point { x: number; y: number }",
  "try { JSON.parse('{'); } catch (error) { error.message; }",
  "const first = [1, 2].find((n) => n > 1); first.toFixed();",
  "function area(this, r) { return this.pi * r; }",
  "let later; const use = (n: number) => n; use(later);",
];

/** The kernel asks for a cell's options before it compiles it. */
async function run(text: string): Promise<string[]> {
  await notebook.service.typeScriptOptions(text);
  return notebook.run(text);
}

describe("a notebook that imports tslab", () => {
  test.each([
    'import * as tslab from "tslab";',
    "import { display } from 'tslab';",
    'const tslab = require("tslab");',
    'const tslab = await import("tslab");',
  ])("is checked as tslab checks it, from this cell on: %s", async (cell) => {
    open();
    await run("const before: string[] = [];");
    expect(await run(NULL)).toEqual([NULL_REFUSED]);
    expect(await run(`${cell} const own: string = null;`)).toEqual([]);
    for (const loose of LOOSE) expect(await run(loose)).toEqual([]);
    expect(await notebook.typeOf("before")).toBe("string[]");
    expect(await run("const n: number = 'text'")).toEqual([
      "1:7 TS2322: Type 'string' is not assignable to type 'number'.",
    ]);
  });

  test("is told so once", async () => {
    open();
    await run('import * as tslab from "tslab";');
    expect(notebook.service.takeNote()).toBe(
      "This notebook imports tslab: its cells are checked as loosely as in tslab from here on.",
    );
    await run('import * as again from "tslab";');
    expect(notebook.service.takeNote()).toBeNull();
  });

  test("has decorators of the older kind", async () => {
    open();
    expect(await notebook.service.typeScriptOptions('import * as tslab from "tslab";')).toEqual({
      ...TYPESCRIPT_DEFAULTS,
      experimentalDecorators: true,
    });
    const cell = "const log = (target: object, key: string) => {}; class A { @log run() {} }";
    expect(await run(cell)).toEqual([]);
  });

  test("keeps the types of tensors", async () => {
    open();
    await run('import * as tslab from "tslab"; import { torch } from "mpslab";');
    expect(await run("const x = torch.ones([2, 3]), y = x.matmul(torch.ones([3, 4]));")).toEqual([]);
    expect(await notebook.typeOf("y")).toBe('Tensor<[2, 4], "float32">');
  });

  test("is checked under the folder's tsconfig where there is one, and says nothing", async () => {
    open({ "tsconfig.json": '{ "compilerOptions": { "strict": true } }' });
    await run('import * as tslab from "tslab";');
    expect(await run(NULL)).toEqual([NULL_REFUSED]);
    expect(notebook.service.takeNote()).toBeNull();
  });
});

test("a notebook that only speaks of tslab stays strict", async () => {
  open();
  await run('const name = "tslab"; // import tslab');
  expect(await run(NULL)).toEqual([NULL_REFUSED]);
});
