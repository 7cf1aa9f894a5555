// Lines that begin with %: which are magics and which are remainders, what the checker sees, and where they run.
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { readMagics } from "../../../../kernel/cell/magics/magics.ts";
import { Evaluator } from "../../../helpers/evaluator.ts";

const notebook = new Evaluator();
beforeEach(() => void notebook.calls.splice(0));
afterAll(() => notebook.close());

/** Returns the magics of a cell as a reader of the cell would describe them. */
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

describe("TypeScript behind a magic", () => {
  it("is checked where it stands, and compiled between the magic and its end", () => {
    const { typescript, source } = readMagics("1\n%time f(x) // once\n2");
    expect(typescript).toBe("1\n;     f(x) // once\n2");
    expect(source).toBe(
      '1\n;await __mpslab_magic("time", {"options":{},"text":""});__mpslab_magic_end(f(x));\n2',
    );
  });

  it.each([
    ["%time f()\ng()", ["magic time", "f", "end", "g"]],
    ["%time const x1 = f()\ng()", ["magic time", "f", "end", "g"]],
    ["%time f(); g()", ["magic time", "f", "g", "end"]],
    ["%%time\nf()\ng()", ["magic time", "f", "g"]],
    ["%timeit f()", ["magic timeit", "f"]],
    ["// once\n\n%%timeit\nf()\ng()", ["magic timeit", "f", "g"]],
    ["%check off\n%%time\nf()", ["magic time", "f"]],
  ])("%j runs so", async (text, calls) => {
    await notebook.run("const f = () => note('f'), g = () => note('g')");
    await notebook.run(text);
    expect(notebook.calls).toEqual(calls);
  });

  it("%%timeit's names are the function's, %time's are the cell's", () => {
    const declared = (text: string) => notebook.compile(text).declared.map(({ name }) => name);
    expect(declared("%%timeit\nconst a = 1")).toEqual([]);
    expect(declared("%%time\nconst a = 1")).toEqual(["a"]);
    expect(declared("%time const a = 1")).toEqual(["a"]);
  });

  it.each([
    ["%time f(\n1)", "The code of %time ends on its line: put longer code below %%time", 6],
    ["%timeit [1,", "The code of %timeit ends on its line", 8],
    ["1\n%time f(1)\n(2)", "The next line goes on with the code of %time: end it with a semicolon", 2],
    ["%timeit f(1)\n[2]", "The next line goes on with the code of %timeit", 0],
    ["%time xs\n  .map(f)", "The next line goes on with the code of %time", 0],
    ["%time let = = 3", "Unexpected `=`", 12],
    ["%%timeit\nf(\n", "Expected `)` but the cell ends here", 12],
    ["%%timeit\nexport const a = 1", "The code of %%timeit is a function's", 0],
  ])("%j is refused at its own place", (text, message, start) => {
    expect(() => notebook.compile(text)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), start }),
    );
  });
});

describe("a cell of text", () => {
  it("reaches its magic as it was written, and nothing of it is TypeScript", async () => {
    const body = 'for i in 1 2; do\n  echo "it\'s `$i` {"\n%memory\ndone\n';
    await notebook.run(`%%sh\n${body}`);
    expect(notebook.calls).toEqual([`magic sh ${body}`]);
    expect(readMagics(`%%sh\n${body}`).typescript.trim()).toBe(";");
  });

  it("a command with unpaired quotes does not hide the lines below", () => {
    expect(magicsOf("%sh echo \"it's ( `\n%memory\nconst a = 1")).toEqual([
      ["sh", "echo \"it's ( `", 0],
      ["memory", "", 1],
    ]);
  });
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
    ["%check maybe", '%check takes error, warn, off or on, not "maybe"', "maybe"],
    ["%check worn", '%check takes error, warn, off or on, not "worn": did you mean warn?', "worn"],
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
