// Type and syntax errors as the user reads them.
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { formatProblems, summarizeProblem, type Problem } from "../../kernel/diagnostics.ts";

const text = 'const ok = 1;\n\tconst wrong: number = "a";\nconst z = 2;';
const problem = (
  start: number,
  end: number,
  message = "Type 'string' is not assignable.",
  code?: number,
): Problem => ({
  start,
  end,
  category: "error",
  message,
  ...(code === undefined ? {} : { code }),
});
const plain = (problems: Problem[], cell = text): string =>
  stripVTControlCharacters(formatProblems(problems, cell, 3).join("\n"));

it("reads like tsc's: position, message, line, caret; a tab is one column", () => {
  expect(plain([problem(21, 26, "Type 'string' is not assignable.", 2322)])).toBe(
    [
      "Cell [3]:2:8 - error TS2322: Type 'string' is not assignable.",
      "",
      '2  const wrong: number = "a";',
      "         ~~~~~",
    ].join("\n"),
  );
});

it("colours the position, the category and the caret", () => {
  expect(formatProblems([problem(21, 26, "No.", 2322)], text, 3)[0]).toBe(
    "\x1b[96mCell [3]\x1b[0m:\x1b[93m2\x1b[0m:\x1b[93m8\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2322\x1b[90m: \x1b[0mNo.",
  );
});

it("puts a chained explanation below, and the caret no further than its line", () => {
  expect(plain([problem(42, 60, "No.\n  Because.")], text)).toBe(
    ["Cell [3]:3:1 - error: No.", "  Because.", "", "3 const z = 2;", "  ~~~~~~~~~~~~"].join("\n"),
  );
});

it("shows at least one mark where nothing has any width: the end of the cell", () => {
  expect(plain([problem(8, 8, "Expected `)`")], "f(1, 2, \r\n")).toBe(
    ["Cell [3]:1:9 - error: Expected `)`", "", "1 f(1, 2, ", "          ~"].join("\n"),
  );
});

it("counts several problems at the end", () => {
  expect(plain([problem(6, 8, "One."), problem(48, 49, "Two.")]).split("\n")).toEqual([
    "Cell [3]:1:7 - error: One.",
    "",
    "1 const ok = 1;",
    "        ~~",
    "",
    "Cell [3]:3:7 - error: Two.",
    "",
    "3 const z = 2;",
    "        ~",
    "",
    "Found 2 problems in Cell [3].",
  ]);
});

it("has a summary in one line", () => {
  expect(summarizeProblem(problem(21, 26, "No.\n  Because.", 2322), text, 3)).toBe(
    "Cell [3]:2:8 - TS2322: No.",
  );
  expect(summarizeProblem(problem(0, 1, "Unexpected token"), text, 3)).toBe(
    "Cell [3]:1:1 - Unexpected token",
  );
});
