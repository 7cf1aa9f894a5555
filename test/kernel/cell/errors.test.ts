// Tests the errors of cells that cannot be compiled: one message that says what is wrong and what to do, and the place
// in the cell.
import { describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../../../kernel/cell/analyze.ts";
import { CellSyntaxError, compile } from "../../../kernel/cell/compile.ts";

/** The place of the error is marked by «». */
const CASES: readonly (readonly [marked: string, message: string])[] = [
  ["let = «=» 3", "Unexpected `=`"],
  ["let x: «=» 3", "Unexpected `=`"],
  ["foo(«»", "Expected `)` but the cell ends here"],
  ["function f() {«»", "Expected `}` but the cell ends here"],
  ["1 +«»", "Unexpected end of the cell"],
  ["let x = «`abc»", "Unterminated template literal"],
  ['let x = «"abc»', "Unterminated string"],
  ["let a = 1;\nlet «a» = 2", "Identifier `a` has already been declared"],
  ["const a = 1; class «a» {}", "Identifier `a` has already been declared"],
  ["function f() {} function «f»() {}", "Identifier `f` has already been declared"],
  ["var f = 1; function «f»() {}", "Identifier `f` has already been declared"],
  ['import { a } from "m"; let «a» = 1', "Identifier `a` has already been declared"],
  ['import { a } from "m"; import «a» from "n"', "Identifier `a` has already been declared"],
  ['import N from "m"; namespace «N» { export const a = 1 }', "Identifier `N` has already been declared"],
  [
    "«break»",
    "Illegal break statement: A `break` statement can only be used within an enclosing iteration or switch statement",
  ],
  ["for (;;) { continue «outer» }", "Use of undefined label"],
  ["«return» 5", "A 'return' statement can only be used within a function body"],
  [
    "function f() { «await» 1 }",
    "`await` is only allowed within async functions and at the top levels of modules: " +
      "Either remove this `await` or add the `async` keyword to the enclosing function",
  ],
  ["class A { m() { this.«#x» } }", "Private field '#x' must be declared in an enclosing class"],
  ['import «torch», { nn } from "mpslab"', "mpslab has no default export, and its names stand in braces"],
  ['import «mpslab» from "mpslab"', "mpslab has no default export, and its names stand in braces"],
  ["«export = 5»", "A cell is no module: leave out `export =`"],
  [
    '«export * from "m"»',
    "A cell is no module and cannot re-export: import the names, and every later cell has them",
  ],
  [
    '«export { a } from "m"»',
    "A cell is no module and cannot re-export: import the names, and every later cell has them",
  ],
  [
    "let «__mpslab_x» = 1",
    "Names that begin with __mpslab_ belong to the kernel: give __mpslab_x another name",
  ],
  [
    "f(«__mpslab_stop»)",
    "Names that begin with __mpslab_ belong to the kernel: give __mpslab_stop another name",
  ],
  ["%memory\nlet a\nlet «a»", "Identifier `a` has already been declared"],
];

describe("a cell is refused:", () => {
  it.each(CASES)("%s", (marked, message) => {
    const text = marked.replace(/[«»]/g, "");
    let thrown: unknown;
    try {
      compile(text, NO_BINDINGS, { script: "1", flush: true });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(CellSyntaxError);
    const { name, message: said, start, end } = thrown as CellSyntaxError;
    expect({
      name,
      said,
      marked: `${text.slice(0, start)}«${text.slice(start, end)}»${text.slice(end)}`,
    }).toEqual({
      name: "SyntaxError",
      said: message,
      marked,
    });
  });
});

it("a name of the kernel's in a string or a comment is the user's own affair", () => {
  const { declared } = compile("const a = '__mpslab_stop' // __mpslab_stop", NO_BINDINGS, {
    script: "1",
    flush: true,
  });
  expect(declared.map(({ name }) => name)).toEqual(["a"]);
});
