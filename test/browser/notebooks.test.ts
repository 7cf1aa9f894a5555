// The notebooks of the repository as a reader sees them in JupyterLab: they run from top to bottom, and nothing of them is
// wider than the page. `MPSLAB_UPDATE_PICTURES=1 npm test -- test/browser/notebooks.test.ts` takes the pictures in
// docs/images/ again, in the light and the dark theme.
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { browserPath, JupyterLab } from "./jupyter_lab.ts";

const root = path.resolve(import.meta.dirname, "../..");
const pictures =
  process.env["MPSLAB_UPDATE_PICTURES"] === "1"
    ? path.join(root, "docs", "images")
    : path.join(root, "output", "screenshots");

/** Each notebook with a text of the cell that its picture shows. */
const NOTEBOOKS = [
  { name: "01-tour", shown: "lab.plot.confusionMatrix(" },
  { name: "02-device-contract", shown: "lab.plot(moves" },
  { name: "04-honest-timing", shown: "counts.map(" },
  { name: "07-epochs-and-flushes", shown: "history.push(" },
  { name: "08-mixed-precision", shown: "lab.plot.bars(" },
  { name: "09-batch-sweep", shown: "lab.sweep(" },
  { name: "11-small-gpt", shown: "let epoch = 0" },
  { name: "autoencoder", shown: "displayId" },
  { name: "everyday", shown: "runs.map(" },
  { name: "regression", shown: "lab.plot.points(" },
  { name: "widgets", shown: "let epoch = 0" },
] as const;

interface NotebookFile {
  readonly cells: readonly {
    readonly cell_type: string;
    readonly metadata: { readonly tags?: readonly string[] };
  }[];
}

const committed = (name: string): NotebookFile =>
  JSON.parse(readFileSync(path.join(root, "notebooks", `${name}.ipynb`), "utf8")) as NotebookFile;

/** The notebook as it was before it ran. */
function notYetRun(name: string): object {
  const { cells, ...rest } = committed(name);
  const unrun = { outputs: [], execution_count: null };
  return { ...rest, cells: cells.map((cell) => (cell.cell_type === "code" ? { ...cell, ...unrun } : cell)) };
}

describe.skipIf(browserPath === undefined)(
  "in JupyterLab (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    beforeAll(async () => {
      mkdirSync(pictures, { recursive: true });
      jupyter = await JupyterLab.start();
    });
    afterAll(() => jupyter?.close());

    describe.each(NOTEBOOKS)("$name", ({ name, shown }) => {
      let page: Page;
      beforeAll(async () => {
        page = await jupyter.openNotebook(`${name}.ipynb`, notYetRun(name));
        await jupyter.runAll(page);
      });
      afterAll(() => page?.close());

      it("runs from top to bottom, and fails only in the cells that are meant to", async () => {
        // JupyterLab gives an error and text on stderr the same type.
        const written = page.locator(
          '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]',
        );
        const errors = (await written.allInnerTexts()).filter((text) => /^\w*Error: /.test(text));
        const meant = committed(name).cells.filter(({ metadata }) =>
          metadata.tags?.includes("raises-exception"),
        );
        expect(errors).toHaveLength(meant.length);
      });

      it("shows no output that is wider than the page", async () => {
        const outputs = page.locator(".jp-OutputArea-output, .jp-OutputArea-output *:not(svg *)");
        const tooWide = await outputs.evaluateAll((found) =>
          found
            .map(
              (output) =>
                output as unknown as { scrollWidth: number; clientWidth: number; innerText: string },
            )
            .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
            .map(({ innerText }) => innerText),
        );
        expect(tooWide).toEqual([]);
      });

      it.each([
        ["light", "JupyterLab Light"],
        ["dark", "JupyterLab Dark"],
      ] as const)("is pictured in the %s theme", async (suffix, theme) => {
        await jupyter.chooseTheme(page, theme);
        // A cell that is taller than the page would be pictured with the toolbar above it.
        await page.setViewportSize({ width: 1200, height: 2600 });
        const cell = page.locator(".jp-CodeCell", { hasText: shown }).first();
        await cell.scrollIntoViewIfNeeded();
        const picture = await cell.screenshot({ path: path.join(pictures, `${name}-${suffix}.png`) });
        expect(picture.length).toBeGreaterThan(10_000);
      });
    });
  },
);
