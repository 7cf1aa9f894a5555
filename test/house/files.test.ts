// Files are short, open by saying what they are for, and are named after a subject.
import { expect, it } from "vitest";
import { readFileSync } from "node:fs";
import path from "node:path";
import { filesOf, root } from "./sources.ts";

const MOST_LINES = 400;
const code = /\.(ts|mjs|cc|h|mm)$/;

const sources = filesOf("docs", "kernel", "lib", "native", "test")
  .filter((file) => code.test(file) && !file.startsWith("test/cells/") && !file.includes("node_modules"))
  .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") }));

const offenders = (isRight: (text: string) => boolean) =>
  sources.filter(({ text }) => !isRight(text)).map(({ file }) => file);

it(`every file has at most ${MOST_LINES} lines`, () => {
  expect(offenders((text) => text.split("\n").length - 1 <= MOST_LINES)).toEqual([]);
});

it("every file opens with a comment that says what it is for", () => {
  expect(offenders((text) => /^(#![^\n]*\n)?\/\/ \S+ \S+/.test(text))).toEqual([]);
});

it("no room is named after nothing in particular", () => {
  // The names of gloo's headers are gloo's.
  const vague = filesOf("kernel", "lib", "native")
    .filter((file) => !/\/(gloo|functorch)_headers\//.test(file))
    .filter((file) => /(^|\/)(utils?|helpers?|manager|common|misc)[./]/.test(file));
  expect(vague).toEqual([]);
});
