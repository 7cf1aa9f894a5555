// The modules that the checker sees, as text: what stands above a cell, what below, and which cells are kept.
import { describe, expect, test } from "vitest";
import type { DeclarationKind, Declared } from "../../../kernel/cell/analyze.ts";
import {
  draftDeclarations,
  documentationOf,
  isAlsoType,
  isExported,
} from "../../../kernel/language/cell_text.ts";
import { QUESTION_DECLARATION } from "../../../kernel/language/advice/questions.ts";
import { Notebook, keptModule } from "../../../kernel/language/notebook.ts";
import { OPEN_DECLARATION } from "../../../kernel/language/widening.ts";

const moduleText = (text: string, declared: readonly Declared[] = []) => ({ text, isJsx: false, declared });
const name = (kind: DeclarationKind, text: string): Declared => ({
  name: text,
  kind,
  runtimeName: text,
  typeOnly: kind === "type" || kind === "interface",
});
const printed = (type: string, documentation = "") => ({ type, documentation });

function documents(notebook: Notebook): Record<string, string> {
  return Object.fromEntries([...notebook.documents()].map(([module, text]) => [module, text]));
}

const kept = (text: string) => ({ text, isJsx: false });

describe("a cell's module", () => {
  const notebook = new Notebook();
  notebook.set(name("let", "losses"), printed("number[]"));
  notebook.set(name("const", "rate"), printed("0.1"));
  notebook.set(name("class", "Model"), { keptIn: keptModule(3, 1) });
  notebook.set(name("interface", "Options"), { keptIn: keptModule(3, 1) });
  documents(notebook);

  test("imports on one line what the cell mentions, a `let` so that it can be assigned", () => {
    const { text } = notebook.cellModule(moduleText("losses = [rate]; new Model()"));
    expect(text.split("\n")[0]).toBe(
      'import { losses as __mpslab_let_losses, rate, Model } from "./__mpslab_names"; ' +
        "declare let losses: typeof __mpslab_let_losses;",
    );
  });

  test("imports nothing that the cell declares, and a type as a type", () => {
    const { text } = notebook.cellModule(moduleText("const rate: Options = x", [name("const", "rate")]));
    expect(text.split("\n")[0]).toBe('import { type Options } from "./__mpslab_names";');
  });

  test("declares what is newer than the documents on that line, and needs them for what does not fit there", () => {
    const later = new Notebook();
    later.set(name("let", "losses"), printed("number[]"));
    later.set(name("function", "step"), printed("(rate: number) => void"));
    later.set(name("class", "Model"), { keptIn: keptModule(3, 1) });
    later.set(name("const", "model"), printed('import("./__mpslab_cell_3_1").Model'));
    expect(later.cellModule(moduleText("losses.map(step)")).text.split("\n")[0]).toBe(
      'import {  } from "./__mpslab_names"; declare let losses: number[]; ' +
        "declare function step(rate: number): void;",
    );
    const needing = ["losses.map(step)", "new Model()", "model.forward()"];
    expect(needing.filter((text) => later.needsDocuments(text, []))).toEqual(needing.slice(1));
    expect(later.needsDocuments("const model = 1", [name("const", "model")])).toBe(false);
    documents(later);
    expect(needing.filter((text) => later.needsDocuments(text, []))).toEqual([]);
    expect(later.cellModule(moduleText("losses")).text).toContain("import { losses as __mpslab_let_losses }");
  });

  test("holds the cell's text as it is, reads its values and exports its names", () => {
    const cell = "const a = 1; type B = 2";
    const module = notebook.cellModule(moduleText(cell, [name("const", "a"), name("type", "B")]));
    expect(module.text.slice(module.cellStart, module.cellEnd)).toBe(cell);
    expect(module.text.slice(module.cellEnd)).toBe("\nvoid a;\nexport { a, type B };");
    expect(module.text.slice(module.reads.get("a"))).toMatch(/^a;/);
  });

  test("has nothing below a draft, which may end in the middle of a word", () => {
    const module = notebook.draftModule("rate.");
    expect(module.text.slice(module.cellStart)).toBe("rate.\n");
  });

  test("is kept with the types of now: a later redeclaration does not reach it", () => {
    expect(
      notebook.keptText(
        moduleText("class Net extends Model { r = rate; l = losses }", [name("class", "Net")]),
      ).text,
    ).toBe(
      [
        'import { Model } from "./__mpslab_cell_3_1"; declare const rate: 0.1; declare let losses: number[];',
        "class Net extends Model { r = rate; l = losses }",
        "export { Net };",
      ].join("\n"),
    );
  });
});

describe("what a cell imports", () => {
  const TENSOR = 'import("/home/me/mpslab/dist/lib/torch/types").TensorOf<[2], "float32", "cpu">';
  const modules = (text = "") =>
    [...text.matchAll(/\b(?:from|import) ["']([^"']+)["']/g)].map(([, module]) => module);
  const imported = (notebook: Notebook, text: string, above?: string) =>
    modules(notebook.cellModule(moduleText(text), above).text);

  test("is the same for every cell and second look: the program is built for other imports anew", () => {
    const notebook = new Notebook();
    notebook.set(name("const", "x"), printed(TENSOR));
    documents(notebook);
    const expected = ["./__mpslab_names"];
    expect(imported(notebook, "1 + 1")).toEqual(expected);
    expect(imported(notebook, "x.relu()")).toEqual(expected);
    expect(imported(notebook, "let y = __mpslab_open(x); y = x;", OPEN_DECLARATION)).toEqual(expected);
    expect(imported(notebook, "if (__mpslab_condition(x)) 1;", QUESTION_DECLARATION)).toEqual(expected);
  });

  test("stays imported in later cells, and in itself when it runs again", () => {
    const notebook = new Notebook();
    const first = 'import { torch } from "mpslab"; import fs from "node:fs";\nimport "./setup.ts";';
    notebook.learnImports(first);
    const expected = ["./__mpslab_names", "mpslab", "node:fs", "./setup.ts"];
    expect(modules(notebook.cellModule(moduleText("1 + 1")).text)).toEqual(expected);
    expect(modules(notebook.cellModule(moduleText(first)).text)).toEqual(expected);
  });

  test("goes behind what other cells imported", () => {
    const notebook = new Notebook();
    notebook.learnImports('import type {\n  A,\n  B,\n} from "./types.ts";\nexport * from "mpslab";');
    notebook.learnImports("import path from 'node:path';\n// import nothing from 'here', import('there')");
    const expected = ["./__mpslab_names", "./types.ts", "mpslab", "node:path"];
    expect(modules(notebook.cellModule(moduleText("1 + 1")).text)).toEqual(expected);
    notebook.learnImports('import { torch } from "mpslab";');
    expect(modules(notebook.cellModule(moduleText("1 + 1")).text)).toEqual([
      "./__mpslab_names",
      "./types.ts",
      "node:path",
      "mpslab",
    ]);
  });

  test("comes, for a second look, through the module of names", () => {
    const notebook = new Notebook();
    notebook.set(name("const", "x"), printed(TENSOR));
    documents(notebook);
    const { text } = notebook.cellModule(moduleText("x"), OPEN_DECLARATION);
    expect(text).toMatch(
      'import { x, type __mpslab_nn, type __mpslab_Tensor } from "./__mpslab_names"; type',
    );
    expect(documents(notebook)["__mpslab_names"]).toContain(
      'export type { nn as __mpslab_nn, Tensor as __mpslab_Tensor } from "mpslab";',
    );
  });

  test("is the library itself in the cell that brings it", () => {
    const cell =
      'import { torch } from "mpslab"; let x = __mpslab_open(torch.zeros([2])); x = torch.ones([3]);';
    expect(imported(new Notebook(), cell, OPEN_DECLARATION)).toEqual([
      "./__mpslab_names",
      "mpslab",
      "mpslab",
    ]);
  });

  test("is nothing of the library in a notebook without it: its declarations are not loaded", () => {
    const notebook = new Notebook();
    notebook.set(name("const", "rate"), printed("0.1"));
    notebook.keep(keptModule(1, 1), kept("class Model {}\nexport { Model };"));
    expect(Object.values(documents(notebook)).flatMap(modules)).not.toContain("mpslab");
    expect(notebook.usesLibrary("let total = sum(rate); total = 2;")).toBe(false);
  });

  test("in a draft is the library, too, once it has been declared, whatever the draft may name of it", () => {
    const notebook = new Notebook();
    notebook.keep(keptModule(1, 1), kept('import { torch } from "mpslab";\nexport { torch };'));
    notebook.learnLibrary(["lab", "nn"]);
    documents(notebook);
    expect(modules(notebook.draftModule("1 + 1").text)).toEqual(["./__mpslab_names", "mpslab"]);
    expect(modules(notebook.draftModule("lab.epo", 7).text)).toEqual(["./__mpslab_names", "mpslab"]);
  });

  test.each([
    'import { torch } from "mpslab"; let x = torch.zeros([2]); x = torch.ones([3]);',
    "import { makeModel } from './model.ts'; let model = makeModel(); model = makeModel();",
    'const { images } = await import("../data.ts");',
  ])("may be of the library: %s", (text) => {
    expect(new Notebook().usesLibrary(text)).toBe(true);
  });
});

describe("the module of names", () => {
  test.each<[DeclarationKind, string, string]>([
    ["const", "number", "export declare const f: number;"],
    ["using", "File", "export declare const f: File;"],
    ["let", "number", "export declare let f: number;"],
    ["var", "number", "export declare let f: number;"],
    [
      "function",
      "(a: string, b?: number) => void",
      "export declare function f(a: string, b?: number): void;",
    ],
    [
      "function",
      "<T>(x: T, then: (y: T) => T) => T[]",
      "export declare function f<T>(x: T, then: (y: T) => T): T[];",
    ],
    ["function", '(x: ")" | "=>") => x is ")"', 'export declare function f(x: ")" | "=>"): x is ")";'],
    [
      "function",
      "{ (a: string): string; (a: number): number; }",
      "export declare const f: { (a: string): string; (a: number): number; };",
    ],
    ["function", "() => () => number", "export declare function f(): () => number;"],
    ["const", "(a: string) => void", "export declare const f: (a: string) => void;"],
  ])("declares a %s of type %s", (kind, type, declaration) => {
    const notebook = new Notebook();
    notebook.set(name(kind, "f"), printed(type));
    expect(documents(notebook)["__mpslab_names_0"]).toBe(`${declaration}\nexport {};\n`);
  });

  test("carries documentation and points to the cells that are kept", () => {
    const notebook = new Notebook();
    notebook.set(name("const", "a"), printed("number", "/** How many. */\n"));
    notebook.set(name("type", "T"), { keptIn: "__mpslab_cell_1_1" });
    expect(documents(notebook)["__mpslab_names_0"]).toBe(
      '/** How many. */\nexport declare const a: number;\nexport { type T } from "./__mpslab_cell_1_1";\nexport {};\n',
    );
  });

  test("imports each module once, however often its types appear", () => {
    const notebook = new Notebook();
    notebook.set(name("const", "x"), printed('import("../lib/tensor").Tensor'));
    notebook.set(
      name("const", "pair"),
      printed('Map<import("../lib/tensor").Tensor, import("./a").A.B<typeof import("./a").c>>'),
    );
    expect(documents(notebook)["__mpslab_names_0"]).toBe(
      [
        'import type { Tensor as __mpslab_0_Tensor } from "../lib/tensor";',
        'import type { A as __mpslab_1_A, c as __mpslab_1_c } from "./a";',
        "export declare const x: __mpslab_0_Tensor;",
        "export declare const pair: Map<__mpslab_0_Tensor, __mpslab_1_A.B<typeof __mpslab_1_c>>;",
        "export {};",
        "",
      ].join("\n"),
    );
  });

  test("two types of one name, of two modules, have two names", () => {
    const notebook = new Notebook();
    notebook.set(name("const", "x"), printed('[import("./a").A, import("./b").B, import("./a").B]'));
    expect(documents(notebook)["__mpslab_names_0"]).toContain(
      "export declare const x: [__mpslab_0_A, __mpslab_1_B, __mpslab_0_B];",
    );
  });

  test("with the first tensor come the modules of layers and optimizers: the program is not built anew for them", () => {
    const type = (module: string) => printed(`import("../dist/lib/torch/${module}").Type`);
    const modules = (text = "") => [...text.matchAll(/ from "([^"]+)"/g)].map(([, module]) => module);
    const notebook = new Notebook();
    notebook.set(name("const", "x"), type("types"));
    const first = modules(documents(notebook)["__mpslab_names_0"]);
    notebook.set(name("const", "model"), type("nn"));
    notebook.set(name("const", "optimizer"), type("optim"));
    notebook.set(name("const", "loader"), type("data"));
    notebook.set(name("let", "total"), type("members"));
    expect(modules(documents(notebook)["__mpslab_names_0"])).toEqual(first);
    expect(documents(notebook)["__mpslab_names_0"]).toContain("export declare const model: __mpslab_2_Type;");
  });

  test("is in parts of 64 names, and a redeclaration changes one part alone", () => {
    const notebook = new Notebook();
    for (let i = 0; i < 130; i++) notebook.set(name("const", `n${i}`), printed("number"));
    const before = documents(notebook);
    notebook.set(name("const", "n70"), printed("string"));
    const after = documents(notebook);
    expect(after["__mpslab_names"]).toBe(
      'export * from "./__mpslab_names_0";\nexport * from "./__mpslab_names_1";\nexport * from "./__mpslab_names_2";\nexport {};\n',
    );
    expect(Object.keys(after).filter((module) => before[module] !== after[module])).toEqual([
      "__mpslab_names_1",
    ]);
  });
});

describe("kept cells", () => {
  const isPinned = (text: string) => text.includes("declare global");

  test("go when their last name is declared anew", () => {
    const notebook = new Notebook();
    for (let run = 1; run <= 50; run++) {
      notebook.keep(keptModule(run, run), kept(`class K { run = ${run} }`));
      notebook.set(name("class", "K"), { keptIn: keptModule(run, run) });
      notebook.sweep(isPinned);
    }
    expect(Object.keys(documents(notebook))).toEqual([
      "__mpslab_cell_50_50",
      "__mpslab_names_0",
      "__mpslab_names",
    ]);
  });

  test("stay while a type, another kept cell, or a global declaration needs them", () => {
    const notebook = new Notebook();
    notebook.keep("__mpslab_cell_1_1", kept("class Base {}"));
    notebook.set(name("class", "Base"), { keptIn: "__mpslab_cell_1_1" });
    notebook.keep(
      "__mpslab_cell_2_2",
      kept('import { Base } from "./__mpslab_cell_1_1"; class Derived extends Base {}'),
    );
    notebook.set(name("const", "d"), printed('import("./__mpslab_cell_2_2").Derived'));
    notebook.keep("__mpslab_cell_3_3", kept("declare global {}"));
    notebook.set(name("class", "Base"), printed("never"));
    expect(notebook.sweep(isPinned)).toEqual([]);
    notebook.set(name("const", "d"), printed("number"));
    expect(notebook.sweep(isPinned)).toEqual(["__mpslab_cell_1_1", "__mpslab_cell_2_2"]);
  });
});

describe("what a cell's text tells", () => {
  test.each<[string, string[]]>([
    ["const a = 1\nlet b, c\nvar d", ["a", "b", "d"]],
    ["async function f() {}\nfunction* g() {}\nexport class K {}", ["f", "g", "K"]],
    ["const { x, y: [z] } = o", ["x", "y", "z"]],
    ["type T<A> = A\ninterface I {}\nenum E {}\nconst enum C {}\nnamespace N {}", ["T", "I", "E", "C", "N"]],
    ["import d, { e as f } from 'm'\nimport * as ns from 'n'", ["d", "e", "as", "f", "as", "ns"]],
    ["function f(", ["f"]],
    ["  const inner = 1", ["inner"]],
    ["x = 1; y.const", []],
  ])("%s declares %j", (text, names) => {
    expect(draftDeclarations(text)).toEqual(names);
  });

  test("which names it exports itself", () => {
    const text =
      "export const a = 1; export async function f() {} export default class K {}\nconst b = 1; export { b as c };";
    expect(["a", "f", "K", "b", "$", "missing"].filter((one) => isExported(text, one))).toEqual([
      "a",
      "f",
      "K",
      "b",
    ]);
    expect(isExported("const a = 1", "a")).toBe(false);
  });

  test("whether a value is a type as well, and what is written above it", () => {
    expect(isAlsoType("const $A = 1; type $A = 2", "$A")).toBe(true);
    expect(isAlsoType("const A = 1; type AB = 2", "A")).toBe(false);
    expect(
      documentationOf("/** One. */\nconst one = 1;\n/** Two. */\nexport async function two() {}", "two"),
    ).toBe("/** Two. */\n");
    expect(documentationOf("/** One. */\nconst one = 1; const two = 2", "two")).toBe("");
  });
});
