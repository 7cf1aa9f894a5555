// Tests when a cell is read with JSX, and what it is compiled to.
import { describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../../../kernel/cell/analyze.ts";
import { compile } from "../../../kernel/cell/compile.ts";
import { TYPESCRIPT_DEFAULTS } from "../../../kernel/cell/names.ts";
import { isComplete } from "../../../kernel/cell/completeness.ts";
import { isJsx, isJsxDraft } from "../../../lib/typescript/jsx.ts";

const compiled = (text: string, options = {}) =>
  compile(text, NO_BINDINGS, {
    script: "7",
    flush: false,
    typescript: { ...TYPESCRIPT_DEFAULTS, ...options },
  });
const code = (text: string, options = {}): string =>
  compiled(text, options)
    .code.replace(/^"use strict";\n|\n\/\/# sourceURL.*$|\/\* @__PURE__ \*\/ /g, "")
    .replaceAll(/\s+/g, " ");

describe("a cell is read with JSX", () => {
  it.each([
    "<b>hi</b>",
    "<br/>",
    "<></>",
    "const f = () => <b>{1}</b>",
    "<p>don't `quote` me</p>",
    "<b>{x}</b>; // shown",
    "<ul>{losses.map((l) => <li>{l}</li>)}</ul>",
    "<ul>{losses.map((l) => <li>{l</li>)}</ul>", // Its mistake is one of JSX.
  ])("%s", (text) => {
    expect(isJsx(text)).toBe(true);
  });
});

describe("a cell stays TypeScript", () => {
  it.each([
    "<number>x",
    "const f = <T>(x: T) => x;",
    "const f = <T>(x: T) => x; // </T>",
    "const n = <number>y; // </number>",
    "const html = '<b>hi</b>';",
    "a < b / c > d",
    "a </b>/.length",
    "const n = <number>y; const s = '</b>'; let z = ;",
  ])("%s", (text) => {
    expect(isJsx(text)).toBe(false);
  });
});

it("a tag that is being written is JSX already", () => {
  expect(isJsxDraft("<ul cla")).toBe(true);
  expect(isJsxDraft("const a = <ul>{losses.}</ul>")).toBe(true);
  expect(isJsxDraft("f<number>(")).toBe(false);
});

it("elements become calls of the session's own function", () => {
  expect(code('<b id="x">hi {n}</b>')).toBe('__mpslab_jsx("b", { id: "x" }, "hi ", n);');
  expect(code("<>a<Row/></>")).toBe('__mpslab_jsx(__mpslab_fragment, null, "a", __mpslab_jsx(Row, null));');
});

it("or of the factory that the tsconfig names", () => {
  const jsx = { runtime: "classic", pragma: "React.createElement", pragmaFrag: "React.Fragment" };
  expect(code("<b>hi</b>", { jsx })).toBe('React.createElement("b", null, "hi");');
});

it("or of the package's, which the cell then loads, under a name of its own", () => {
  const { imports } = compiled("import { a } from 'a'; <b>hi</b>", {
    jsx: { runtime: "automatic", importSource: "react" },
  });
  expect(imports).toEqual([{ specifier: "a" }, { specifier: "react/jsx-runtime" }]);
  expect(
    code("import { a } from 'a'; <b>{a}</b>", { jsx: { runtime: "automatic", importSource: "react" } }),
  ).toBe(
    'let { a } = __mpslab_imported("a"); let { jsx: __mpslab_7_jsx } = __mpslab_imported("react/jsx-runtime"); ' +
      '__mpslab_7_jsx("b", { children: a });',
  );
});

it("a component that is imported for JSX alone is loaded", () => {
  expect(compiled('import { Chart } from "./chart.tsx"; <Chart/>').imports).toEqual([
    { specifier: "./chart.tsx" },
  ]);
});

it("functions in JSX can be interrupted", () => {
  expect(code("<b>{xs.map((x) => <i>{x}</i>)}</b>")).toContain(
    "(x) => (__mpslab_stop[0] && __mpslab_interrupted(), __mpslab_jsx(",
  );
});

it("magics stand below an element", () => {
  const { magics } = compiled("<ul>{[1].map((n) => <li>{n}</li>)}</ul>;\n%memory");
  expect(magics.map(({ name }) => name)).toEqual(["memory"]);
});

it("a console waits for the closing tag", () => {
  expect(isComplete("<ul>").status).toBe("incomplete");
  expect(isComplete("<ul>\n  <li>a</li>").status).toBe("incomplete");
  expect(isComplete("<ul>\n  <li>a</li>\n</ul>").status).toBe("complete");
});

it("mistakes in JSX are told in its words", () => {
  expect(() => compiled("<b>hi</i>")).toThrow("Expected corresponding JSX closing tag for 'b'");
  expect(() => compiled("<b>1</b>\n<i>2</i>")).toThrow("Adjacent JSX elements must be wrapped");
});

it("elements without end are refused, not parsed", () => {
  expect(() => compiled(`${"<a>".repeat(40_000)}${"</a>".repeat(40_000)}`)).toThrow(/nests some|too long/);
  expect(() => compiled(`<a>' ${"<a>\nb ".repeat(10_000)}${"</a>".repeat(10_001)}`)).toThrow();
});

it("many elements beside each other are none too many", () => {
  const rows = Array.from({ length: 150 }, (_, i) => `<li>it's ${i}</li>`).join("\n");
  expect(() => compiled(`<ul>${rows}</ul>`)).not.toThrow();
});
