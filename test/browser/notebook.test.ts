// A notebook in JupyterLab, in a real browser: results, charts and errors as a person sees them. Screenshots of what
// was seen are left in output/.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { browserPath } from "./browser_path.ts";
import { JupyterLab, keepScreenshot } from "./jupyter_lab.ts";

const CELLS = [
  'import { lab, torch } from "mpslab";\nconst x = torch.tensor([[1, 2], [3, 4]], { dtype: "float32" });\nx',
  "let kept: unknown[] = [];\nfor (const epoch of [1, 2, 3]) {\n  kept.push(torch.randn([256, 256]));\n  console.log(`epoch ${epoch} is printed`);\n}",
  'const count: number = "three";',
  "",
];

describe.skipIf(browserPath === undefined)(
  "a notebook in JupyterLab (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    let page: Page;

    beforeAll(async () => {
      jupyter = await JupyterLab.start();
      page = await jupyter.open("seen.ipynb", CELLS);
      await page.click('text="Run"');
      await page.click('text="Run All Cells"');
      await page.locator(".jp-CodeCell").nth(2).locator(".jp-OutputArea-output").first().waitFor();
    });

    afterAll(async () => {
      await keepScreenshot(page, "notebook.png");
      await jupyter?.close();
    });

    const output = (cell: number) => page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea");

    it("prints a tensor as PyTorch does", async () => {
      await expect.poll(() => output(0).innerText()).toContain("tensor([[1., 2.],\n        [3., 4.]])");
    });

    it("draws memory and timing of a cell's epochs above what they print, in the colour of the page's text", async () => {
      const charts = output(1).locator(".vega-embed svg.marks");
      await expect.poll(() => charts.count()).toBe(1);
      const text = await output(1).innerText();
      expect(text.indexOf("Time by epoch")).toBeGreaterThan(text.indexOf("Memory by epoch"));
      expect(text.indexOf("epoch 1 is printed")).toBeGreaterThan(text.indexOf("Time by epoch"));
      const title = charts.locator("text", { hasText: "Memory by epoch" });
      await expect(title.evaluate("(element) => getComputedStyle(element).fill")).resolves.toBe(
        await output(1).evaluate("(element) => getComputedStyle(element).color"),
      );
    });

    it("shows a type error with the line and a caret, and its place in the cell", async () => {
      const text = await output(2).innerText();
      expect(text).toContain("Type 'string' is not assignable to type 'number'.");
      expect(text).toContain("Cell [3]:1:7");
      expect(text).toMatch(/const count: number = "three";\n\s+\|\s+\^{5}/);
    });

    /** Types into the last cell and asks for help there. */
    const ask = async (text: string, key: "Tab" | "Shift+Tab" | "Escape") => {
      await page.locator(".jp-CodeCell").nth(3).locator(".cm-content").click();
      await page.keyboard.press("Control+A");
      await page.keyboard.type(text);
      await page.keyboard.press(key);
    };

    it("offers in a popup what may stand there, with its kind", async () => {
      await ask("x.so", "Tab");
      const items = page.locator(".jp-Completer-item");
      await items.first().waitFor();
      await keepScreenshot(page, "completion.png");
      expect(
        (await items.allInnerTexts()).map((item) => item.split(/\s+/).filter(Boolean).slice(-2)),
      ).toEqual([
        ["softmax", "method"],
        ["sort", "method"],
      ]);
      await page.keyboard.press("Escape");
    });

    it("offers a name of the library that is not imported, and writes its import", async () => {
      await ask("opti", "Tab");
      const statement = page.locator(".jp-Completer-item", { hasText: "import { optim }" });
      await statement.waitFor();
      await keepScreenshot(page, "completion-import.png");
      await statement.click();
      await expect
        .poll(() => page.locator(".jp-CodeCell").nth(3).locator(".cm-content").innerText())
        .toBe('import { optim } from "mpslab";');
    });

    it("shows the signature of a call, the parameter at the cursor marked", async () => {
      await ask("x.add(1, ", "Shift+Tab");
      const tooltip = page.locator(".jp-Tooltip");
      await tooltip.waitFor();
      await keepScreenshot(page, "tooltip.png");
      const text = await tooltip.innerText();
      expect(text).toContain(
        'add(other: number, options?: { alpha?: Scalar = 1 }): Tensor<[2, 2], "float32">',
      );
      expect(text).toMatch(/\n {19}\^{32}\s/);
      await page.keyboard.press("Escape");
    });

    it("tells below a cell about a name with a question mark", async () => {
      await ask("x?", "Escape");
      await page.keyboard.press("Control+Enter");
      await expect.poll(() => output(3).innerText()).toContain("Tensor [2, 2] float32 on cpu, 16 bytes");
      await keepScreenshot(page, "question.png");
    });

    it("asks in a box what a program reads of its standard input, with the words of readline's question", async () => {
      await ask(
        'import { createInterface } from "node:readline/promises"; const lines = createInterface({ input: process.stdin }); const who = await lines.question("Who? "); lines.close(); `Hello ${who}`',
        "Escape",
      );
      await page.keyboard.press("Control+Enter");
      const box = output(3).locator(".jp-Stdin-input");
      await box.waitFor();
      await expect.poll(() => output(3).innerText()).toContain("Who? ");
      await box.fill("Ada");
      await box.press("Enter");
      await expect.poll(() => output(3).innerText()).toContain("'Hello Ada'");
    });
  },
);
