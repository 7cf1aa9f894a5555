// Tests where the check goes in a package's text. The inputs mark the position with ^.
import { describe, expect, it } from "vitest";
import { withCheck } from "../../../../kernel/runtime/interrupt/live_edit.ts";

const CHECK = "globalThis.__mpslab_stop[0] && globalThis.__mpslab_interrupted()";

function edited(marked: string): string | null {
  const offset = marked.indexOf("^");
  const before = marked.slice(0, offset).split("\n");
  const position = { lineNumber: before.length - 1, columnNumber: before.at(-1)!.length };
  return withCheck(marked.replace("^", ""), position)?.replaceAll(CHECK, "CHECK") ?? null;
}

describe("the check stands at the head of", () => {
  it.each([
    ["a function", "function f() { ^for (;;); }", "function f() {;CHECK; for (;;); }"],
    ["the innermost one", "() => { () => { ^for (;;); } }", "() => { () => {;CHECK; for (;;); } }"],
    [
      "the outer one, where the inner is not what runs",
      "function f() { ^g(() => { h(); }); }",
      "function f() {;CHECK; g(() => { h(); }); }",
    ],
    ["an arrow's expression", "const f = (x) => ^g(x);", "const f = (x) => (CHECK, g(x));"],
    [
      "a method",
      "class A {\n  m() {\n    while (true) ^g();\n  }\n}",
      "class A {\n  m() {;CHECK;\n    while (true) g();\n  }\n}",
    ],
    ["an accessor", "({ get x() { ^for (;;); } })", "({ get x() {;CHECK; for (;;); } })"],
    [
      "a constructor",
      "class A extends B { constructor() { ^super(); } }",
      "class A extends B { constructor() {;CHECK; super(); } }",
    ],
    [
      "what follows the directives",
      'function f() { "use strict"; ^for (;;); }',
      'function f() { "use strict";;CHECK; for (;;); }',
    ],
    [
      "a function of a module",
      "import a from 'a'; export function f() { ^a(); }",
      "import a from 'a'; export function f() {;CHECK; a(); }",
    ],
    [
      "a function of a CommonJS file",
      "if (x) return; with_(a); module.exports = () => { ^for (;;); };",
      "if (x) return; with_(a); module.exports = () => {;CHECK; for (;;); };",
    ],
    [
      "a function of a sloppy script",
      "function f() { with (a) { ^b(); } }",
      "function f() {;CHECK; with (a) { b(); } }",
    ],
    [
      "a function behind lines of every kind of end",
      "a\r\nb\rc\u2028function f() { ^g(); }",
      "a\r\nb\rc\u2028function f() {;CHECK; g(); }",
    ],
  ])("%s", (_name, marked, expected) => {
    expect(edited(marked)).toBe(expected);
  });

  it.each(["function f() { ^for (;;); }", "const f = (x) => ^g(x);", 'function f() { "use strict"; ^g(); }'])(
    "%s, once",
    (marked) => {
      const offset = marked.indexOf("^");
      const once = withCheck(marked.replace("^", ""), { lineNumber: 0, columnNumber: offset }) as string;
      expect(withCheck(once, { lineNumber: 0, columnNumber: once.length - marked.length + 1 + offset })).toBe(
        once,
      );
    },
  );

  it.each([
    ["the top level", "^for (;;);"],
    ["an async function", "async function f() { ^for (;;); }"],
    ["a generator", "function* f() { ^for (;;); }"],
    ["a parameter's default", "function f(x = ^g()) {}"],
    ["what is no JavaScript", "function f( { ^"],
    [
      "what nests too deeply for the parser",
      `function f() { ^for (;;); } const x = ${"[".repeat(50_000)}${"]".repeat(50_000)};`,
    ],
  ])("nothing for %s", (_name, marked) => {
    expect(edited(marked)).toBeNull();
  });
});
