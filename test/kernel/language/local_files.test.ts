// Tests that a local file with type errors of its own is told like a cell's, with its file and line.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
const open = (files: Record<string, string> = {}): NotebookSession => (notebook = new NotebookSession(files));
afterEach(() => notebook.close());

const BROKEN = "export const f = (x: number): string => x;\n";
const BROKEN_AT_41 =
  "./model.ts 1:41 TS2322: Type 'number' is not assignable to type 'string'. A number is no text: write String(x).";

describe("a local file with a type error", () => {
  test("is told to the cell that imports it, with its line, each time", async () => {
    open({ "model.ts": BROKEN });
    expect(await notebook.problems('import { f } from "./model.ts"')).toEqual([BROKEN_AT_41]);
    expect(await notebook.problems('import { f } from "./model.ts"; f(1)')).toEqual([BROKEN_AT_41]);
  });

  test("is told behind the cell's own errors", async () => {
    open({ "model.ts": BROKEN });
    expect(await notebook.problems('import { f } from "./model.ts"; f("a")')).toEqual([
      "1:35 TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
      BROKEN_AT_41,
    ]);
  });

  test("is told where another file imports it, in a circle too", async () => {
    open({
      "main.ts": 'export { f } from "./model";\nexport const n = 1;',
      "model.ts": `${BROKEN}import { n } from "./main.ts"; n;`,
    });
    expect(await notebook.problems('const { f } = await import("./main.js")')).toEqual([BROKEN_AT_41]);
  });

  test("is told when it lies outside of the notebook's folder", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "mpslab-language-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    notebook = new NotebookSession(
      { "../lib/é.ts": `export const é = "é"; ${BROKEN}` },
      path.join(folder, "notes"),
    );
    expect(await notebook.problems('import { f } from "../lib/é.ts"')).toEqual([
      "../lib/é.ts 1:63 TS2322: Type 'number' is not assignable to type 'string'. A number is no text: write String(x).",
    ]);
  });

  test("is told no more once it is mended, and again when another file breaks it", async () => {
    open({ "model.ts": BROKEN });
    await notebook.problems('import { f } from "./model.ts"');
    notebook.write("model.ts", 'import { n } from "./n.ts"; export const f = (): string => n;');
    notebook.write("n.ts", 'export const n = "n";');
    expect(await notebook.run('import { f } from "./model.ts"')).toEqual([]);
    notebook.write("n.ts", "export const n = 10;");
    expect(await notebook.problems('import { f } from "./model.ts"')).toEqual([
      "./model.ts 1:60 TS2322: Type 'number' is not assignable to type 'string'. A number is no text: write String(n).",
    ]);
  });

  test("is nothing that a cell without its import is told", async () => {
    open({ "model.ts": "export const n = 1;" });
    await notebook.run('import { n } from "./model.ts"');
    notebook.write("model.ts", BROKEN);
    expect(await notebook.problems("n + 1")).toEqual([]);
  });

  test.each([
    ["a pattern of the tsconfig's paths", "@app/model"],
    ["a subpath of the folder's package.json", "#app/model"],
  ])("is told when it is imported by %s", async (_, specifier) => {
    open({
      "tsconfig.json": '{ "compilerOptions": { "strict": true, "paths": { "@app/*": ["./*"] } } }',
      "package.json": '{ "imports": { "#app/*": "./*.ts" } }',
      "model.ts": BROKEN,
    });
    expect(await notebook.problems(`import { f } from "${specifier}"`)).toEqual([BROKEN_AT_41]);
  });
});

describe("a local file", () => {
  test("may leave types out, as a cell may", async () => {
    open({ "model.ts": "export function twice(x) { return x * 2; }" });
    expect(await notebook.problems('import { twice } from "./model.ts"')).toEqual([]);
  });

  test("of JavaScript is checked where the tsconfig says so", async () => {
    open({ "tool.js": "export const n = 1;\nn.toUpperCase();" });
    expect(await notebook.problems('import { n } from "./tool.js"')).toEqual([]);
    notebook.write("tsconfig.json", '{ "compilerOptions": { "allowJs": true, "checkJs": true } }');
    expect(await notebook.problems('import { n } from "./tool.js"')).toEqual([
      "./tool.js 2:3 TS2339: Property 'toUpperCase' does not exist on type '1'.",
    ]);
  });

  test("that does not parse is left to its import, and declarations to their package", async () => {
    open({ "broken.ts": "export const n = ;", "types.d.ts": "export const n: Missing;" });
    expect(await notebook.problems('import { n } from "./broken.ts"')).toEqual([]);
    expect(await notebook.problems('import { n } from "./types"')).toEqual([]);
  });

  test("with tensors gets the sentences of cells", async () => {
    open({ "model.ts": 'import { torch } from "mpslab";\nexport const x = torch.ones([2])[0];' });
    expect(await notebook.problems('import { x } from "./model.ts"')).toEqual([
      "./model.ts 2:18 TS7053: A tensor is not indexed by brackets: write torch.ones([2]).at(0).",
    ]);
  });
});
