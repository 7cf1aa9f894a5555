// Tests what Enter does in a console: it runs the text, or opens another line.
import { describe, expect, it } from "vitest";
import { isComplete } from "../../../kernel/cell/completeness.ts";

describe("complete:", () => {
  it.each([
    "",
    "1 + 1",
    "let x: number = 1;",
    "if (x) { y }",
    "a\n% b",
    "`template`",
    "async",
    "const f = () => {}",
    "type A = {\n  b: number\n}",
    "await load()",
    "import { a } from 'x'",
    "%memory",
    "losses?",
    "%%sh\nfor i in 1 2; do (",
    "%%timeit\nfor (;;) {}",
    "declare function f(): void",
    "let a = 1; let a = 2",
    "{ a: 1, b: 2 }",
  ])("%s", (text) => {
    expect(isComplete(text)).toEqual({ status: "complete" });
  });
});

describe("incomplete:", () => {
  it.each([
    ["foo(", "  "],
    ["foo(1,", ""],
    ["function f() {", "  "],
    ["function f()", ""],
    ["if (x) {\n  while (y) {", "    "],
    ["if (x) {\n  y;", "  "],
    ["class A {\n  m() {\n    return 1;\n  }", "  "],
    ["[1, 2", ""],
    ["x = {", "  "],
    ["let x =", ""],
    ["1 +", ""],
    ["a ?", ""],
    ["a.", ""],
    ["() =>", "  "],
    ["if (x)", ""],
    ["if (x) {} else", ""],
    ["for (const a of b)", ""],
    ["do x()", ""],
    ["try {}", ""],
    ["switch (a) {\n  case 1:", "  "],
    ["type A =", ""],
    ["interface A", ""],
    ["import { a", ""],
    ["let x = `abc", ""],
    ["let x = `abc ${", "  "],
    ["let x = `abc ${1} def", ""],
    ["/* comment", ""],
    ["let a = 1;\n/** comment\n * goes on", " "],
    ["foo(  // why\n", ""],
    ["%memory\nfoo(", "  "],
    ["%%time\nfoo(", "  "],
    ["%%timeit\nfor (;;) {", "  "],
  ])("%s", (text, indent) => {
    expect(isComplete(text)).toEqual({ status: "incomplete", indent });
  });
});

describe("invalid:", () => {
  it.each([
    "let = = 3",
    "foo(]",
    "}",
    "foo)",
    '"abc',
    "x = 'abc\n'",
    "/abc",
    "a b",
    "return 5",
    "let x: = 3",
    "let = = 3; foo(",
    "%memry",
    "function f() { await 1 }",
    "const x",
  ])("%s", (text) => {
    expect(isComplete(text)).toEqual({ status: "invalid" });
  });
});

it("brackets that nest too deeply for the parser are invalid", () => {
  expect(isComplete("(".repeat(20_000))).toEqual({ status: "invalid" });
});
