// A cell may break any of the language's built-ins: the next cells run, print, fail, ask and stop all the same, and in
// cells the built-in is what the cell has made of it.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Notebook } from "../session/notebook.ts";

const BROKEN = '(() => { throw new Error("broken"); }) as any';

/** The replacements of built-ins that cells make, by the built-in's name. */
const REPLACEMENTS: Readonly<Record<string, string>> = Object.fromEntries(
  `JSON.stringify JSON.parse
   Array.prototype.push Array.prototype.map Array.prototype.filter Array.prototype.join Array.prototype.slice
   Array.prototype.splice Array.prototype.shift Array.prototype.at Array.prototype.includes Array.prototype.flatMap
   Array.prototype.forEach Array.prototype.reduce Array.from Array.isArray
   Array.prototype[Symbol.iterator] Object.getPrototypeOf([].values()).next
   Map.prototype.get Map.prototype.set Map.prototype.has Map.prototype.delete Map.prototype[Symbol.iterator]
   Set.prototype.add Set.prototype.delete Set.prototype.has Set.prototype[Symbol.iterator]
   WeakMap.prototype.get WeakMap.prototype.set WeakSet.prototype.has WeakSet.prototype.add WeakRef.prototype.deref
   Promise.prototype.then Promise.prototype.finally Promise.prototype.catch Promise.race Promise.resolve Promise.all
   String.prototype.split String.prototype.slice String.prototype.startsWith String.prototype.indexOf
   String.prototype.includes String.prototype.replace String.prototype.trim String.prototype.repeat
   AbortController.prototype.abort RegExp.prototype.exec RegExp.prototype.test RegExp.prototype[Symbol.replace]
   Function.prototype.call Function.prototype.apply Function.prototype.bind Function.prototype.toString
   Object.keys Object.entries Object.fromEntries Object.defineProperty Object.getOwnPropertyDescriptor
   Object.getPrototypeOf Object.assign Object.is Object.prototype.hasOwnProperty Object.prototype.toString
   Reflect.get Reflect.apply Number.prototype.toString Number.isInteger Error.captureStackTrace
   Error.prototype.toString Atomics.load Atomics.store Buffer.from Buffer.concat Buffer.prototype.write
   Symbol.prototype.toString globalThis.setTimeout globalThis.setImmediate globalThis.queueMicrotask
   globalThis.performance.now`
    .trim()
    .split(/\s+/)
    .map((name) => [name, `${name} = ${BROKEN};`]),
);

const OTHERS: Readonly<Record<string, string>> = {
  "globalThis.process = undefined": "(globalThis as any).process = undefined;",
  "globalThis.JSON = null": "(globalThis as any).JSON = null;",
  "globalThis.Promise = null": "(globalThis as any).Promise = null;",
  "globalThis.Buffer = null": "(globalThis as any).Buffer = null;",
  "globalThis.Array = null": "(globalThis as any).Array = null;",
  "globalThis.Error = null": "(globalThis as any).Error = null;",
  "a setter on every object":
    'Object.defineProperty(Object.prototype, "type", { set() { throw new Error("set"); }, configurable: true });',
  "a getter on every object":
    'Object.defineProperty(Object.prototype, "error", { get() { return "always"; }, configurable: true });',
  "a `get` on every object": "(Object.prototype as any).get = () => 1;",
  "toJSON on every object": '(Object.prototype as any).toJSON = () => "gone";',
  "toJSON on every array": '(Array.prototype as any).toJSON = () => "gone";',
  "Error.prepareStackTrace that throws": `Error.prepareStackTrace = ${BROKEN};`,
  "Error.stackTraceLimit = 0": "Error.stackTraceLimit = 0;",
};

describe("after a cell has broken", () => {
  let notebook: Notebook;
  beforeEach(async () => {
    notebook = new Notebook({}, { interruptDeadlineMs: 60_000 });
    await notebook.run("let kept = 42;");
  });
  afterEach(() => notebook.close());

  it.each(Object.entries({ ...REPLACEMENTS, ...OTHERS }))("%s", async (_name, code) => {
    const broke = await notebook.run(`${code} console.log("printed");`);
    expect(broke.stdout).toBe("printed\n");
    expect((await notebook.run("kept")).text).toBe("42");
    expect((await notebook.run('console.log("text", { a: [1] });')).stdout).toBe("text { a: [ 1 ] }\n");
    const failed = await notebook.run('\nthrow new TypeError("wrong");');
    expect(failed.done.error?.ename).toBe("TypeError");
    expect((await notebook.run("const after = kept + 1; await null; after")).text).toBe("43");
    const live = await notebook.session.inspect({ path: ["kept"], about: "value" });
    expect(live?.text).toBe("number: 42");
    for (const endless of ["while (true);", "await new Promise(() => {});"].slice(
      0,
      /Promise = null/.test(code) ? 1 : 2,
    )) {
      const { cell, end } = notebook.start(`console.log("begun"); ${endless}`);
      await notebook.message((message) => message.type === "stream" && message.cell === cell);
      notebook.interrupt();
      expect((await end).done.error?.ename).toBe("KeyboardInterrupt");
    }
    expect(notebook.deaths).toEqual([]);
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

it("what a cell has replaced holds in the cells after it, and what it has added in timers too", async () => {
  const notebook = new Notebook();
  await notebook.run(
    'JSON.stringify = () => "mine"; (Array.prototype as any).last = function () { return this.at(-1); };',
  );
  expect((await notebook.run("JSON.stringify(1)")).text).toBe("'mine'");
  expect((await notebook.run("await 1; JSON.stringify(1)")).text).toBe("'mine'");
  const { done } = await notebook.run("setTimeout(() => console.log(([1, 2] as any).last()), 1);");
  const printed = await notebook.message(
    (message) => message.type === "stream" && message.cell === done.cell,
  );
  expect(printed).toMatchObject({ text: "2\n" });
  await notebook.close();
});
