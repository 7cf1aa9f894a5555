// Errors in lines of cells: name, message, code frame, stack, causes; nothing of this program's own.
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ErrorContent } from "../../../kernel/session/channel.ts";
import { Notebook, traceback } from "../session/notebook.ts";

let notebook: Notebook;
beforeAll(() => {
  notebook = new Notebook({
    "data.ts":
      "interface Row { x: number }\n\nexport function load(row: Row): number {\n  throw new RangeError(`row ${row.x}`);\n}",
  });
});
afterAll(() => notebook.close());

describe("a traceback", () => {
  it("points at the line and column of the cell", async () => {
    const run = await notebook.run(
      'interface Options { rate: number }\nconst options: Options = { rate: 1 };\nthrow new TypeError("bad");',
    );
    const name = run.done.cell.replace(/cell-(\d+)/, "Cell [$1]");
    expect(traceback(run)).toBe(
      [
        "TypeError: bad",
        "  1 | interface Options { rate: number }",
        "  2 | const options: Options = { rate: 1 };",
        '> 3 | throw new TypeError("bad");',
        "    |       ^",
        `    at ${name}:3:7`,
      ].join("\n"),
    );
  });

  it("goes through functions of other cells and through awaits", async () => {
    const definition = await notebook.run(
      "async function fetchRow(): Promise<never> {\n  await 1;\n  throw new Error('gone');\n}",
    );
    const defined = definition.done.cell.replace(/cell-(\d+)/, "Cell [$1]");
    const run = await notebook.run("async function train() { await fetchRow(); }\nawait train();");
    const name = run.done.cell.replace(/cell-(\d+)/, "Cell [$1]");
    expect(
      traceback(run)
        .split("\n")
        .filter((line) => line.startsWith("    at ")),
    ).toEqual([
      `    at fetchRow (${defined}:3:9)`,
      `    at async train (${name}:1:26)`,
      `    at async ${name}:2:1`,
    ]);
  });

  it("shows lines of local TypeScript files", async () => {
    const run = await notebook.run('import { load } from "./data.ts";\nload({ x: 3 });');
    expect(traceback(run)).toContain("> 4 |   throw new RangeError(`row ${row.x}`);\n");
    expect(traceback(run)).toContain(`    at load (${notebook.directory}/data.ts:4:9)`);
  });

  it("tells causes and the errors of an AggregateError", async () => {
    const run = await notebook.run(`
      const inner = new RangeError("too large");
      throw new AggregateError([new Error("first"), "second"], "several", { cause: inner });`);
    const lines = traceback(run)
      .split("\n")
      .filter((line) => /^(\S| {2}\[)/.test(line) && !line.startsWith(">"));
    expect(lines).toEqual([
      "AggregateError: several",
      "Caused by: RangeError: too large",
      "  [0] Error: first",
      "  [1] 'second'",
    ]);
  });

  it("ends for causes that lead in a circle", async () => {
    const run = await notebook.run(
      'const a = new Error("a"); const b = new Error("b", { cause: a }); a.cause = b; throw a;',
    );
    expect(
      traceback(run)
        .split("\n")
        .filter((line) => /^(\w+: |Caused)/.test(line)),
    ).toEqual(["Error: a", "Caused by: Error: b"]);
  });

  it("has neither files of this program nor inserted code in it", async () => {
    const run = await notebook.run(
      'import { torch } from "mpslab";\nfor (let epoch = 0; epoch < 1; epoch++) torch.ones([2]).add(torch.ones([3]));',
    );
    expect(traceback(run)).not.toMatch(/__mpslab|\/dist\/|node:/);
    expect(traceback(run)).toMatch(/^ {4}at Cell \[\d+\]:2:\d+$/m);
  });

  it("points at the cell that made a function, also when later cells shared its count unseen", async () => {
    const { done } = await notebook.run("function failing(): never {\n  throw new Error('late');\n}");
    const count = Number(done.cell.replace("cell-", ""));
    await notebook.run("'peek'", { count, silent: true, storeHistory: false });
    await notebook.run("'look'", { count, storeHistory: false });
    const run = await notebook.run("failing()");
    expect(traceback(run)).toContain("> 2 |   throw new Error('late');\n");
    expect(traceback(run)).toContain(`    at failing (Cell [${count}]:2:9)`);
  });

  it.each([
    ["using", "using a = { [Symbol.dispose]() { throw new RangeError('d') } };"],
    ["await using", "await using b = { async [Symbol.asyncDispose]() { throw new RangeError('d') } };"],
  ])("tells the error before what a failing disposal of `%s` threw", async (_kind, declaration) => {
    const run = await notebook.run(`{\n  ${declaration}\n  throw new TypeError("first");\n}`);
    expect(run.done.error).toMatchObject({ ename: "TypeError", evalue: "first" });
    const lines = traceback(run).split("\n");
    expect(lines.filter((line) => /^\S.*: /.test(line) && !line.startsWith(">"))).toEqual([
      "TypeError: first",
      "While disposing: RangeError: d",
    ]);
    expect(lines).toContain('> 3 |   throw new TypeError("first");');
    expect(traceback(run)).not.toContain("usingCtx");
  });

  it("tells all disposals that failed, in their order, also beneath something that is no error", async () => {
    const run = await notebook.run(`{
      const failing = (name) => ({ [Symbol.dispose]() { throw new Error(name) } });
      using a = failing("second"), b = failing("first");
      throw 5;
    }`);
    expect(run.done.error).toMatchObject({ ename: "Uncaught", evalue: "5" });
    expect(traceback(run).match(/^(Uncaught|While).*$/gm)).toEqual([
      "Uncaught 5",
      "While disposing: Error: first",
      "While disposing: Error: second",
    ]);
  });

  it("begins with the name of the class, where the class inherits that of a built-in", async () => {
    const run = await notebook.run(
      "class ShapeMismatch extends RangeError {} class Deeper extends ShapeMismatch {}; throw new Deeper('x')",
    );
    expect(run.done.error?.ename).toBe("Deeper");
    expect(traceback(run)).toMatch(/^Deeper: x\n/);
  });

  it("of a user expression points into the expression", async () => {
    const { done } = await notebook.run("1+1", { userExpressions: { total: "null.x" } });
    const result = done.userExpressions["total"] as ErrorContent;
    expect(stripVTControlCharacters(result.traceback.join("\n"))).toBe(
      [
        "TypeError: Cannot read properties of null (reading 'x')",
        "> 1 | null.x",
        "    |      ^",
        '    at user expression "total":1:6',
      ].join("\n"),
    );
  });

  it("is coloured", async () => {
    const { done } = await notebook.run('throw new Error("x")');
    expect(done.error?.traceback[0]).toBe("\x1b[1;31mError\x1b[0m: x");
  });
});

describe("what is thrown may be anything", () => {
  it.each([
    ["throw 5", "Uncaught", "5"],
    ['throw "text"', "Uncaught", "text"],
    ["throw undefined", "Uncaught", "undefined"],
    ["throw { code: 7 }", "Uncaught", "{ code: 7 }"],
    [
      "class OwnError extends Error { override name = 'OwnError' }; throw new OwnError('mine')",
      "OwnError",
      "mine",
    ],
    ["class Unnamed extends Error {}; throw new Unnamed('mine')", "Unnamed", "mine"],
    ["throw Object.assign(new RangeError('x'), { name: 'Renamed' })", "Renamed", "x"],
    ["throw new DOMException('x', 'AbortError')", "AbortError", "x"],
    ["throw Object.assign(new Error('x'), { stack: 5 })", "Error", "x"],
    [
      "throw require('node:vm').runInNewContext('new TypeError(\"other realm\")')",
      "TypeError",
      "other realm",
    ],
    [
      "const { proxy, revoke } = Proxy.revocable(new Error(), {}); revoke(); throw proxy",
      "Error",
      "The error that was thrown cannot be read.",
    ],
  ])("%s", async (code, ename, evalue) => {
    const { done } = await notebook.run(code);
    expect(done.error).toMatchObject({ ename, evalue });
  });
});
