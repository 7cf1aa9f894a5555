// The lines of an error: the place, its neighbours, the caret, and no token that stands in the cell.
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { codeFrame } from "../../../kernel/errors/code_frame.ts";

const framed = (text: string, line: number, column: number, length = 1) =>
  codeFrame(text, { line, column, length }).map(stripVTControlCharacters);

it("marks the place between its neighbours", () => {
  expect(framed('const rates = [0.1];\nrates.push("fast");', 2, 12, 6)).toEqual([
    "  1 | const rates = [0.1];",
    '> 2 | rates.push("fast");',
    "    |            ^^^^^^",
  ]);
});

describe("a secret that stands in the cell", () => {
  it.each([
    ['lab.remote({ token: "abc-123" })', 'lab.remote({ token: "*******" })'],
    ["lab.remote({ 'token': `abc-123` })", "lab.remote({ 'token': `*******` })"],
    ['const apiKey = "abc"; const password="x"', 'const apiKey = "***"; const password="*"'],
    ['remote("http://a/lab?token=abc&x=1")', 'remote("http://a/lab?token=***&x=1")'],
    ['STUDIO_TOKEN = "abc"', 'STUDIO_TOKEN = "***"'],
  ])("%s is shown as wide as it is, without its value", (line, shown) => {
    expect(framed(`${line}\nfail()`, 2, 1)[0]).toBe(`  1 | ${shown}`);
  });

  it.each(['tokenizer = "bpe"', "tokens: 512", 'token("a")', 'token: ""'])("%s is none", (line) => {
    expect(framed(line, 1, 1)[0]).toBe(`> 1 | ${line}`);
  });

  it("leaves the caret where it is", () => {
    expect(framed('f({ token: "abc" }, missing)', 1, 21, 7).slice(0, 2)).toEqual([
      '> 1 | f({ token: "***" }, missing)',
      "    |                     ^^^^^^^",
    ]);
  });
});
