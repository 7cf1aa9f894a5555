// Notebook files as Jupyter's nbformat reads and writes them: the same notebook gives the same bytes.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { notebookPieces, parseNotebook } from "../../../../kernel/cli/notebook/file.ts";
import { PROJECT_ROOT, venvProgram } from "../../../../kernel/cli/project.ts";

const lessons = join(PROJECT_ROOT, "notebooks");

const ours = (text: string): string | null => {
  const notebook = parseNotebook(text);
  return notebook === null ? null : [...notebookPieces(notebook)].join("");
};

/** Returns the lines that nbformat makes of the texts. */
function theirs(texts: readonly string[]): string[] {
  const program =
    "import json, sys, nbformat\n" +
    "texts = json.load(sys.stdin)\n" +
    "print(json.dumps([nbformat.writes(nbformat.reads(text, as_version=4)) + '\\n' for text in texts]))";
  const { stdout } = spawnSync(venvProgram("python"), ["-c", program], {
    encoding: "utf8",
    input: JSON.stringify(texts),
    maxBuffer: 2 ** 30,
  });
  return JSON.parse(stdout) as string[];
}

const notebook = (minor: number, metadata: string, ...cells: string[]): string =>
  `{"nbformat_minor": ${minor}, "nbformat": 4, "metadata": ${metadata}, "cells": [${cells.join(",")}]}`;

const TEXTS: readonly (readonly [string, string])[] = [
  [
    "numbers of Python",
    notebook(5, '{"a": 1.0, "b": 1e-05, "c": 12345678901234567890, "d": -0.25, "e": 1e-7}'),
  ],
  [
    "keys that are no order of JavaScript's",
    notebook(5, '{"b": {}, "10": [], "9": 1, "\\uff01": 2, "\\ud83d\\ude00": 3}'),
  ],
  [
    "texts of several kinds of lines",
    notebook(
      5,
      "{}",
      '{"id": "m", "cell_type": "markdown", "source": ["a\\r\\n", "b\\u2028c\\n", "d"], "metadata": {"trusted": true}, "attachments": {"x.svg": {"image/svg+xml": "a\\nb"}}}',
      '{"id": "c", "cell_type": "code", "source": "", "metadata": {"own": {"z": 1, "a": null}}, "execution_count": 3, "outputs": [' +
        '{"output_type": "stream", "name": "stdout", "text": "one\\ntwo"},' +
        '{"output_type": "display_data", "metadata": {}, "data": {"text/plain": ["x\\n", "y"], "application/json": ["x", "y"], "image/png": "a\\nb"}},' +
        '{"output_type": "error", "ename": "E", "evalue": "a\\nb", "traceback": ["t\\nu"]}]}',
    ),
  ],
  ["cells without ids", notebook(4, "{}", '{"cell_type": "raw", "source": "a", "metadata": {}}')],
];

describe("a notebook that is read and written", () => {
  const files = readdirSync(lessons).filter((name) => name.endsWith(".ipynb"));

  it.each(files)("%s keeps every byte", (name) => {
    const text = readFileSync(join(lessons, name), "utf8");
    expect(ours(text)).toBe(text);
  });

  it.each(TEXTS)("with %s is what nbformat writes", (_, text) => {
    expect(ours(text)).toBe(theirs([text])[0]);
  });

  it("has an id in each cell, and none twice", () => {
    const cell = '{"id": "a", "cell_type": "raw", "source": "", "metadata": {}}';
    const bare = '{"cell_type": "raw", "source": "", "metadata": {}}';
    const ids = parseNotebook(notebook(5, "{}", cell, cell, bare))?.cells.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids?.[0]).toBe("a");
  });
});
