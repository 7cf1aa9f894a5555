// Lines that begin with %: which are magics and which are remainders, what the checker sees, and where they run.
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { MAGICS, readMagics } from "../../../kernel/cell/magics.ts";
import { Evaluator } from "../../helpers/evaluator.ts";

const notebook = new Evaluator();
beforeEach(() => void notebook.calls.splice(0));
afterAll(() => notebook.close());

const magicsOf = (text: string) => readMagics(text).magics;

describe("a magic is", () => {
  it.each([
    ["a line of its own", "%memory", { name: "memory", argument: "", line: 0, help: false }],
    ["one with an argument", "%check  warn  ", { name: "check", argument: "warn", line: 0, help: false }],
    [
      "one with several words",
      "%device mps and more",
      { name: "device", argument: "mps and more", line: 0, help: false },
    ],
    ["a question", "%flush?", { name: "flush", argument: "", line: 0, help: true }],
    [
      "a line after a statement without a semicolon",
      "let a = 1\n%memory",
      { name: "memory", argument: "", line: 1, help: false },
    ],
    ["a line after a comment", "/* a\n*/\n%memory", { name: "memory", argument: "", line: 2, help: false }],
    [
      "a line after a template literal",
      "`${`a`}`\n%memory",
      { name: "memory", argument: "", line: 1, help: false },
    ],
    [
      "a line after a regular expression",
      "/[`/]'\"(/.test(x)\n%memory",
      { name: "memory", argument: "", line: 1, help: false },
    ],
    [
      "a line after a regular expression that follows a word",
      "typeof /`/\n%memory",
      { name: "memory", argument: "", line: 1, help: false },
    ],
    [
      "a line after a division",
      "a / b; c / `d`\n%memory",
      { name: "memory", argument: "", line: 1, help: false },
    ],
    [
      "a line of a file from Windows",
      "let a\r\n%check off\r\nlet b",
      { name: "check", argument: "off", line: 1, help: false },
    ],
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
  const text = "let a = 1\n%memory all\n(a)";
  const { typescript } = readMagics(text);
  expect(typescript).toBe("let a = 1\n;          \n(a)");
  expect(typescript).toHaveLength(text.length);
});

it("the session's magics run at their lines, the kernel's do not run in the session", async () => {
  await notebook.run("note('first')\n%memory all\n%check off\n%device?\nnote('second')");
  expect(notebook.calls).toEqual(["first", "magic memory all", "second"]);
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

it("the help of each magic begins with how it is written", () => {
  for (const [name, { help }] of MAGICS) expect(help).toMatch(new RegExp(`^%${name}( [^:]+)?: \\w`));
});
