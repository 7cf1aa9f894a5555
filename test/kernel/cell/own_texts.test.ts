// What a function of a cell prints is what the user wrote, types removed: no check of the compiler's, the same spaces and
// comments.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../../../kernel/cell/analyze.ts";
import { compile } from "../../../kernel/cell/compile.ts";
import { RESERVED_PREFIX, TYPESCRIPT_DEFAULTS } from "../../../kernel/cell/names.ts";
import { ownTexts } from "../../../kernel/cell/own_texts.ts";
import { parseTypeScript } from "../../../lib/typescript/parse.ts";
import { eraseTypes } from "../../../kernel/cell/transform/erase_types.ts";
import { lowerTypeScript } from "../../../kernel/cell/transform/lower.ts";

function textsOf(text: string) {
  const { code } = compile(text, NO_BINDINGS, { script: "1", flush: true });
  return ownTexts(text, code, TYPESCRIPT_DEFAULTS);
}

const ownOf = (text: string): string[] => textsOf(text).map(({ own }) => own);

describe("a function that has no types is printed as it stands", () => {
  it.each([
    "function named(a,b){ return a+b }",
    "async  function* steps() { for (;;) { yield await 1; } }",
    "(x)=>x+1",
    "async ({ a = 1 }, ...rest) => { /* why */ for await (const x of rest) { x; } }",
    "function guarded() { try { throw 'text' } catch { } finally { import('node:fs') } }",
    "class Point { #x = 1; static zero = 0; get x() { return this.#x } static { for (;;) break } }",
    "function fetch() { return fetch }",
    "() => { for (let epoch = 0; epoch < 2; epoch++) { epoch } }",
  ])("%s", (text) => {
    const cell = text.startsWith("class") || text.includes("function") ? text : `const kept = ${text};`;
    expect(ownOf(cell)[0]).toBe(text);
  });

  it("each of several, functions that move to the top among them", () => {
    const text =
      "const a = () => 1; function b() { return c }\nconst c = () => () => 2;\nexport function d() {}";
    expect(new Set(ownOf(text))).toEqual(
      new Set(["() => 1", "function b() { return c }", "() => () => 2", "() => 2", "function d() {}"]),
    );
  });

  it("a method without what a class says of it", () => {
    const text = "class A { static async m() {} get x() { return 1 } *[`k`]() {} static static() {} }";
    expect(ownOf(text).slice(1)).toEqual([
      "async m() {}",
      "get x() { return 1 }",
      "*[`k`]() {}",
      "static() {}",
    ]);
  });

  it("in a cell with magics", () => {
    expect(ownOf("%time const twice = (a) => a  *  2\nconst thrice = (a) => a*3")).toEqual([
      "(a) => a  *  2",
      "(a) => a*3",
    ]);
  });
});

describe("types are removed, and nothing else is", () => {
  it.each([
    [
      "function f<T>(this: Date, a: T, b?: string): a is T {\n  // why\n  return a!  as T }",
      "function f(a, b) {\n  // why\n  return a }",
    ],
    [
      "const f = async <T,>(a: T, { b }: { b: number } = { b: 1 }): Promise<T> => a satisfies T",
      "async (a, { b } = { b: 1 }) => a",
    ],
    [
      "abstract class A<T> extends Map<T, T> implements B, C { private readonly x?: T = 1 as any; abstract m(): void; m2(): void; m2(a?: T) {} }",
      "class A extends Map { x = 1;   m2(a) {} }",
    ],
    [
      "function f() {\n  interface A { a: 1 }\n  type B = A;\n  let x!: B;\n  return new Map<string, B>();\n}",
      "function f() {\n  let x;\n  return new Map();\n}",
    ],
  ])("%s", (text, own) => expect(ownOf(text)[0]).toBe(own));

  it("what is no JavaScript is printed as it runs", () => {
    const text = "class A { constructor(readonly x: number) {} }";
    expect(ownOf(text)[0]).toBe("class A {\n\tx;\n\tconstructor(x) {\n\t\tthis.x = x;\n\t}\n}");
    expect(ownOf("enum E { A }\nconst f = (x: E) => x")).toContain("(x) => x");
  });

  it("our own source without its types means what it meant", () => {
    const files = readdirSync("kernel", { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => path.join("kernel", file));
    let functions = 0;
    for (const file of files) {
      const text = readFileSync(file, "utf8");
      for (const statement of parseTypeScript(text).program.body) {
        const node = "declaration" in statement && statement.declaration ? statement.declaration : statement;
        if (node.type !== "FunctionDeclaration" && node.type !== "ClassDeclaration") continue;
        const erased = eraseTypes(text, node, node.start);
        const original = text.slice(node.start, node.end);
        if (erased === null)
          expect.soft(original, file).toMatch(/constructor\([^)]*\b(?:readonly|private)\b/);
        else expect.soft(withoutComments(erased), file).toBe(withoutComments(original));
        functions += 1;
      }
    }
    expect(functions).toBeGreaterThan(500);
  });
});

/** As JavaScript of one form. The transformer keeps other comments where types stood. */
function withoutComments(typescript: string): string {
  const { code } = lowerTypeScript(typescript, "cell.ts", { verbatimModuleSyntax: true });
  return code.replace(/^\s*(?:\/\/.*|\/\*[^]*?\*\/)\n/gm, "");
}

it("every function that V8 has of a cell is found, and none of the compiler's words is left", () => {
  const text = `
    let total = 0;
    async function work(values: number[]) {
      for (const value of values) { try { total += await value; } catch (error) { throw "text"; } finally { total++; } }
      return values.map((value) => value * 2).filter(function (value) { return value > 2; });
    }
    for (let epoch = 0; epoch < 3; epoch++) [1].forEach((x) => { while (x > 0) x--; });
    const meta = () => import.meta.url;`;
  const texts = textsOf(text);
  expect(texts.map(({ running }) => running.includes(RESERVED_PREFIX))).toEqual(texts.map(() => true));
  expect(texts.map(({ own }) => own).filter((own) => own.includes(RESERVED_PREFIX))).toEqual([]);
  expect(texts.length).toBe(5);
});

it("a function of the object that ends a cell is printed as it stands", () => {
  expect(ownOf("const two = 2\n{ twice:(x: number)=>x*two, two }")).toEqual(["(x)=>x*two"]);
});
