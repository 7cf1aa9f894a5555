// Which cells must be folded before another one can be checked.
import { describe, expect, test, vi } from "vitest";
import type { Declared } from "../../../kernel/cell/analyze.ts";
import { identifiers, writtenType } from "../../../kernel/language/cell_text.ts";
import { LanguageServer } from "../../../kernel/language/server/server.ts";
import { parseTypeScript } from "../../../lib/typescript/parse.ts";
import { UnfoldedCells } from "../../../kernel/language/unfolded.ts";
import { NotebookSession } from "./notebook_session.ts";

const named = (name: string): Declared => ({ name, kind: "const", runtimeName: name, typeOnly: false });

function cells(...texts: string[]): UnfoldedCells {
  const unfolded = new UnfoldedCells();
  for (const [index, text] of texts.entries()) {
    const visible = [...text.matchAll(/const (\w+)/g)].map(([, name = ""]) => named(name));
    const cell = { count: index + 1, ...parseTypeScript(text), declared: visible };
    unfolded.add({ cell, visible, printed: null, rows: new Map() }, new Set(identifiers(text)));
  }
  return unfolded;
}

const texts = (taken: readonly { readonly cell: { readonly text: string } }[]): string[] =>
  taken.map(({ cell }) => cell.text);

describe("cells that are not folded", () => {
  test("are taken if a text mentions their names, with those that they mention themselves, oldest first", () => {
    const unfolded = cells("const a = 1", "const b = 2", "const c = a", "const d = c + 1");
    expect(texts(unfolded.takeFor(new Set(["console", "log", "c"])))).toEqual(["const a = 1", "const c = a"]);
    expect(texts(unfolded.takeFor(new Set()))).toEqual([]);
    expect(texts(unfolded.takeAll())).toEqual(["const b = 2", "const d = c + 1"]);
    expect(unfolded.size).toBe(0);
  });

  test("are asked before a name that they mention is declared anew", () => {
    const unfolded = cells("const a = rate * 2");
    expect(["a", "rate", "other"].filter((name) => unfolded.mention([named(name)]))).toEqual(["a", "rate"]);
  });

  test("go one by one while nothing runs", () => {
    const unfolded = cells("const a = 1", "const b = 2");
    expect(texts(unfolded.takeFirst())).toEqual(["const a = 1"]);
    expect(texts(unfolded.takeFirst())).toEqual(["const b = 2"]);
    expect(texts(unfolded.takeFirst())).toEqual([]);
  });
});

describe("cells that come one right after the other", () => {
  test("know the names of all before them, however long ago and whatever came between", async () => {
    const notebook = new NotebookSession();
    try {
      const problems: string[] = [];
      for (let i = 0; i < 20; i++) problems.push(...(await notebook.run(`const v${i} = ${i} * 2;`)));
      problems.push(...(await notebook.run("const first = v0; class Model { rate = v3 }")));
      problems.push(...(await notebook.run("const v0 = String(v1);")));
      problems.push(...(await notebook.run("const model = new Model();")));
      expect(problems).toEqual([]);
      expect(await notebook.typeOf("first")).toBe("number");
      expect(await notebook.typeOf("v0")).toBe("string");
      expect(await notebook.typeOf("model.rate")).toBe("number");
      expect(await notebook.typeOf("v19")).toBe("number");
    } finally {
      notebook.close();
    }
  });

  test("see a name as it was when they ran, though it was declared anew before anybody asked", async () => {
    const notebook = new NotebookSession();
    try {
      await notebook.run("const a = 1 + 1;");
      await notebook.run("const nothing = null;");
      await notebook.run("const b = [a];");
      await notebook.run('const a = "text" + 1;');
      expect(await notebook.typeOf("b")).toBe("number[]");
      expect(await notebook.typeOf("a")).toBe("string");
      expect((await notebook.service.types()).get("b")).toBe("number[]");
    } finally {
      notebook.close();
    }
  });

  test("import again what is imported already, and the program stays as it is", async () => {
    const notebook = new NotebookSession({
      "one.ts": "export const a = 1 as number;\nexport type B = { b: true };",
      "two.ts": 'export const a = "two" as string;',
    });
    const changed = vi.spyOn(LanguageServer.prototype, "setDocument");
    const newModules = () =>
      changed.mock.results.flatMap(({ value }, at) => {
        const [name] = changed.mock.calls[at]!;
        return value === true && /_cell_\d/.test(name) ? [name] : [];
      });
    const published = async (text: string) => {
      expect(await notebook.run(text)).toEqual([]);
      await vi.waitFor(() => expect(changed.mock.lastCall?.[0]).toBe("__mpslab_names.ts"));
      const found = newModules();
      changed.mockClear();
      return found;
    };
    try {
      expect(await published('import { a, type B } from "./one.ts";')).toHaveLength(1);
      expect(await published('import { a, type B } from "./one.ts"; const twice = a * 2;')).toEqual([]);
      expect(
        await published('import { type B } from "./one.ts"; import { a } from "./two.ts";'),
      ).toHaveLength(1);
      expect(await notebook.typeOf("a")).toBe("string");
      expect(await published("const a = true as boolean;")).toEqual([]);
      expect(await notebook.typeOf("a")).toBe("boolean");
      expect(await published('import { a } from "./two.ts";')).toHaveLength(1);
      expect(await notebook.typeOf("a")).toBe("string");
      expect(await notebook.typeOf("2 as unknown as B")).toBe("B");
    } finally {
      changed.mockRestore();
      notebook.close();
    }
  });

  test("give an editor their names at once", async () => {
    const notebook = new NotebookSession();
    try {
      await notebook.run("const learningRate = 0.1 * 2;");
      await notebook.run("const epochs = [1, 2];");
      expect(await notebook.completions("learn|")).toContain("learningRate");
      expect(await notebook.hover("epo|chs")).toBe("const epochs: number[]");
    } finally {
      notebook.close();
    }
  });
});

test.each([
  ["function f(a: number): string {\n  return String(a);\n}", "(a: number) => string"],
  [
    "export async function f<T extends { a: 1 }>(\n  x: T,\n): Promise<T> { return x }",
    "<T extends { a: 1 }>( x: T, ) => Promise<T>",
  ],
  ["function f(): { x: number }[] { return [] }", "() => { x: number }[]"],
  ["function f(x: unknown): x is { y: 1 } { return true }", "(x: unknown) => x is { y: 1 }"],
  ["function* f(): Generator<number> { yield 1 }", "() => Generator<number>"],
  ["function f(a: number) { return a }", null],
  ["function f(): void;\nfunction f(a?: number): void {}", null],
  ["const f = (): number => 1", null],
])("the type of a function in its own words: %j is %j", (text, type) => {
  expect(writtenType(text, "f")).toBe(type);
});
