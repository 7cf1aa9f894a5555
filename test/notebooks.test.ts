// The notebooks run from top to bottom, headless, with a kernel of their own; and what is committed of them was run.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Notebook, type NotebookCell, type Output, textOf } from "./helpers/notebook_content.ts";

const VEGA = "application/vnd.vegalite.v5+json";

const committed = JSON.parse(
  readFileSync(new URL("../notebooks/01-tour.ipynb", import.meta.url), "utf8"),
) as Notebook;

/** The one code cell that holds this text. */
function cellWith(notebook: Notebook, text: string): NotebookCell {
  const cells = notebook.cells.filter(
    (cell) => cell.cell_type === "code" && textOf(cell.source).includes(text),
  );
  expect(cells).toHaveLength(1);
  return cells[0]!;
}

const outputsOf = (notebook: Notebook, text: string): readonly Output[] =>
  cellWith(notebook, text).outputs ?? [];

function printed(notebook: Notebook, text: string): string {
  return outputsOf(notebook, text)
    .map((output) => (output.output_type === "stream" ? textOf(output.text) : ""))
    .join("");
}

const bundles = (notebook: Notebook, text: string) =>
  outputsOf(notebook, text).flatMap((output) => (output.output_type === "display_data" ? [output] : []));

// That a run gives these outputs anew is what the replay below finds.
describe("the tour, as committed", () => {
  it("is for the kernel and the language that Jupyter looks for", () => {
    expect(committed.metadata).toMatchObject({ kernelspec: { name: "mpslab", language: "typescript" } });
  });

  it("tells built, available and proven devices apart", () => {
    expect(printed(committed, "mps.isBuilt()")).toMatch(
      /^architecture {4}\w+ \w+, Node v[\d.]+\nmps built {7}(true|false)\nmps available {3}(true|false)\nthis session {4}(\w+)\na product lies {2}on \3/m,
    );
  });

  it("prints a tensor as PyTorch does", () => {
    const [result] = outputsOf(committed, "torch.arange(12");
    expect(result).toMatchObject({
      output_type: "execute_result",
      data: { "text/plain": expect.anything() },
    });
    const row = "[-0.7500, -0.2500,  0.2500,  0.7500]";
    expect(textOf((result as { data: Record<string, unknown> }).data["text/plain"])).toBe(
      `tensor([${row},\n        ${row},\n        ${row}])`,
    );
  });

  it("has its typing mistake refused before anything runs", () => {
    expect(outputsOf(committed, "reshpe")).toEqual([
      expect.objectContaining({
        output_type: "error",
        ename: "TypeCheckError",
        evalue: expect.stringContaining(
          "Property 'reshpe' does not exist on type 'Tensor<[3, 4], \"float32\">'. That is close to a name that there is: write x.reshape.",
        ),
      }),
    ]);
  });

  it("reads MNIST and shows the first digits as pictures", () => {
    expect(printed(committed, "data.mnist()")).toBe("images of shape [60000,28,28], the first one a 5\n");
    const [, picture] = outputsOf(committed, "data.mnist()");
    expect(picture).toMatchObject({
      output_type: "execute_result",
      data: { "text/plain": ["12 images of 28 × 28 pixels."], "image/png": expect.anything() },
    });
  });

  it("learns", () => {
    const [, accuracy] = /epoch 1: loss [\d.]+, accuracy ([\d.]+)%/.exec(
      printed(committed, "let epoch = 0; epoch < epochs"),
    )!;
    expect(Number(accuracy)).toBeGreaterThan(92);
  });

  it("draws memory and time of its epochs: one specification, one picture, a line each", () => {
    const charts = bundles(committed, "let epoch = 0; epoch < epochs");
    expect(charts).toHaveLength(1);
    const [{ data }] = charts as [(typeof charts)[number]];
    const lines = textOf(data["text/plain"]).split("\n");
    expect(lines.map((line) => line.split(" on ")[0])).toEqual(["Memory of 5 epochs", "Time of 5 epochs"]);
    expect(Object.keys(data).toSorted()).toEqual([VEGA, "image/png", "text/plain"]);
    expect(textOf(data["image/png"])).toMatch(/^iVBORw0KGgo/);
  });

  it("marks memory inside a step", () => {
    const [memory] = bundles(committed, "lab.mark(");
    expect(textOf(memory!.data["text/plain"])).toMatch(/^Memory of 3 epochs on /);
    expect(JSON.stringify(memory!.data[VEGA])).toContain('"tag":"backward"');
  });

  it("lists the ledger", () => {
    expect(printed(committed, "console.table")).toMatch(
      /wall.*flush.*collection.*peak MiB.*freed MiB.*left MiB/,
    );
  });

  it("shows what was inserted around the loop", () => {
    const compiled = printed(committed, "%compiled");
    expect(compiled).toContain('__mpslab_epochs({ variable: "epoch", line: 2 })');
    expect(compiled).toContain("__mpslab_loop.begin(); try {");
    expect(compiled).toContain("finally { __mpslab_loop.end(); }");
  });

  it("holds the outputs of five epochs, the last of them above 96%", () => {
    const [, accuracy] =
      /epoch 5: .* accuracy ([\d.]+)%/.exec(printed(committed, "let epoch = 0; epoch < epochs")) ?? [];
    expect(Number(accuracy)).toBeGreaterThan(96);
    expect(
      bundles(committed, "let epoch = 0; epoch < epochs").map(({ data }) => "image/png" in data),
    ).toEqual([true]);
  });
});

it("the regression, as committed, is far better than the mean of a district on houses that it has not seen", () => {
  const regression = JSON.parse(
    readFileSync(new URL("../notebooks/regression.ipynb", import.meta.url), "utf8"),
  ) as Notebook;
  const [result] = outputsOf(regression, "function score(");
  const { data } = result as { data: Record<string, string> };
  const errors = [...textOf(data["text/plain"]!).matchAll(/RMSE: ([\d.]+)/g)].map(([, error]) =>
    Number(error),
  );
  expect(errors).toHaveLength(3);
  expect(errors[2]!).toBeLessThan(errors[1]! / 2);
  expect(data["text/html"]).toBeDefined();
});

describe("mpslab replay", () => {
  const folder = path.resolve(import.meta.dirname, "../notebooks");
  const program = path.resolve(import.meta.dirname, "../dist/kernel/cli.js");

  it.each(readdirSync(folder).filter((name) => name.endsWith(".ipynb")))(
    "of %s gives what is committed: outputs, tensors, bytes",
    (name) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [program, "replay", path.join(folder, name)],
        { encoding: "utf8" },
      );
      const said = stdout + stderr;
      // To the bit where it was stored; here, perhaps, within a tolerance.
      expect(said).toMatch(
        /^(the same machine, equal to the bit|another machine, agrees: .*within [\d.e-]+): outputs of \d+ cells?, \d+ tensors?, \d+ epochs?\n/,
      );
      expect(said).not.toContain("without a reason");
      expect(status).toBe(0);
    },
  );
});
