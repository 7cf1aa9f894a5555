// Tests which imports a cell may have, and under which compiler options it is checked: those of the notebook's folder.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
const open = (files: Record<string, string> = {}): NotebookSession => (notebook = new NotebookSession(files));
afterEach(() => notebook.close());

const CANNOT_FIND = (module: string) =>
  `Cannot find module '${module}' or its corresponding type declarations.`;

describe("a folder without a tsconfig", () => {
  test("cells are strict, know Node's globals, and no browser's", async () => {
    open();
    expect(await notebook.problems("const text: string = null")).toEqual([
      "1:7 TS2322: Type 'null' is not assignable to type 'string'. What may be null says so: write text: string | null.",
    ]);
    expect(
      await notebook.problems(
        "process.pid; Buffer.from(''); setTimeout(() => {}, 1).unref(); new URL('a:b'); fetch('a:b')",
      ),
    ).toEqual([]);
    expect(
      await notebook.problems(
        "import { readFileSync } from 'fs'; import { sep } from 'node:path'; readFileSync(sep)",
      ),
    ).toEqual([]);
    expect((await notebook.problems("document.title"))[0]).toMatch(
      /^1:1 TS2584: Cannot find name 'document': a cell runs in Node, which has no page;/,
    );
  });

  test("modern syntax at the top level: await, using, for await, the last expression, labels, strings", async () => {
    open();
    const cell = [
      "using held = { [Symbol.dispose]() {} };",
      "await using later = { async [Symbol.asyncDispose]() {} };",
      "for await (const x of [Promise.resolve(1)]) x.toFixed();",
      "outer: for (;;) break outer;",
      "'just text';",
      "[1, 2].map((x) => x * 2)",
    ].join("\n");
    expect(await notebook.problems(cell)).toEqual([]);
  });

  test("what this Node has not is an error before the cell runs", async () => {
    open();
    const newer = { Float16Array: "new Float16Array(2)", Temporal: "Temporal.Now" };
    for (const [name, cell] of Object.entries(newer)) {
      if (name in globalThis) continue; // A Node that has it: the types may know it.
      expect((await notebook.problems(cell))[0]).toContain(`'${name}'`);
    }
    expect(await notebook.problems("'a'.isWellFormed(); [2, 1].toSorted(); /a/v.unicodeSets")).toEqual([]);
  });

  test("the globals of cells are typed", async () => {
    open();
    expect(
      await notebook.problems(
        "const h = display('0%', { displayId: 'a' }); h.update(1); clearOutput({ wait: true })",
      ),
    ).toEqual([]);
    expect(
      await notebook.problems(
        "const name: string = prompt('name?'); const yes: boolean = confirm(); In[1]?.length; Out[1]?.preview; _",
      ),
    ).toEqual([]);
    expect(await notebook.problems("display(1, { displayId: 2 })")).toEqual([
      "1:14 TS2322: Type 'number' is not assignable to type 'string'. A text has quotes: write \"2\".",
    ]);
  });

  test('"mpslab" and "tslab" have types, in any folder', async () => {
    open();
    expect(await notebook.problems('import { torch } from "mpslab"; torch')).toEqual([]);
    expect(await notebook.problems('import * as tslab from "tslab"; tslab.display.html("<b>x</b>")')).toEqual(
      [],
    );
    expect(await notebook.problems('import { nonsense } from "mpslab"; nonsense')).toEqual([
      `1:10 TS2305: Module '"mpslab"' has no exported member 'nonsense'.`,
    ]);
  });

  test("nothing is written into the folder", async () => {
    const { readdirSync } = await import("node:fs");
    open({ "a.ts": "export const a = 1;" });
    await notebook.run("import { a } from './a.ts'; class K {} const k = new K()");
    await notebook.completions("k.|");
    expect(readdirSync(notebook.directory)).toEqual(["a.ts"]);
  });
});

describe("local modules", () => {
  test.each(["./lib/a.ts", "./lib/a", "./lib/a.js", "./lib"])("import from %s", async (specifier) => {
    open({ "lib/a.ts": "export const a: number = 1;", "lib/index.ts": "export * from './a.ts';" });
    expect(await notebook.run(`import { a } from "${specifier}"`)).toEqual([]);
    expect(await notebook.typeOf("a")).toBe("number");
  });

  test("JSON has the type of its content; plain JavaScript is inferred", async () => {
    open({ "data.json": '{ "sizes": [1, 2] }', "tool.js": "export function twice(x) { return [x, x] }" });
    expect(await notebook.run("import data from './data.json'; import { twice } from './tool.js'")).toEqual(
      [],
    );
    expect(await notebook.typeOf("data.sizes")).toBe("number[]");
    expect(await notebook.typeOf("twice(1)")).toBe("any[]");
  });

  test("what became of a module that a cell imported is nothing that later cells are told", async () => {
    open({ "data.json": "{}", "a.ts": "export const a = 1;" });
    expect(
      await notebook.run(
        `import data from "./data.json" with { type: "json" };\nimport { a } from "./a.ts";`,
      ),
    ).toEqual([]);
    notebook.write("a.ts", "export const b = ;");
    expect(await notebook.run("const c = 1;")).toEqual([]);
    rmSync(path.join(notebook.directory, "a.ts"));
    expect(await notebook.run("const d = c;")).toEqual([]);
    expect(await notebook.problems(`import { a } from "./a.ts";`)).toEqual([
      expect.stringContaining("TS2307: Cannot find module './a.ts'"),
    ]);
  });

  test("an edited module counts from the next cell on, and so does a new one", async () => {
    open({ "a.ts": "export const a = 1;" });
    await notebook.run("import { a } from './a.ts'");
    notebook.write("a.ts", "export const a = ['changed'];");
    await notebook.run("import { a } from './a.ts'");
    expect(await notebook.typeOf("a")).toBe("string[]");
    expect(await notebook.problems("import { b } from './b.ts'")).toEqual([
      `1:19 TS2307: ${CANNOT_FIND("./b.ts")}`,
    ]);
    notebook.write("b.ts", "export const b = 1;");
    expect(await notebook.problems("import { b } from './b.ts'")).toEqual([]);
  });

  test.each([
    ["a pattern of the tsconfig's paths", "@app/a"],
    ["a subpath of the folder's package.json", "#app/a"],
    ["a path from the tsconfig's baseUrl", "app/a"],
  ])("an edited module that is imported by %s, too", async (_, specifier) => {
    open({
      "tsconfig.json":
        '{ "compilerOptions": { "strict": true, "baseUrl": ".", "paths": { "@app/*": ["./app/*"] } } }',
      "package.json": '{ "imports": { "#app/*": "./app/*.ts" } }',
      "app/a.ts": "export const a = 1;",
    });
    expect(await notebook.run(`import { a } from "${specifier}"`)).toEqual([]);
    notebook.write("app/a.ts", "export const a = ['changed'];");
    await notebook.run(`import { a } from "${specifier}"`);
    expect(await notebook.typeOf("a")).toBe("string[]");
  });

  test("a module that a pattern leads to and that is written later", async () => {
    open({ "tsconfig.json": '{ "compilerOptions": { "paths": { "@app/*": ["./app/*"] } } }' });
    expect(await notebook.problems('import { b } from "@app/b"')).toHaveLength(1);
    notebook.write("app/b.ts", "export const b = 1;");
    expect(await notebook.problems('import { b } from "@app/b"')).toEqual([]);
  });
});

describe("packages", () => {
  test("are found beside a baseUrl, which comes first", async () => {
    open({
      ...typed,
      "tsconfig.json": '{ "compilerOptions": { "baseUrl": "." } }',
      "own.ts": "export const own = 1;",
    });
    expect(
      await notebook.problems('import { make } from "typed"; import { own } from "own"; make; own'),
    ).toEqual([]);
  });

  const typed = {
    "node_modules/typed/package.json": '{ "name": "typed", "types": "i.d.ts" }',
    "node_modules/typed/i.d.ts": "export declare class T { x: 1 } export declare function make(): T[];",
  };

  test("types come from the folder's node_modules", async () => {
    open(typed);
    expect(await notebook.run('import { make } from "typed"; const made = make()')).toEqual([]);
    expect(await notebook.typeOf("made[0]!.x")).toBe("number");
  });

  test("a package without types warns and does not stop the cell", async () => {
    open({
      "node_modules/plain/package.json": '{ "name": "plain", "main": "i.js" }',
      "node_modules/plain/i.js": "module.exports = 1",
    });
    const [problem] = await notebook.problems('import plain from "plain"; plain.anything');
    expect(problem).toMatch(/^1:19 warning TS7016: Could not find a declaration file for module 'plain'\./);
  });

  test("types that are installed for it are found", async () => {
    open({
      "node_modules/plain/package.json": '{ "name": "plain" }',
      "node_modules/plain/index.js": "exports.a = 1",
    });
    expect(await notebook.problems('import { a } from "plain"; a')).toHaveLength(1);
    notebook.write(
      "node_modules/@types/plain/package.json",
      '{ "name": "@types/plain", "types": "index.d.ts" }',
    );
    notebook.write("node_modules/@types/plain/index.d.ts", "export declare const a: 1;");
    expect(await notebook.problems('import { a } from "plain"; a')).toEqual([]);
  });

  test.each([
    ["import all from '@scope/a/part'", "%npm install @scope/a"],
    ["import 'typed'", "%npm install typed"],
    ["await import('typed/deep')", "%npm install typed"],
  ])("%s, which is missing, says how to install it", async (text, way) => {
    open();
    expect(await notebook.problems(text)).toEqual([expect.stringMatching(new RegExp(`Install it: ${way}$`))]);
  });

  test.each(["./typed", "/typed", "#typed", "node:typed"])(
    "%s is none that could be installed",
    async (specifier) => {
      open();
      expect((await notebook.problems(`import x from '${specifier}'`))[0]).toMatch(/declarations\.$/);
    },
  );

  test("one that is installed while the notebook runs is found", async () => {
    open();
    await notebook.run("const before = [1]");
    expect(await notebook.problems('import { make } from "typed"')).toEqual([
      `1:22 TS2307: ${CANNOT_FIND("typed")} Install it: %npm install typed`,
    ]);
    for (const [name, text] of Object.entries(typed)) notebook.write(name, text);
    expect(await notebook.problems('import { make } from "typed"; make()[0]?.x; before.push(2)')).toEqual([]);
  });

  test("the folder's own @types/node is the one that counts", async () => {
    open({
      "node_modules/@types/node/package.json":
        '{ "name": "@types/node", "version": "99.0.0", "types": "index.d.ts" }',
      "node_modules/@types/node/index.d.ts": "declare const process: { readonly fromTheFolder: true };",
    });
    expect(await notebook.problems("process.fromTheFolder")).toEqual([]);
  });
});

describe("the folder's tsconfig", () => {
  test("its `lib` is kept, also one that it inherits; without one cells see what Node has", async () => {
    open({
      "tsconfig.json": '{ "extends": "./base.json" }',
      "base.json": '{ "compilerOptions": { "lib": ["es2023", "dom"] } }',
    });
    expect(await notebook.problems("document.title")).toEqual([]);
    notebook.close();
    open({ "tsconfig.json": '{ "compilerOptions": { "target": "es2022" } }' });
    expect((await notebook.problems("document.title"))[0]).toMatch(/^1:1 TS2584/);
    expect(await notebook.problems("[2, 1].toSorted()")).toEqual([]);
  });

  test.each([
    ["strict off", { strict: false }, "function f(x) { return x }", []],
    ["lib with dom", { lib: ["esnext", "dom"] }, "document.title", []],
    [
      "lib without modern arrays",
      { lib: ["es2020"] },
      "[1].findLast(Boolean)",
      [expect.stringMatching(/^1:5 TS2550: /)],
    ],
    [
      "noUncheckedIndexedAccess",
      { strict: true, noUncheckedIndexedAccess: true },
      "[1][0].toFixed()",
      [
        "1:1 TS2532: Object is possibly 'undefined'. What may be missing is read by ?.: write [1][0]?.toFixed.",
      ],
    ],
    ["paths", { paths: { "@/*": ["./src/*"] } }, "import { a } from '@/a'; a.toFixed()", []],
    [
      "module and target that could not await",
      { module: "commonjs", target: "es5", moduleResolution: "node10" },
      "await 1; import('node:fs')",
      [],
    ],
    [
      "options for output",
      { composite: true, declaration: true, outDir: "out", rootDir: "src", incremental: true },
      "export const a = 1",
      [],
    ],
    ["unused names are errors", { noUnusedLocals: true }, "const unused = 1", []],
  ])("%s", async (_, compilerOptions, cell, problems) => {
    open({ "tsconfig.json": JSON.stringify({ compilerOptions }), "src/a.ts": "export const a = 1;" });
    expect(await notebook.problems(cell)).toEqual(problems);
    expect(await notebook.problems('import { torch } from "mpslab"; torch; display(process.pid)')).toEqual(
      [],
    );
  });

  test("may extend another, have comments, and bring ambient declarations", async () => {
    open({
      "base.json": '{ "compilerOptions": { "strict": false } }',
      "tsconfig.json": '{ "extends": "./base.json", /* why */ "include": ["src"] }',
      "src/ambient.d.ts": "declare const FROM_AMBIENT: 1;",
    });
    expect(await notebook.problems("function f(x) { return x + FROM_AMBIENT }")).toEqual([]);
  });

  test("decides whether what has no type is any", async () => {
    open({ "tsconfig.json": '{ "compilerOptions": { "strict": true } }' });
    expect(await notebook.problems("function f(x) { return x }")).toEqual([
      "1:12 TS7006: Parameter 'x' implicitly has an 'any' type.",
    ]);
  });

  test("counts from the next cell on when it is edited", async () => {
    open();
    const loose = "const text: string = null";
    await notebook.run("const kept = [1]");
    expect(await notebook.problems(loose)).toHaveLength(1);
    notebook.write("tsconfig.json", '{ "compilerOptions": { "strict": false } }');
    expect(await notebook.problems(loose)).toEqual([]);
    expect(await notebook.problems("kept.push('x')")).toHaveLength(1);
    rmSync(path.join(notebook.directory, "tsconfig.json"));
    expect(await notebook.problems(loose)).toHaveLength(1);
  });

  test("a parent folder's counts if it takes in files of this folder", async () => {
    open();
    const parent = notebook.directory;
    for (const [folder, include] of [
      ["in", ["in"]],
      ["beside", ["src"]],
    ] as const) {
      const directory = path.join(parent, folder, folder);
      mkdirSync(directory, { recursive: true });
      writeFileSync(path.join(directory, "own.ts"), "export {};");
      writeFileSync(
        path.join(parent, folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions: { strict: false }, include }),
      );
    }
    const strictIn = async (folder: string): Promise<boolean> => {
      const inside = new NotebookSession({}, path.join(parent, folder, folder));
      const problems = await inside.problems("const text: string = null");
      inside.close();
      return problems.length > 0;
    };
    expect(await strictIn("in")).toBe(false);
    expect(await strictIn("beside")).toBe(true);
  });

  test("that is broken is said to be", async () => {
    open({ "tsconfig.json": '{ "compilerOptions": { "strict": tru' });
    const message = /tsconfig\.json:1 cannot be read: '}' expected\. Correct it and run the cell again\.$/;
    await expect(notebook.problems("1")).rejects.toThrow(message);
    await expect(notebook.problems("1")).rejects.toThrow(message);
    notebook.write("tsconfig.json", "{}");
    expect(await notebook.problems("const x: string = 1")).toHaveLength(1);
  });
});
