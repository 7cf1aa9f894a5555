// The text of a cell's function is what the user wrote, so that it runs where the cell's runtime is not: another realm, a
// worker, a browser's page, a database.
import { afterAll, expect, it } from "vitest";
import { Notebook, traceback } from "../session/notebook.ts";

const notebook = new Notebook({
  "node_modules/shop/package.json": '{ "name": "shop", "type": "module", "exports": "./index.js" }',
  "node_modules/shop/index.js": "export class Basket { /* own */ add( x ) { return x } }",
});
afterAll(() => notebook.close());

const shown = async (cell: string): Promise<unknown> => (await notebook.run(cell)).text;

it("runs in another realm, and in a worker", async () => {
  const cell = `
    import vm from "node:vm";
    import { Worker } from "node:worker_threads";
    const square = (x: number): number => { for (let i = 0; i < 2; i++) { x += i; } return x * x; };
    async function named(a: number) { try { return await square(a) + 1; } finally { a++; } }
    const code = \`const square = \${square}; const { parentPort } = require("node:worker_threads"); (\${named})(1).then((x) => parentPort.postMessage(x));\`;
    const answer = await new Promise((resolve) => new Worker(code, { eval: true }).once("message", resolve));
    [vm.runInNewContext(\`(\${square})(4)\`), answer]`;
  expect(await shown(cell)).toBe("[ 25, 5 ]");
});

it("is what the user wrote, under the name it has there", async () => {
  await notebook.run(
    "function   total(a: number,b = 2){ // why\n  return a+b }\nclass Model<T> { fit(x: T) { return [1].map((y)=>y) } }",
  );
  expect(await shown("[String(total), `${Model}`, Model.prototype.fit + ''].join('|')")).toBe(
    "'function   total(a,b = 2){ // why\\n' +\n" +
      "  '  return a+b }|class Model { fit(x) { return [1].map((y)=>y) } }|fit(x) { return [1].map((y)=>y) }'",
  );
  expect(await shown("[total, Model]")).toBe("[ [Function: total], [class Model] ]");
});

it("is V8's for all others: built-ins, packages, `toString` itself", async () => {
  const cell = `
    import { Basket } from "shop";
    const { toString } = Function.prototype;
    [String(Map), String(toString), toString.name, toString.length, String(Basket), String(new Proxy(Map, {}))].join("|")`;
  expect(await shown(cell)).toBe(
    "'function Map() { [native code] }|function toString() { [native code] }|toString|0|" +
      "class Basket { /* own */ add( x ) { return x } }|function () { [native code] }'",
  );
  const refused =
    "const seen: string[] = []; for (const use of [() => toString.call({}), () => new (toString as any)()]) try { use(); } catch (error) { seen.push(error.message); } seen.join('|')";
  expect(await shown(refused)).toBe(
    `"Function.prototype.toString requires that 'this' be a Function|toString is not a constructor"`,
  );
});

it("stands in the messages of what cannot be cloned", async () => {
  await notebook.run("const double = (x: number) => x  *  2;");
  expect(traceback(await notebook.run("structuredClone({ double })"))).toMatch(
    /^DataCloneError: \(x\) => x {2}\* {2}2 could not be cloned\.\n/,
  );
  const cell = "let said = ''; try { structuredClone(double) } catch (error) { said = error.message } said";
  expect(await shown(cell)).toBe("'(x) => x  *  2 could not be cloned.'");
  expect(traceback(await notebook.run("class Wrong extends (double as any) {}"))).toMatch(
    /^TypeError: Class extends value \(x\) => x {2}\* {2}2 is not a constructor or null\n/,
  );
});
