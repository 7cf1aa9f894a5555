// What a cell's own code makes of the language's built-ins holds until that code has ended; a module's replacement stays.
import { afterAll, describe, expect, it } from "vitest";
import { Notebook } from "../session/notebook.ts";

const note = (names: string, [verb, pronoun] = ["is", "it"]): string =>
  `After this cell, ${names} ${verb} as before, because mpslab's own code uses ${pronoun} too. ` +
  "To replace a built-in for all cells, do it in a module, and import that.\n";

/** Cells that break a built-in, by the name in the note. */
const BROKEN: Readonly<Record<string, string>> = {
  "JSON.stringify": 'JSON.stringify = () => { throw new Error("broken"); };',
  "Array.prototype.map": 'Array.prototype.map = () => { throw new Error("broken"); };',
  "Array.prototype[Symbol.iterator]": "Array.prototype[Symbol.iterator] = undefined as any;",
  "Map.prototype.delete": 'Map.prototype.delete = () => { throw new Error("broken"); };',
  "Promise.prototype.then": 'Promise.prototype.then = () => { throw new Error("broken"); };',
  "Function.prototype.apply": 'Function.prototype.apply = () => { throw new Error("broken"); };',
  process: "(globalThis as any).process = undefined;",
  Promise: "(globalThis as any).Promise = null;",
  "Object.prototype.get": "(Object.prototype as any).get = () => 1;",
  "Object.prototype.type":
    'Object.defineProperty(Object.prototype, "type", { set() { throw new Error("set"); }, configurable: true });',
};

describe("after a cell has broken", () => {
  const notebook = new Notebook({}, { interruptDeadlineMs: 60_000 });
  afterAll(() => notebook.close());

  it.each(Object.entries(BROKEN))(
    "%s, it says so, and the next cells run, fail and stop",
    async (name, code) => {
      expect((await notebook.run(code)).stderr).toBe(note(name));
      expect((await notebook.run('console.log("text", { a: [1] });')).stdout).toBe("text { a: [ 1 ] }\n");
      expect((await notebook.run('\nthrow new TypeError("wrong");')).done.error?.ename).toBe("TypeError");
      const { cell, end } = notebook.start('console.log("begun"); await new Promise(() => {});');
      await notebook.message((message) => message.type === "stream" && message.cell === cell);
      notebook.interrupt();
      expect((await end).done.error?.ename).toBe("KeyboardInterrupt");
      expect(notebook.deaths).toEqual([]);
    },
  );
});

describe("what replaces a built-in", () => {
  const notebook = new Notebook({
    "polyfill.ts": `Array.isArray = function polyfill(value: unknown): value is any[] { return value instanceof Array; };
      Object.defineProperty(Object.prototype, "should", { get() { return "be"; }, configurable: true });`,
  });
  afterAll(() => notebook.close());

  it("in a cell holds until its code has ended, its awaits included", async () => {
    const { text } = await notebook.run('JSON.stringify = () => "mine"; await 1; JSON.stringify(1)');
    expect(text).toBe("'mine'");
    expect((await notebook.run("JSON.stringify(1)")).text).toBe("'1'");
  });

  it("is named in one note, and what a cell adds stays", async () => {
    const { stderr } = await notebook.run(
      "Array.from = Map.prototype.get = Number.isInteger = String.raw = Object.is = Set.prototype.add = " +
        "(() => 1) as any; (Array.prototype as any).last = function () { return this.at(-1); };",
    );
    const names = "Object.is, Array.from, String.raw, Number.isInteger, Map.prototype.get and 1 more";
    expect(stderr).toBe(note(names, ["are", "them"]));
    expect((await notebook.run("[[1, 2]].map((list: any) => list.last())")).text).toBe("[ 2 ]");
  });

  it("in a module stays, also for cells that replace it again", async () => {
    expect((await notebook.run('import "./polyfill.ts";')).stderr).toBe("");
    const { text, stderr } = await notebook.run("[Array.isArray.name, (1 as any).should]");
    expect([text, stderr]).toEqual(["[ 'polyfill', 'be' ]", ""]);
    await notebook.run("Array.isArray = (() => 1) as any;");
    expect((await notebook.run("Array.isArray.name")).text).toBe("'polyfill'");
  });
});

it("a cell that takes all listeners of the process away does not end it at the next late error", async () => {
  const notebook = new Notebook();
  await notebook.run("let kept = 42; process.removeAllListeners();");
  const { done } = await notebook.run('Promise.reject(new Error("late")); 1');
  const late = await notebook.message(
    (message) => message.type === "lateError" && message.cell === done.cell,
  );
  expect(late).toMatchObject({ error: { evalue: "late" } });
  expect((await notebook.run("kept")).text).toBe("42");
  await notebook.close();
});
