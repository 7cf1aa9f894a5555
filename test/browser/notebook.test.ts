// A notebook in JupyterLab, in a real browser: results, charts and errors as a person sees them. Screenshots of what
// was seen are left in output/.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { browserPath, JupyterLab } from "./jupyter_lab.ts";

const screenshots = path.resolve(import.meta.dirname, "../../output/screenshots");

const CELLS = [
  'import { lab, torch } from "mpslab";\nconst x = torch.tensor([[1, 2], [3, 4]], { dtype: "float32" });\nx',
  "let kept: unknown[] = [];\nfor (const epoch of [1, 2, 3]) {\n  kept.push(torch.randn([256, 256]));\n}",
  'const count: number = "three";',
];

describe.skipIf(browserPath === undefined)(
  "a notebook in JupyterLab (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    let page: Page;

    beforeAll(async () => {
      mkdirSync(screenshots, { recursive: true });
      jupyter = await JupyterLab.start();
      page = await jupyter.open("seen.ipynb", CELLS);
      await page.click('text="Run"');
      await page.click('text="Run All Cells"');
      await page
        .locator(".jp-CodeCell")
        .nth(2)
        .locator(".jp-OutputArea-output")
        .first()
        .waitFor({ timeout: 60_000 });
    }, 120_000);

    afterAll(async () => {
      await page?.screenshot({ path: path.join(screenshots, "notebook.png") });
      await jupyter?.close();
    });

    const output = (cell: number) => page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea");

    it("prints a tensor as PyTorch does", async () => {
      expect(await output(0).innerText()).toContain("tensor([[1., 2.],\n        [3., 4.]])");
    });

    it("draws memory and timing below a cell with epochs", async () => {
      await expect.poll(() => output(1).locator(".vega-embed canvas").count(), { timeout: 20_000 }).toBe(2);
    });

    it("shows a type error with the line and a caret, and its place in the cell", async () => {
      const text = await output(2).innerText();
      expect(text).toContain("Type 'string' is not assignable to type 'number'.");
      expect(text).toContain("Cell [3]:1:7");
      expect(text).toMatch(/const count: number = "three";\n\s+\|\s+\^{5}/);
    });
  },
);
