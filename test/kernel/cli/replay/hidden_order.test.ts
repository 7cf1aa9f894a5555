// What `mpslab replay` says of a notebook before it runs it: which order of the cells it depends on.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { CodeCell, Notebook } from "../../../../kernel/cli/notebook/format.ts";
import { hiddenOrder } from "../../../../kernel/cli/replay/hidden_order.ts";

/** Cells as their text, with the number with which each ran. */
function notebook(cells: readonly (readonly [text: string, count?: number | null])[]): Notebook {
  const code = cells.map(([source, execution_count = null]): CodeCell => ({
    cell_type: "code",
    source,
    execution_count,
    metadata: {},
    outputs: [],
  }));
  return { cells: code, metadata: {}, nbformat: 4, nbformat_minor: 5 };
}

describe("a notebook depends on a hidden order", () => {
  it.each([
    [
      "a cell reads what only a cell below declares",
      [
        ["const x = 2;", 1],
        ["console.log(x * rate);", 3],
        ["const rate = 0.1;", 2],
      ],
      "Cell 2 ([3]) reads rate, which cell 3 ([2]) declares further below: the notebook was run in another order than it is written.",
    ],
    [
      "nothing says how it ran",
      [["console.log(rate);"], ["const rate = 0.1;"]],
      "Cell 1 reads rate, which cell 2 declares further below.",
    ],
    [
      "a cell reads names that no cell declares, as after a cell was deleted",
      [["console.log(rate, [1].map((x) => x * scale));", 5]],
      "Cell 1 ([5]) reads rate and scale, which no cell declares.",
    ],
    [
      "a cell below had redefined the name before the cell ran again",
      [
        ["let rate = 0.1;", 1],
        ["train(rate);", 4],
        ["rate = 0.5;", 3],
        ["function train(value: number) { return value; }", 2],
      ],
      "Cell 2 ([4]) reads rate, which cell 3 ([3]) had defined last when it ran; from top to bottom that is cell 1 ([1]).",
    ],
    [
      "the cell of a name ran again, and those that read it did not",
      [
        ["const model = make();\nfunction make() { return 1; }", 3],
        ["const trained = model + 1;", 2],
      ],
      "Cell 2 ([2]) reads model, which cell 1 ([3]) declared again after it ran: its outputs are of an earlier run.",
    ],
    [
      "a function that the cell calls reads a name from below",
      [
        ["const scaled = (value: number) => value * rate;", 1],
        ["scaled(3)", 3],
        ["const rate = 0.1;", 2],
      ],
      "Cell 2 ([3]) reads rate, which cell 3 ([2]) declares further below: the notebook was run in another order than it is written.",
    ],
  ] as const)("where %s", (_, cells, sentence) => {
    expect(hiddenOrder(notebook(cells))).toContain(sentence);
  });

  it.each([
    [
      "two cells without a common name were swapped",
      [
        ["1", 1],
        ["const a = 1;", 3],
        ["const b = 2;", 2],
        ["a + b", 4],
      ],
      "Cell 3 ([2]) ran before cell 2 ([3])",
    ],
    [
      "the imports ran again",
      [
        ['import { torch } from "mpslab";', 3],
        ["torch.ones([2])", 2],
      ],
      "Cell 2 ([2]) ran before cell 1 ([3])",
    ],
  ] as const)("or does not, as far as names tell, where %s", (_, cells, order) => {
    expect(hiddenOrder(notebook(cells))).toEqual([
      `${order}; no cell reads a name that this order would change.`,
    ]);
  });
});

describe("nothing is said of a notebook", () => {
  it.each([
    [
      "that ran from top to bottom",
      [
        ["let x = 1;", 1],
        ["x", 2],
        ["x = 2;", 3],
        ["x", 4],
      ],
    ],
    [
      "that uses globals, types and its own names",
      [
        [
          "display(Math.max(1)); type A = Promise<B>; interface B { c: number } let d: A; [1].map((e) => e); Out[1]; process.env; _",
          1,
        ],
      ],
    ],
    ["whose cell calls a function before its text", [["f(); function f() { return 1; }", 1]]],
    [
      "that restores names from a snapshot",
      [
        ["%restore", 1],
        ["rate", 2],
      ],
    ],
    ["that never ran", [["const a = 1;"], ["a"]]],
    [
      "with gaps between the numbers",
      [
        ["const a = 1;", 4],
        ["a", 9],
      ],
    ],
    [
      "whose cell runs a magic",
      [
        ["%check warn\nconst a = 1;", null],
        ["%time a", 3],
      ],
    ],
  ] as const)("%s", (_, cells) => {
    expect(hiddenOrder(notebook(cells as Parameters<typeof notebook>[0]))).toEqual([]);
  });

  const folder = path.resolve(import.meta.dirname, "../../../../notebooks");
  it.each(readdirSync(folder).filter((name) => name.endsWith(".ipynb")))("of this repository: %s", (name) => {
    const read = JSON.parse(readFileSync(path.join(folder, name), "utf8")) as {
      cells: readonly { cell_type: string; source: string | string[]; execution_count?: number | null }[];
    };
    const code = read.cells.filter(({ cell_type }) => cell_type === "code");
    const cells = code.map(
      ({ source, execution_count }) => [[source].flat().join(""), execution_count] as const,
    );
    expect(hiddenOrder(notebook(cells))).toEqual([]);
  });
});
