// Type and syntax errors as the user reads them.
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { formatProblems, summarizeProblem, type Problem } from "../../../kernel/errors/diagnostics.ts";

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
const plain = (problems: Problem[], cell = text, title = "TypeCheckError"): string =>
  stripVTControlCharacters(formatProblems(problems, cell, 3, title).join("\n"));

it("reads as what code throws: name, message, line, caret, position; a tab is one column", () => {
  expect(plain([problem(21, 26, "Type 'string' is not assignable.", 2322)])).toBe(
    [
      "TypeCheckError: Type 'string' is not assignable. (TS2322)",
      "  1 | const ok = 1;",
      '> 2 |  const wrong: number = "a";',
      "    |        ^^^^^",
      "  3 | const z = 2;",
      "    at Cell [3]:2:8",
    ].join("\n"),
  );
});

it("marks the name, the caret and the position, without colours", () => {
  const [heading, , , caret, , place] = formatProblems(
    [problem(21, 26, "No.", 2322)],
    text,
    3,
    "SyntaxError",
  );
  expect(heading).toBe("\x1b[1mSyntaxError\x1b[0m: No. \x1b[2m(TS2322)\x1b[0m");
  expect(caret).toBe("    \x1b[2m|\x1b[0m        \x1b[1m^^^^^\x1b[0m");
  expect(place).toBe("    \x1b[2mat\x1b[0m \x1b[4mCell [3]:2:8\x1b[0m");
  const [warning] = formatProblems([problem(21, 26, "No.")], text, 3, "Warning");
  expect(warning).toBe("\x1b[1mWarning\x1b[0m: No.");
});

it("puts a chained explanation below the message, and the caret no further than its line", () => {
  expect(plain([problem(42, 60, "No.\n  Because.")], "const z = 2;\n".repeat(4)).split("\n")).toEqual([
    "TypeCheckError: No.",
    "  Because.",
    "  2 | const z = 2;",
    "  3 | const z = 2;",
    "> 4 | const z = 2;",
    "    |    ^^^^^^^^^",
    "  5 |",
    "    at Cell [3]:4:4",
  ]);
});

it("shows one mark where nothing has any width: the end of the cell", () => {
  expect(
    plain([problem(8, 8, "Expected `)`")], "f(1, 2, \r\n")
      .split("\n")
      .slice(1, 3),
  ).toEqual(["> 1 | f(1, 2, ", "    |         ^"]);
});

it("marks below characters that take two columns, and below those that take none", () => {
  const cell = "const 数 = '数\u0301', x = y;";
  const at = cell.indexOf("y;");
  expect(plain([problem(at, at + 1)], cell).split("\n")[2]).toBe(`    | ${" ".repeat(at + 1)}^`);
});

it("shows the part of a long line around the place", () => {
  const cell = `${"a;".repeat(500)}wrong;${"b;".repeat(500)}`;
  const [, line = "", caret = ""] = plain([problem(1000, 1005)], cell).split("\n");
  expect(line.slice(6)).toMatch(/^…(a;)+wrong;(b;)+…$/);
  expect(line.length).toBeLessThan(180);
  expect(line.slice(caret.indexOf("^"), caret.lastIndexOf("^") + 1)).toBe("wrong");
});

it("counts several problems at the end, and shows no more than a person reads", () => {
  const lines = plain([problem(6, 8, "One."), problem(48, 49, "Two.")]).split("\n");
  expect(lines.filter((line) => !/^[> ]/.test(line))).toEqual([
    "TypeCheckError: One.",
    "",
    "TypeCheckError: Two.",
    "",
    "Found 2 problems in Cell [3].",
  ]);
  const many = plain(Array.from({ length: 500 }, () => problem(6, 8)));
  expect(many.match(/TypeCheckError/g)).toHaveLength(20);
  expect(many).toMatch(/Found 500 problems in Cell \[3\]\.$/);
});

it("has a summary in one line", () => {
  expect(summarizeProblem(problem(21, 26, "No.\n  Because.", 2322), text, 3)).toBe(
    "Cell [3]:2:8 - TS2322: No.",
  );
  expect(summarizeProblem(problem(0, 1, "Unexpected token"), text, 3)).toBe(
    "Cell [3]:1:1 - Unexpected token",
  );
});

it("of a file that the cell imports is shown with its line, placed there, and counted with those of the cell", () => {
  const file = { name: "./model.ts", text: "const rate = 0.1;\nexport const name: number = rate.name;" };
  const start = file.text.lastIndexOf("name");
  const inFile = { ...problem(start, start + 4, "No name.", 2339), file };
  expect(plain([inFile])).toBe(
    [
      "TypeCheckError: No name. (TS2339)",
      "  1 | const rate = 0.1;",
      "> 2 | export const name: number = rate.name;",
      "    |                                  ^^^^",
      "    at ./model.ts:2:34",
    ].join("\n"),
  );
  expect(summarizeProblem(inFile, text, 3)).toBe("./model.ts:2:34 - TS2339: No name.");
  expect(plain([problem(0, 1), inFile])).toMatch(/\n\nFound 2 problems in Cell \[3\], \.\/model\.ts\.$/);
});
