// Imports as a notebook sees them: from its own folder, whatever kind of module it is.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Notebook, traceback } from "../session/notebook.ts";

let notebook: Notebook;
beforeAll(() => {
  notebook = new Notebook({
    "node_modules/esm-only/package.json": '{ "name": "esm-only", "type": "module", "exports": "./index.js" }',
    "node_modules/esm-only/index.js": 'export const kind = "esm"; export default class Model {}',
    "node_modules/cjs/package.json": '{ "name": "cjs", "main": "main.js" }',
    "node_modules/cjs/main.js": 'module.exports = { kind: "cjs", here: __dirname };',
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

describe("a cell knows where it is", () => {
  it("by __dirname, __filename and import.meta", async () => {
    const { text } = await notebook.run(
      "[__dirname, __filename.startsWith(__dirname), import.meta.dirname === __dirname]",
    );
    expect(text).toBe(`[ '${notebook.directory}', true, true ]`);
    const resolved = await notebook.run('import.meta.resolve("cjs")');
    expect(resolved.text).toBe(`'file://${notebook.directory}/node_modules/cjs/main.js'`);
  });
});

describe("what cannot be imported", () => {
  it("says which folder was searched and how to install it", async () => {
    const { done } = await notebook.run('import nothing from "no-such-package";');
    expect(done.error?.evalue).toBe(
      `Cannot find 'no-such-package' from the notebook's folder ${notebook.directory}. ` +
        "Install it there: npm install no-such-package",
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
    expect(run.done.error).toMatchObject({ ename: "SyntaxError", evalue: "Unexpected token" });
    expect(traceback(run)).toContain("> 1 | export const = 3;");
  });
});
