// Errors in lines of cells: name, message, code frame, stack, causes; nothing of this program's own.
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ErrorContent } from "../../../../kernel/session/channel.ts";
import { Notebook, traceback } from "../../session/notebook.ts";

let notebook: Notebook;
beforeAll(() => {
  notebook = new Notebook({
    "data.ts":
      "interface Row { x: number }\n\nexport function load(row: Row): number {\n  throw new RangeError(`row ${row.x}`);\n}",
    "node_modules/fragile/package.json": '{ "name": "fragile", "type": "module", "exports": "./index.js" }',
    "node_modules/fragile/index.js": "export function boom() {\n  throw new TypeError('not today');\n}",
    "node_modules/broken/package.json": '{ "name": "broken", "type": "module", "exports": "./index.js" }',
    "node_modules/broken/index.js": "let x = 1;\nexport const y = = 3;\n",
    "broken.ts": "export const = 3;\n",
    "broken.cjs": "let x = 1;\nlet y = = 3;\n",
    "imports_broken.ts": 'import "./broken.ts";',
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

  it("shows the place of a cause that was thrown at the same one once", async () => {
    const run = await notebook.run('import { torch } from "mpslab";\ntorch.load("nothing.pt");');
    expect(traceback(run).split("\n")).toEqual([
      "Error: torch.load: there is no file nothing.pt.",
      '  1 | import { torch } from "mpslab";',
      '> 2 | torch.load("nothing.pt");',
      "    |       ^",
      expect.stringMatching(/^ {4}at Cell \[\d+\]:2:7$/),
      "Caused by: Error: ENOENT: no such file or directory, open 'nothing.pt'",
      "{ errno: -2, code: 'ENOENT', syscall: 'open', path: 'nothing.pt' }",
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
    expect(done.error?.traceback[0]).toBe("\x1b[1mError\x1b[0m: x");
  });
});

describe("what a traceback tells of", () => {
  it.each([
    ['throw "text"', "Uncaught text", 1],
    ["const fail = (what: unknown) => { throw what };\nfail({ code: 7 })", "Uncaught { code: 7 }", 2],
    ["try { throw 'first' } catch (e) { throw e }", "Uncaught first", 1],
  ])("something that is no error: where it was thrown: %s", async (code, heading, frames) => {
    const lines = traceback(await notebook.run(code)).split("\n");
    expect(lines[0]).toBe(heading);
    expect(lines.filter((line) => line.startsWith("    at "))).toHaveLength(frames);
    expect(lines[1]).toBe(`> 1 | ${code.split("\n")[0]}`);
  });

  it("what an error carries beside its message", async () => {
    const run = await notebook.run(
      "class HttpError extends Error { status = 404; body = { a: { b: { c: 1 } } } }; throw new HttpError('gone')",
    );
    expect(traceback(run).split("\n").slice(0, 2)).toEqual([
      "HttpError: gone",
      "{ status: 404, body: { a: [Object] } }",
    ]);
    const missing = await notebook.run("require('node:fs').readFileSync('/nowhere')");
    expect(traceback(missing)).toContain("code: 'ENOENT', syscall: 'open', path: '/nowhere' }");
  });

  it("a package: its path, and the cell's line that called it", async () => {
    const run = await notebook.run('import { boom } from "fragile";\nboom();');
    const name = run.done.cell.replace(/cell-(\d+)/, "Cell [$1]");
    expect(traceback(run)).toBe(
      [
        "TypeError: not today",
        '  1 | import { boom } from "fragile";',
        "> 2 | boom();",
        "    | ^",
        `    at boom (${notebook.directory}/node_modules/fragile/index.js:2:9)`,
        `    at ${name}:2:1`,
      ].join("\n"),
    );
  });

  it.each([
    ['import { y } from "broken";', "node_modules/broken/index.js:2:18", ":1:1"],
    ['import "./broken.ts";', "broken.ts:1:14", ":1:1"],
    ['require("./broken.cjs");', "broken.cjs:2:9", ":1:1"],
    ['await import("./imports_broken.ts");', "broken.ts:1:14", ""],
  ])("a file that does not parse: its path and place: %s", async (code, place, importer) => {
    for (const _time of ["first", "again, from Node's cache"]) {
      const run = await notebook.run(code);
      expect(run.done.error?.ename).toBe("SyntaxError");
      const name = run.done.cell.replace(/cell-(\d+)/, "Cell [$1]");
      const frames = traceback(run).match(/(?<=^ {4}at ).*$/gm);
      const expected = [`${notebook.directory}/${place}`, ...(importer ? [`${name}${importer}`] : [])];
      expect(frames).toEqual(expected);
    }
  });

  it("a function that calls itself: its line once", async () => {
    const run = await notebook.run(
      "function deep(n: number): number {\n  return deep(n + 1) + 1;\n}\ndeep(0)",
    );
    const lines = traceback(run).split("\n");
    expect(lines[0]).toBe("RangeError: Maximum call stack size exceeded");
    expect(lines.filter((line) => line.includes("at deep")).length).toBeLessThan(4);
    expect(lines.at(-1)).toMatch(/^ {4}\.\.\. the same line \d+ more times$/);
  });

  it("the innermost and the outermost frames of a deep stack", async () => {
    const functions = Array.from({ length: 40 }, (_, n) => `function f${n}() {\n  return f${n + 1}();\n}`);
    const run = await notebook.run(
      `${functions.join("\n")}\nfunction f40() { throw new Error("deep") }\nf0();`,
    );
    const lines = traceback(run).match(/(?<=^ {4})\S.*$/gm) ?? [];
    expect(lines).toHaveLength(21);
    expect(lines[0]).toMatch(/^at f40 /);
    expect(lines.slice(-4)).toEqual([
      "... 22 more frames",
      expect.stringMatching(/^at f1 /),
      expect.stringMatching(/^at f0 /),
      expect.stringMatching(/^at Cell/),
    ]);
  });

  it.each([
    ["throw new Error('x'.repeat(1_000_000))", /^x{10000}\n\.\.\. 990,000 more characters$/],
    ["throw new Error('line\\n'.repeat(5_000))", /^(line\n){100}\.\.\. 24,501 more characters$/],
    ["throw 'x'.repeat(1_000_000)", /^x{10000}\n\.\.\. 990,000 more characters$/],
  ])("the beginning of a huge message: %s", async (code, message) => {
    const run = await notebook.run(code);
    expect(run.done.error?.evalue).toMatch(message);
    expect(traceback(run).length).toBeLessThan(12_000);
  });

  it("a long chain of causes, and errors that hold themselves, to an end", async () => {
    const chain = await notebook.run(
      "let e = new Error('0'); for (let i = 1; i < 100; i++) e = new Error(`${i}`, { cause: e }); throw e",
    );
    expect(traceback(chain).match(/Caused by/g)).toHaveLength(7);
    const circle = await notebook.run(
      "const all = new AggregateError([], 'all'); all.errors.push(all, new Error('one')); throw all",
    );
    expect(traceback(circle).match(/^ {0,2}(\[\d\] )?\w*Error: .*$/gm)).toEqual([
      "AggregateError: all",
      "  [1] Error: one",
    ]);
  });
});

describe("an error that a cell prints", () => {
  it("has lines of cells in it, and nothing of this program's or Node's", async () => {
    const run = await notebook.run(
      "function risky(): never { throw new RangeError('n') }\n" +
        "try { risky() } catch (error) { console.log(error); console.log((error as Error).stack) }",
    );
    const name = run.done.cell.replace(/cell-(\d+)/, "Cell [$1]");
    const text = `RangeError: n\n    at risky (${name}:1:33)\n    at ${name}:2:7\n`;
    expect(run.stdout).toBe(text + text);
  });

  it("or shows as its value", async () => {
    const run = await notebook.run("new TypeError('as a value')");
    expect(run.text).toMatch(/^TypeError: as a value\n {4}at Cell \[\d+\]:1:1$/);
  });
});

describe("an error after the cell's end", () => {
  it.each([
    ["a timer", "setTimeout(() => { throw new Error('late') }, 1)"],
    ["a rejected promise", "Promise.reject(new Error('late'))"],
    ["an async function", "(async () => { await null; throw new Error('late') })()"],
    ["a microtask", "queueMicrotask(() => { throw new Error('late') })"],
    ["nextTick", "process.nextTick(() => { throw new Error('late') })"],
    ["setImmediate", "setImmediate(() => { throw new Error('late') })"],
    [
      "an emitter's unheard error",
      "const emitter = new (require('node:events'))(); setTimeout(() => emitter.emit('error', new Error('late')))",
    ],
    [
      "a finalizer",
      "const registry = new FinalizationRegistry(() => { throw new Error('late') });" +
        "(() => registry.register({}, 0))(); const v8 = require('node:v8'); v8.setFlagsFromString('--expose-gc');" +
        "setTimeout(() => require('node:vm').runInNewContext('gc')(), 1)",
    ],
  ])("of %s is told where it began, and is not fatal", async (_kind, code) => {
    const { cell, end } = notebook.start(
      `void (${code.includes(";") ? `() => { ${code} }` : `() => ${code}`})();`,
    );
    await end;
    await notebook.message((message) => message.type === "lateError" && message.cell === cell);
    const [error] = notebook.collect(cell).lateErrors;
    expect(error).toMatchObject({ ename: "Error", evalue: "late" });
    expect(stripVTControlCharacters(error?.traceback.join("\n") ?? "")).toContain(
      `at ${cell.replace(/cell-(\d+)/, "Cell [$1]")}:1:`,
    );
    expect(notebook.deaths).toEqual([]);
  });

  it("that is a revoked proxy is not fatal either", async () => {
    const { cell } = notebook.start(
      "const revocable = Proxy.revocable(new Error(), {}); revocable.revoke();\n" +
        "setTimeout(() => { throw revocable.proxy });",
    );
    await notebook.message((message) => message.type === "lateError" && message.cell === cell);
    expect(notebook.collect(cell).lateErrors).toMatchObject([{ evalue: "<Revoked Proxy>" }]);
    expect(notebook.deaths).toEqual([]);
  });

  it("that is handled after all is told so, without Node's warning", async () => {
    const { cell } = notebook.start(
      "const failing = Promise.reject(new Error('early')); setTimeout(() => failing.catch(() => {}), 5);",
    );
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    expect(notebook.collect(cell).stderr).toBe(
      "A rejected promise, reported above as an error, has been handled after all.\n",
    );
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
      "Uncaught",
      "<Revoked Proxy>",
    ],
    [
      "throw new Proxy(new Error('x'), { get() { throw new Error('trap') } })",
      "Error",
      "What was thrown cannot be read.",
    ],
    [
      "class Sly extends Error { override get message(): string { throw new Error('no') } }; throw new Sly()",
      "Sly",
      "(its message cannot be read: reading it throws)",
    ],
    ["throw new (class extends Error { override get stack(): string { throw 1 } })('kept')", "Error", "kept"],
    ["throw Object.create(Error.prototype)", "Error", ""],
    ["throw Symbol('s')", "Uncaught", "Symbol(s)"],
    ["throw null", "Uncaught", "null"],
  ])("%s", async (code, ename, evalue) => {
    const { done } = await notebook.run(code);
    expect(done.error).toMatchObject({ ename, evalue });
  });
});
