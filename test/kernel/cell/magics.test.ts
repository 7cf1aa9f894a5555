// Lines that begin with %: which are magics and which are remainders, what the checker sees, and where they run.
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { readMagics } from "../../../kernel/cell/magics.ts";
import { Evaluator } from "../../helpers/evaluator.ts";

const notebook = new Evaluator();
beforeEach(() => void notebook.calls.splice(0));
afterAll(() => notebook.close());

/** What a reader of the cell would say of its magics. */
const magicsOf = (text: string) =>
  readMagics(text).magics.map(({ name, call, line, help }) => [name, help ? "?" : call.text, line]);

describe("a magic is", () => {
  it.each([
    ["a line of its own", "%memory", ["memory", "", 0]],
    ["one with an argument", "%check  warn  ", ["check", "warn", 0]],
    ["a question", "%flush?", ["flush", "?", 0]],
    ["a line after a statement without a semicolon", "let a = 1\n%memory", ["memory", "", 1]],
    ["a line after a comment", "/* a\n*/\n%memory", ["memory", "", 2]],
    ["an indented line where a statement has ended", "f();\n  %memory", ["memory", "", 1]],
    ["an indented line where nothing has begun", "\n// first\n\t%memory", ["memory", "", 2]],
    ["a line after a template literal", "`${`a`}`\n%memory", ["memory", "", 1]],
    ["a line after a regular expression", "/[`/]'\"(/.test(x)\n%memory", ["memory", "", 1]],
    ["a line after a regular expression that follows a word", "typeof /`/\n%memory", ["memory", "", 1]],
    ["a line after a division", "a / b; c / `d`\n%memory", ["memory", "", 1]],
    ["a line of a file from Windows", "let a\r\n%check off\r\nlet b", ["check", "off", 1]],
  ])("%s", (_, text, magic) => {
    expect(magicsOf(text)).toEqual([magic]);
  });
});

describe("no magic is", () => {
  it.each([
    ["a remainder that goes on on the next line", "a\n% memory"],
    ["an indented remainder", "a\n  %memory"],
    ["a line of a template literal", "`\n%memory\n`"],
    ["a line of a template literal in a template literal", "`${`\n%memory\n`}`"],
    ["a line of a comment", "/*\n%memory\n*/"],
    ["a line in brackets", "f(a\n%memory\n)"],
    ["a line in a block", "{\n%memory\n}"],
    ["an assignment of a remainder", "a\n%= 3"],
    ["part of an expression", "a\n%memory.size"],
  ])("%s", (_, text) => {
    expect(readMagics(text)).toEqual({ magics: [], typescript: text, source: text });
  });

  it("so a remainder is computed", async () => {
    expect(await notebook.run("let a = 7, memory = 4\na\n  %memory")).toBe(3);
  });
});

it("the checker sees every character where the user wrote it", () => {
  const text = "let a = 1\n%memory\n(a)";
  const { typescript } = readMagics(text);
  expect(typescript).toBe("let a = 1\n;      \n(a)");
  expect(typescript).toHaveLength(text.length);
});

it("the session's magics run at their lines, the kernel's do not run in the session", async () => {
  await notebook.run("note('first')\n%memory\n%check off\n%device?\nnote('second')");
  expect(notebook.calls).toEqual(["first", "magic memory", "second"]);
});

it("an argument arrives as it was written", async () => {
  await notebook.run('%device "quoted" \\ `tick` ${x}');
  expect(notebook.calls).toEqual(['magic device "quoted" \\ `tick` ${x}']);
});

describe("an unknown magic is refused with what to write instead:", () => {
  it.each([
    ["%memry", "There is no magic %memry: did you mean %memory?", 6],
    ["%mem", "There is no magic %mem: did you mean %memory?", 4],
    ["%devise cpu", "There is no magic %devise: did you mean %device?", 7],
    ["%xyzzy", "There is no magic %xyzzy: %lsmagic lists those that exist", 6],
    ["%%xyzzy", "There is no magic %%xyzzy: %lsmagic lists those that exist", 7],
    ["%%memory", "%%memory does not exist: write %memory, which is for one line", 8],
  ])("%s", (text, message, length) => {
    expect(() => readMagics(`let a\n${text}`)).toThrow(
      expect.objectContaining({ name: "SyntaxError", message, start: 6, end: 6 + length }),
    );
  });
});

describe("wrong arguments are refused at their place:", () => {
  it.each([
    ["%check maybe", '%check takes error, warn or off, not "maybe"', "maybe"],
    ["%check worn", '%check takes error, warn or off, not "worn": did you mean warn?', "worn"],
    ["%flush  3", '%flush takes on or off, not "3"', "3"],
    ["%compiled 5", '%compiled takes no argument: write it without "5"', "5"],
    ["  %memory all", '%memory takes no argument: write it without "all"', "all"],
  ])("%s", (text, message, place) => {
    const cell = `let a;\n${text}`;
    const start = cell.indexOf(place, text.indexOf(" ") + 6);
    expect(() => readMagics(cell)).toThrow(
      expect.objectContaining({ message, start, end: start + place.length }),
    );
  });
});
