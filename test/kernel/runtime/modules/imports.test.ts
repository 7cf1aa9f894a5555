// Imports as a notebook sees them: from its own folder, whatever kind of module it is.
import { symlinkSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TYPESCRIPT_DEFAULTS } from "../../../../kernel/cell/names.ts";
import { Notebook, traceback } from "../../session/notebook.ts";

let notebook: Notebook;
beforeAll(() => {
  notebook = new Notebook({
    // Node reads it once.
    "package.json": '{ "type": "module", "imports": { "#lib/*": "./lib/*.js" } }',
    "node_modules/esm-only/package.json": '{ "name": "esm-only", "type": "module", "exports": "./index.js" }',
    "node_modules/esm-only/index.js": 'export const kind = "esm"; export default class Model {}',
    "node_modules/import-only/package.json":
      '{ "name": "import-only", "type": "module", "exports": { "import": "./main.js" } }',
    "node_modules/import-only/main.js": "export const only = 1;",
    "node_modules/cjs/package.json": '{ "name": "cjs", "main": "main.js" }',
    "node_modules/cjs/main.js": 'module.exports = { kind: "cjs", here: __dirname };',
    "node_modules/callable/package.json": '{ "name": "callable", "main": "main.js" }',
    "node_modules/callable/main.js":
      ";(function () { function callable(x) { return [x]; } callable.groupBy = () => 'grouped'; module.exports = callable; }).call(this);",
    "node_modules/callable/debounce.js": "module.exports = function debounce() { return 'debounced'; };",
    "node_modules/callable/plugin/index.js": "exports.name = 'plugin';",
    "node_modules/compiled/package.json": '{ "name": "compiled", "main": "main.js" }',
    "node_modules/compiled/main.js":
      'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = function made() { return 1; }; exports.other = 2;',
    "node_modules/instance/package.json": '{ "name": "instance", "main": "main.js" }',
    "node_modules/instance/main.js":
      'class Base { ping() { return "ping"; } } class Client extends Base { static version = 3; get slow() { throw new Error("asked"); } } module.exports = new Client(); module.exports.Client = Client;',
    "node_modules/no-default/package.json":
      '{ "name": "no-default", "type": "module", "exports": "./index.js" }',
    "node_modules/no-default/index.js": "export const made = 1;",
    "packages.ts": `
      import callable, { groupBy } from "callable";
      import * as all from "callable";
      import made, { other } from "compiled";
      import { rate as given } from "./config.json";
      export { groupBy as by } from "callable";
      export const values = [callable(1), groupBy(), all.groupBy(), made(), other, given];`,
    "missing_name.ts": 'import { nowhere } from "callable"; export const value = nowhere;',
    "uses.ts": 'import debounce from "callable/debounce"; export const used = debounce();',
    "config.json": '{ "rate": 0.5 }',
    "model.ts": `
      import { depth } from "./layers.js";
      import config from "./config.json";
      export enum Mode { Train, Test }
      export const describeModel = (name: string): string => \`\${name}: \${depth} layers, rate \${config.rate}\`;`,
    "layers.ts": "export const depth: number = 2;",
    "broken.ts": "export const = 3;",
    "tensors.ts": 'import { torch } from "mpslab"; export const torchOfFile = torch;',
  });
});
afterAll(() => notebook.close());

describe("a cell imports", () => {
  it("a package that is ESM only", async () => {
    const { text } = await notebook.run('import Model, { kind } from "esm-only"; [kind, Model.name]');
    expect(text).toBe("[ 'esm', 'Model' ]");
  });

  it("a CommonJS package, by import and by require", async () => {
    expect((await notebook.run('import { kind as cjsKind } from "cjs"; cjsKind')).text).toBe("'cjs'");
    expect((await notebook.run('require("cjs").here')).text).toBe(`'${notebook.directory}/node_modules/cjs'`);
  });

  it("a CommonJS package that is a function: its names, all of them, and itself", async () => {
    const code = `
      import { groupBy } from "callable";
      import * as all from "callable";
      import callable from "callable";
      [groupBy(), all.groupBy(), callable(1)]`;
    expect((await notebook.run(code)).text).toBe("[ 'grouped', 'grouped', [ 1 ] ]");
    expect((await notebook.run('const { groupBy: g } = await import("callable"); g()')).text).toBe(
      "'grouped'",
    );
  });

  it("the default export of a CommonJS package that was compiled from an ES module, as TypeScript reads it", async () => {
    const code = `
      import made, { other } from "compiled";
      import compiled = require("compiled");
      const later = await import("compiled");
      [made(), other, compiled.default(), later.default()]`;
    expect((await notebook.run(code)).text).toBe("[ 1, 2, 1, 1 ]");
  });

  it("the methods that a CommonJS package inherits, and asks no getter of it before it is read", async () => {
    const code =
      'import { ping, Client } from "instance"; import * as all from "instance"; [ping(), Client.version, all.ping()]';
    expect((await notebook.run(code)).text).toBe("[ 'ping', 3, 'ping' ]");
  });

  it("an ES module without a default export as its default, as declarations may have it", async () => {
    expect((await notebook.run('import whole from "no-default"; whole.made')).text).toBe("1");
  });

  it("an ES module by require, also one whose package has no other form", async () => {
    expect((await notebook.run('import only = require("import-only"); only.only')).text).toBe("1");
  });

  it("tslab by require, as by import", async () => {
    const code = 'require("tslab").display === (await import("tslab")).display';
    expect((await notebook.run(code)).text).toBe("true");
  });

  it("a name of a JSON file", async () => {
    expect((await notebook.run('import { rate } from "./config.json"; rate')).text).toBe("0.5");
  });

  it("a file or folder of a package without exports by its path without an extension", async () => {
    const code = `
      import debounce from "callable/debounce";
      import { name } from "callable/plugin";
      [debounce(), name]`;
    expect((await notebook.run(code)).text).toBe("[ 'debounced', 'plugin' ]");
    expect((await notebook.run('import { used } from "./uses.ts"; used')).text).toBe("'debounced'");
  });

  it("JSON, with and without the attribute", async () => {
    expect((await notebook.run('import config from "./config.json"; config.rate')).text).toBe("0.5");
    const { text } = await notebook.run(
      'import again from "./config.json" with { type: "json" }; again.rate',
    );
    expect(text).toBe("0.5");
  });

  it("local TypeScript, which imports TypeScript and JSON in turn", async () => {
    const { text } = await notebook.run(
      'import { describeModel, Mode } from "./model.ts"; [describeModel("net"), Mode.Test]',
    );
    expect(text).toBe("[ 'net: 2 layers, rate 0.5', 1 ]");
  });

  it("a changed file again, also where a file that it imports has changed", async () => {
    notebook.write("layers.ts", "export const depth: number = 16;");
    const { text } = await notebook.run('import { describeModel } from "./model.ts"; describeModel("net")');
    expect(text).toBe("'net: 16 layers, rate 0.5'");
  });

  it("an unchanged file once: its state and its classes stay", async () => {
    notebook.write("state.ts", "export const state = { count: 0 };");
    await notebook.run('import { state } from "./state.ts"; state.count = 5;');
    expect((await notebook.run('import { state as again } from "./state"; again.count')).text).toBe("5");
  });

  it("mpslab, the same one that local files import", async () => {
    const { text } = await notebook.run(
      'import { torch } from "mpslab"; import { torchOfFile } from "./tensors.ts"; torch === torchOfFile',
    );
    expect(text).toBe("true");
  });
});

describe("a local file may use", () => {
  it("packages by every name, as a cell may", async () => {
    const { text, done } = await notebook.run(
      'import { by, values } from "./packages.ts"; [...values, by()]',
    );
    expect(done.error).toBeUndefined();
    expect(text).toBe("[ [ 1 ], 'grouped', 'grouped', 1, 2, 0.5, 'grouped' ]");
  });

  it("no name that a package does not have", async () => {
    const { done } = await notebook.run('import { value as none } from "./missing_name.ts"; none');
    expect(done.error).toMatchObject({
      ename: "SyntaxError",
      evalue: "The requested module 'callable' does not provide an export named 'nowhere'",
    });
  });

  it("decorators and using, and its errors are at their places", async () => {
    notebook.write(
      "decorated.ts",
      `const twice = (_: undefined, c: object) => (v: number) => v * 2;
export class A { @twice x = 21; static made = 1 }
export const closed: string[] = [];
{ using file = { [Symbol.dispose]() { closed.push("file") } }; }
export function fail(value: string): never { throw new Error(value) }`,
    );
    const { text } = await notebook.run(
      'import { A as Decorated, closed, fail } from "./decorated.ts"; [new Decorated().x, closed]',
    );
    expect(text).toBe("[ 42, [ 'file' ] ]");
    expect(traceback(await notebook.run('fail("no")'))).toContain("> 5 | export function fail");
  });

  it("the tsconfig's options, and a change of them reaches files that are loaded after it", async () => {
    const typescript = { ...TYPESCRIPT_DEFAULTS, experimentalDecorators: true };
    const source = `const calls: number[] = []; const d: any = (...a: any[]) => { calls.push(a.length) };
      class A { @d m() {} } export const count = calls[0]`;
    notebook.write("before.ts", source);
    notebook.write("after.ts", source);
    expect((await notebook.run('import { count } from "./before.ts"; count')).text).toBe("2");
    const { text } = await notebook.run('import { count } from "./after.ts"; count', { typescript });
    expect(text).toBe("3");
  });

  it("TypeScript's types of other files, which load nothing", async () => {
    notebook.write("shapes.ts", 'throw new Error("loaded"); export type Shape = { size: number };');
    notebook.write(
      "sized.ts",
      'import type { Shape } from "./shapes"; export const size = (s: Shape) => s.size;',
    );
    expect((await notebook.run('import { size } from "./sized"; size({ size: 3 })')).text).toBe("3");
  });
});

describe("an import may be written", () => {
  it("by a pattern of the tsconfig's paths, in cells and in files", async () => {
    notebook.write("src/lib/add.ts", "export const add = (a: number, b: number): number => a + b;");
    notebook.write("src/index.ts", 'export { add } from "@lib/add"; export const where = import.meta.url;');
    const paths = {
      "@lib/*": [path.join(notebook.directory, "src/lib/*")],
      app: [path.join(notebook.directory, "none.ts"), path.join(notebook.directory, "src/index.ts")],
    };
    const typescript = { ...TYPESCRIPT_DEFAULTS, paths };
    const run = (text: string) => notebook.run(text, { typescript });
    expect((await run('import { add } from "app"; add(1, 2)')).text).toBe("3");
    expect((await run('const { add: again } = await import("@lib/add"); again === add')).text).toBe("true");
    notebook.write("src/lib/add.ts", "export const add = () => 7;");
    expect((await run('import { add } from "app"; add()')).text).toBe("7");
  });

  it("as a subpath of the folder's package.json", async () => {
    notebook.write("lib/one.ts", "export const one: number = 1;");
    notebook.write("lib/two.ts", 'import { one } from "#lib/one"; export const two = one + 1;');
    expect((await notebook.run('import { two } from "#lib/two"; two')).text).toBe("2");
    notebook.write("lib/one.ts", "export const one: number = 10;");
    expect((await notebook.run('import { two } from "#lib/two"; two')).text).toBe("11");
  });

  it("by the name of a package of the workspace that is TypeScript", async () => {
    notebook.write("packages/inner/package.json", '{ "name": "inner", "exports": "./index.ts" }');
    notebook.write("packages/inner/index.ts", "export const inner: number = 5;");
    symlinkSync("../packages/inner", path.join(notebook.directory, "node_modules/inner"));
    expect((await notebook.run('import { inner } from "inner"; inner')).text).toBe("5");
  });

  it("as `import x = require(...)`, as Node's own modules, and as a URL", async () => {
    expect((await notebook.run('import fs = require("node:fs"); typeof fs.readFileSync')).text).toBe(
      "'function'",
    );
    expect((await notebook.run('import { sep } from "path"; sep')).text).toBe("'/'");
    const { text } = await notebook.run('import { x } from "data:text/javascript,export const x = 4"; x');
    expect(text).toBe("4");
  });

  it("for a CommonJS file of the folder, which is read again when it changed", async () => {
    notebook.write("old/package.json", '{ "type": "commonjs" }');
    notebook.write("old/part.js", "module.exports = 1;");
    notebook.write("old/main.js", 'module.exports = { part: require("./part.js"), here: __filename };');
    expect((await notebook.run('import { part } from "./old/main.js"; part')).text).toBe("1");
    notebook.write("old/main.js", 'module.exports = { part: require("./part.js") + 1 };');
    expect((await notebook.run('import { part } from "./old/main.js"; part')).text).toBe("2");
    notebook.write("old/part.js", "module.exports = 40;");
    expect((await notebook.run('require("./old/main").part')).text).toBe("41");
    expect((await notebook.run('import { part } from "./old/main.js"; part')).text).toBe("41");
    expect((await notebook.run('require("./old/main") === require("./old/main.js")')).text).toBe("true");
  });

  it("for JSON that changed", async () => {
    notebook.write("rates.json", '{ "rate": 1 }');
    expect((await notebook.run('import rates from "./rates.json"; rates.rate')).text).toBe("1");
    notebook.write("rates.json", '{ "rate": 22 }');
    expect(
      (await notebook.run('import rates from "./rates.json" with { type: "json" }; rates.rate')).text,
    ).toBe("22");
    expect((await notebook.run('(await import("./rates.json")).default.rate')).text).toBe("22");
  });
});

describe("a cell knows where it is", () => {
  it("by __dirname, __filename and import.meta", async () => {
    const { text } = await notebook.run(
      "[__dirname, __filename.startsWith(__dirname), import.meta.dirname === __dirname]",
    );
    expect(text).toBe(`[ '${notebook.directory}', true, true ]`);
    expect((await notebook.run("import.meta.url === `file://${import.meta.filename}`")).text).toBe("true");
  });

  it.each([
    ["cjs", "/node_modules/cjs/main.js"],
    ["import-only", "/node_modules/import-only/main.js"],
    ["./model", "/model.ts"],
    ["./data/missing.csv", "/data/missing.csv"],
  ])("and import.meta.resolve tells where %s lies", async (specifier, file) => {
    const { text } = await notebook.run(`import.meta.resolve(${JSON.stringify(specifier)})`);
    expect(text).toBe(`'file://${notebook.directory}${file}'`);
  });

  it("require says what to do about TypeScript", async () => {
    const { done } = await notebook.run('require("./model.ts")');
    expect(done.error?.ename).toBe("TypeError");
    expect(done.error?.evalue).toBe(
      'require cannot load TypeScript: write import ... from "./model.ts", or await import(...)',
    );
  });
});

describe("what cannot be imported", () => {
  it("says which folder was searched and how to install it", async () => {
    const { done } = await notebook.run('import nothing from "no-such-package";');
    expect(done.error?.evalue).toBe(
      `Cannot find 'no-such-package' from the notebook's folder ${notebook.directory}. ` +
        "Install it there: %npm install no-such-package",
    );
  });

  it("points at the line of the import", async () => {
    const run = await notebook.run('const before = 1;\nimport nothing from "no-such-package";');
    expect(traceback(run)).toContain('> 2 | import nothing from "no-such-package";');
    expect(run.done.initialised).toEqual([]);
  });

  it("names a missing file as it was written", async () => {
    const { done } = await notebook.run('import { x } from "./missing.ts";');
    expect(done.error?.evalue).toBe(
      `Cannot find './missing.ts' from the notebook's folder ${notebook.directory}.`,
    );
  });

  it("shows the line of a file that is not TypeScript", async () => {
    const run = await notebook.run('import "./broken.ts";');
    expect(run.done.error).toMatchObject({ ename: "SyntaxError", evalue: "Unexpected `=`" });
    expect(traceback(run)).toContain("> 1 | export const = 3;");
  });
});
