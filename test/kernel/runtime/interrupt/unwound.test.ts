// Code that V8 can only unwind, wherever it runs: an interrupt ends it in about two seconds and keeps the state, though
// no `finally` runs.
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageFiles, preparation } from "./interrupted_places.ts";
import { Notebook } from "../../session/notebook.ts";

describe("an interrupt keeps the state and ends", () => {
  const UNWOUND =
    "The code was stopped inside a package or a built-in function; variables keep their values, but `finally` blocks " +
    "around it did not run.";
  const BACKTRACK = '/(a+)+$/i.test("a".repeat(60) + "b");';
  let notebook: Notebook;
  beforeAll(async () => {
    const matcher = `
      export const match = (callback) => { ${BACKTRACK} callback?.(); };
      export function* lines() { for (;;); }
      export async function later() { await null; for (;;); }
      export async function* ticks() { yield 1; console.log("begun"); for (;;); }`;
    const files = {
      ...packageFiles,
      "node_modules/matcher/package.json": '{ "name": "matcher", "type": "module", "exports": "./index.js" }',
      "node_modules/matcher/index.js": matcher,
      "node_modules/matcher/endless.js": 'console.log("begun"); for (;;);',
      "endless.ts": 'console.log("begun"); for (;;);\nexport {};',
    };
    notebook = new Notebook(files, { interruptDeadlineMs: 60_000 });
    await notebook.run(`${preparation} import { later, lines, match, ticks } from "matcher";`);
  });
  afterAll(() => notebook.close());

  async function interrupted(code: string) {
    const { cell, end } = notebook.start(code);
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    notebook.interrupt();
    return await end;
  }
  const pending = "await new Promise(() => {});";

  it.each([
    ["a regular expression", `console.log("begun"); ${BACKTRACK}`],
    ["a regular expression after an await", `await 1; console.log("begun"); ${BACKTRACK}`],
    ["one in a timer", `setTimeout(() => { console.log("begun"); ${BACKTRACK} }, 1); ${pending}`],
    ["one in an interval", `setInterval(() => { console.log("begun"); ${BACKTRACK} }, 1); ${pending}`],
    ["one in an immediate", `setImmediate(() => { console.log("begun"); ${BACKTRACK} }); ${pending}`],
    ["one in process.nextTick", `process.nextTick(() => { console.log("begun"); ${BACKTRACK} }); ${pending}`],
    [
      "one in a promise's handler",
      `await Promise.resolve().then(() => { console.log("begun"); ${BACKTRACK} });`,
    ],
    [
      "one in a function that others wait for",
      `const find = async () => { await 1; console.log("begun"); ${BACKTRACK} }; await find();`,
    ],
    [
      "one in a callback of Node's",
      `(await import("node:fs")).stat("/", () => { console.log("begun"); ${BACKTRACK} }); ${pending}`,
    ],
    [
      "one in an AsyncResource",
      `const { AsyncResource } = await import("node:async_hooks"); new AsyncResource("x").runInAsyncScope(() => { console.log("begun"); ${BACKTRACK} });`,
    ],
    ["one in a package after an await", 'await 1; console.log("begun"); match();'],
    [
      "one that Node's own code runs",
      `const { inspect } = await import("node:util"); inspect({ [inspect.custom]: () => { console.log("begun"); match(); } });`,
    ],
    [
      "one in how a value shows itself",
      `({ [Symbol.for("Jupyter.display")]: () => { console.log("begun"); ${BACKTRACK} } })`,
    ],
    [
      "one in how a value is inspected",
      `({ [Symbol.for("nodejs.util.inspect.custom")]: () => { console.log("begun"); ${BACKTRACK} } })`,
    ],
    [
      "one in how an error shows itself",
      `throw { [Symbol.for("nodejs.util.inspect.custom")]: () => { console.log("begun"); ${BACKTRACK} } }`,
    ],
    ["a package's generator after an await", 'await 1; console.log("begun"); lines().next();'],
    ["a package's async function", 'console.log("begun"); await later();'],
    // The package prints: between two steps of the generator the cell's own loop has a check.
    ["a package's async generator", "for await (const tick of ticks());"],
    ["a package's module that never ends", 'await import("./node_modules/matcher/endless.js");'],
    ["a module of the notebook's that never ends", 'await import("./endless.ts");'],
  ])("%s", async (_name, code) => {
    await notebook.run("kept += 1;");
    const kept = (await notebook.run("kept")).text;
    const run = await interrupted(code);
    expect(run.done.error).toMatchObject({ ename: "KeyboardInterrupt", evalue: UNWOUND });
    expect(stripVTControlCharacters(run.done.error!.traceback.join("\n"))).toMatch(
      /^ {4}at .*(?:Cell \[\d+\]|matcher\/\w+\.js|endless\.ts):1:\d+/m,
    );
    const next = await notebook.run(
      'await new Promise((resolve) => setTimeout(resolve, 5)); console.log("next"); await Promise.resolve(kept)',
    );
    expect([next.done.error, next.stdout, next.text]).toEqual([undefined, "next\n", kept]);
    expect(notebook.deaths).toEqual([]);
  });

  it("a collection of what was left of the code does not end the process", async () => {
    const run = await interrupted(`await 1; console.log("begun"); ${BACKTRACK}`);
    expect(run.done.error?.evalue).toBe(UNWOUND);
    const collected = await notebook.run(`(await import("node:v8")).setFlagsFromString("--expose-gc");
      const collect = (await import("node:vm")).runInNewContext("gc") as () => void;
      for (let i = 0; i < 3; i++) { collect(); await new Promise((resolve) => setTimeout(resolve, 5)); }
      "alive"`);
    expect([collected.text, notebook.deaths]).toEqual(["'alive'", []]);
  });

  it("a timer after its cell's end, which tells it late", async () => {
    const { done } = await notebook.run(`setTimeout(() => { console.log("begun"); ${BACKTRACK} }, 1);`);
    await notebook.message((message) => message.type === "stream" && message.cell === done.cell);
    notebook.interrupt();
    const late = await notebook.message(
      (message) => message.type === "lateError" && message.cell === done.cell,
    );
    expect(late).toMatchObject({ error: { ename: "KeyboardInterrupt", evalue: UNWOUND } });
    expect((await notebook.run("await 1; kept > 42")).text).toBe("true");
  });

  it("cells of other subshells end as well, and their subshells go on", async () => {
    const { end: other } = notebook.start(pending, { subshell: "other" });
    const run = await interrupted(`await 1; console.log("begun"); ${BACKTRACK}`);
    expect(run.done.error?.evalue).toBe(UNWOUND);
    expect((await other).done.error?.ename).toBe("KeyboardInterrupt");
    expect((await notebook.run("await 1; 'alive'", { subshell: "other" })).text).toBe("'alive'");
  });
});
