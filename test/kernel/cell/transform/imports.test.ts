// Imports: what of them runs, where the names go, and which of them may fail.
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../../../../kernel/cell/analyze.ts";
import { compile } from "../../../../kernel/cell/compile.ts";
import { Evaluator } from "../../../helpers/evaluator.ts";

const notebook = new Evaluator();
notebook.modules.set("m", { default: "default", a: "a", b: "b", "not an identifier": "odd" });
beforeEach(() => void notebook.calls.splice(0));
afterAll(() => notebook.close());

describe("an import gives the cell", () => {
  it.each([
    ["a name", 'import { a } from "m"; a', "a"],
    ["a name under another", 'import { a as first } from "m"; first', "a"],
    ["a name that is a string", 'import { "not an identifier" as odd } from "m"; odd', "odd"],
    ["the default", 'import anything from "m"; anything', "default"],
    ["the default and names", 'import anything, { a, b } from "m"; [anything, a, b]', ["default", "a", "b"]],
    ["the default by its name", 'import { default as d } from "m"; d', "default"],
    ["the default and all", 'import d2, * as all from "m"; [d2, all.a]', ["default", "a"]],
    ["all", 'import * as all from "m"; all.b', "b"],
    ["a CommonJS module", 'import path = require("node:path"); path.posix.sep', "/"],
    [
      "a name that is imported below its use",
      'const early = below; import { a as below } from "m"; early',
      "a",
    ],
    ["undefined for what may be a type", 'import { Missing } from "m"; Missing', undefined],
    ["a module by expression", 'const { a: late } = await import("m"); late', "a"],
    ["a name of its own in a function", 'import { a } from "m"; function read() { return a } read()', "a"],
  ])("%s", async (_, text, value) => {
    expect(await notebook.run(text)).toEqual(value);
  });
});

describe("what is left to run of", () => {
  const imported = async (text: string) => {
    await notebook.run(text);
    return notebook.calls;
  };

  it("an import without names is the module's own doing", async () => {
    expect(await imported('import "m"')).toEqual(["import m"]);
  });

  it("an import that this cell does not use is the import, as a later cell may use it", async () => {
    expect(await imported('import { b as later } from "m"')).toEqual(["import m"]);
    expect(await notebook.run("later")).toBe("b");
  });

  it("an import of types is nothing", async () => {
    expect(
      await imported('import type { A } from "missing"; import { type B, type C } from "missing"'),
    ).toEqual([]);
  });

  it("a list of types and values is the values", async () => {
    expect(await imported('import { type A, b } from "m"; b')).toEqual(["import m"]);
  });

  it("import attributes goes to the runtime", async () => {
    notebook.modules.set("./data.json", { default: { rows: 3 } });
    expect(await notebook.run('import table from "./data.json" with { type: "json" }; table')).toEqual({
      rows: 3,
    });
    expect(notebook.calls).toEqual(['import ./data.json {"with":{"type":"json"}}']);
  });
});

describe("an import below a step that sets the environment loads its module after it", () => {
  const PROBE = "MPSLAB_TEST_PROBE";
  const load = {
    get seen() {
      return process.env[PROBE];
    },
  };
  beforeEach(() => {
    delete process.env[PROBE];
    notebook.modules.set("reader", load);
  });
  afterAll(() => void delete process.env[PROBE]);

  it.each([
    ["process.env.A = ...", `process.env.${PROBE} = "1";`],
    ["process.env[...] ??= ...", `process.env["${PROBE}"] ??= "1";`],
    ["a value of the cell's own", `const n = 1; process.env.${PROBE} = String(n);`],
    ["a branch", `if (!process.env.${PROBE}) { process.env.${PROBE} = "1"; }`],
    ["Object.assign", `Object.assign(process.env, { ${PROBE}: "1" });`],
    ["a whole new environment", `process.env = { ...process.env, ${PROBE}: "1" };`],
  ])("%s", async (_, step) => {
    expect(await notebook.run(`${step}\nimport { seen } from "reader";\nseen`)).toBe("1");
    expect(notebook.calls).toEqual(["import reader"]);
  });

  it.each(["env A=1", "metal simulated 4GB"])("a magic that sets a variable: %s", async (magic) => {
    await notebook.run(`%${magic}\nimport { a } from "m"; a`);
    expect(notebook.calls).toEqual([`magic ${magic}`, "import m"]);
  });

  it("delete process.env.A", async () => {
    process.env[PROBE] = "1";
    expect(await notebook.run(`delete process.env.${PROBE}; import { seen } from "reader"; seen`)).toBe(
      undefined,
    );
  });

  it.each([
    ["an import above it", `import { seen } from "reader"; process.env.${PROBE} = "1"; seen`],
    ["a name that is used above it", `seen; process.env.${PROBE} = "1"; import { seen } from "reader"; seen`],
    ["a variable that is only read", `process.env.${PROBE}; import { seen } from "reader"; seen`],
    [
      "a function that is not called yet",
      `const set = () => { process.env.${PROBE} = "1"; }; import { seen } from "reader"; seen`,
    ],
  ])("but not for %s", async (_, text) => {
    expect(await notebook.run(text)).toBe(undefined);
  });

  it("and the cell's functions see its names", async () => {
    const text = `function read() { return a } process.env.${PROBE} = "1"; import d, { a } from "m"; import * as all from "m"; [read(), d, all.b]`;
    expect(await notebook.run(text)).toEqual(["a", "default", "b"]);
    expect(await notebook.run("[read(), all.a]")).toEqual(["a", "a"]);
  });

  it("and a cell of types alone loads nothing", async () => {
    const text = `process.env.${PROBE} = "1"; import type { A } from "missing"; import { B } from "missing"; let b: B | null = null; 1`;
    expect(await notebook.run(text)).toBe(1);
  });
});

describe("a module that cannot be found", () => {
  it("fails the cell", async () => {
    await expect(notebook.run('import { x } from "no-such-package"')).rejects.toThrow("no-such-package");
  });

  it("fails no cell that uses its names as types alone, and the functions of the cell are there", async () => {
    const text =
      'import { Node, Comment } from "no-such-package"; let n: Node | null = null; const c: Comment[] = []; 1';
    expect(await notebook.run(text)).toBe(1);
  });

  it("fails a cell that uses one of its names as a value", async () => {
    const text = 'import { Node, parse } from "no-such-package"; let n: Node = parse()';
    await expect(notebook.run(text)).rejects.toThrow("no-such-package");
  });
});

it("import.meta and import() are the session's, in functions too; require is left alone", async () => {
  expect(await notebook.run("(() => import.meta.url)()")).toBe("file:///notebook/");
  expect(await notebook.run('(async () => (await import("m")).b)()  instanceof Promise')).toBe(true);
  expect(notebook.calls).toEqual(["import m"]);
  const { code } = compile('require("node:path")', NO_BINDINGS, { script: "1", flush: true });
  expect(code).toContain('\nrequire("node:path");\n');
});
