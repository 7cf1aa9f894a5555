// Tests hints for people who are used to a shell or to IPython: the error says what to write here.
import { describe, expect, it } from "vitest";
import { readProgram } from "../../../../kernel/cell/read_cell.ts";
import { readMagics } from "../../../../kernel/cell/magics/magics.ts";

describe("a line of another language is refused as one", () => {
  it.each([
    ["npm install left-pad", "write %npm install left-pad"],
    ["!npm i zod", "packages are installed by %npm i zod"],
    ["!cat a.txt | wc", "a shell's commands stand behind %sh: %sh cat a.txt | wc"],
  ])("%s", (line, hint) => {
    expect(() => readProgram(`const a = 1;\n${line}\n`)).toThrow(
      expect.objectContaining({
        message: `This is no TypeScript: ${hint}`,
        start: 13,
        end: 13 + line.length,
      }),
    );
  });
});

describe("a magic of IPython's is answered with what does the same", () => {
  it.each([
    ["%ls", "There is no magic %ls: a shell's commands stand behind %sh: %sh ls"],
    ["%cd ..", 'There is no magic %cd: process.chdir("folder") changes the folder'],
    ["%%html", 'There is no magic %%html: display({ "text/html": "<b>text</b>" }) shows HTML'],
    ["%memry", "There is no magic %memry: did you mean %memory?"],
  ])("%s", (line, message) => {
    expect(() => readMagics(line)).toThrow(expect.objectContaining({ message, start: 0 }));
  });
});
