// Tensors in JupyterLab, in a real browser, in its light and its dark theme: what they are, their histogram, tables and
// pictures. Screenshots of what was seen are left in output/.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { browserPath } from "./browser_path.ts";
import { JupyterLab, keepScreenshot } from "./jupyter_lab.ts";

const CELLS = [
  'import { torch } from "mpslab";\ntorch.manualSeed(1);\ntorch.tensor([[1, 2.5], [NaN, Infinity]])',
  "torch.randn([3, 400, 30], { requiresGrad: true })",
  "const [x, y] = torch.meshgrid([torch.linspace(0, 1, 32), torch.linspace(0, 1, 32)]) as [ReturnType<typeof torch.ones>, ReturnType<typeof torch.ones>];\ntorch.stack(Array.from({ length: 12 }, (_, i) => torch.stack([x, y, torch.full([32, 32], i / 12)])))",
  "torch.showImages(torch.randint(0, 256, [4, 1, 28, 28], { dtype: 'uint8' }), { columns: 4, scale: 4 })",
];

describe.skipIf(browserPath === undefined)(
  "tensors in JupyterLab (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    let page: Page;

    beforeAll(async () => {
      jupyter = await JupyterLab.start();
      page = await jupyter.open("tensors.ipynb", CELLS);
      await page.click('text="Run"');
      await page.click('text="Run All Cells"');
      await output(3).locator("img").waitFor();
    });

    afterAll(() => jupyter?.close());

    const output = (cell: number) => page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea");

    it("say what they are and what is no number, and print as PyTorch does", async () => {
      const text = await output(0).innerText();
      expect(text).toContain("tensor([[1.0000, 2.5000],\n        [   nan,    inf]])");
      expect(text.replaceAll(/\s+/g, " ")).toContain(
        "Tensor [2, 2] dtype float32 device cpu size 16 B range 1 to 2.5 mean 1.75 std 1.0607 NaN 1 inf 1",
      );
    });

    it("show a histogram, and large ones both ends of their values", async () => {
      await expect.poll(() => output(1).locator("svg[role=img] rect").count()).toBe(32);
      await expect.poll(() => output(1).locator("tr").count()).toBe(9);
      await expect.poll(() => output(1).innerText()).toContain("[0, :, :], the first of 3");
    });

    it("show images as pictures", async () => {
      const size = (cell: number) =>
        output(cell)
          .locator("img")
          .evaluate((image: { naturalWidth: number; naturalHeight: number }) => [
            image.naturalWidth,
            image.naturalHeight,
          ]);
      await expect.poll(() => size(2)).toEqual([4 * 34 - 2, 3 * 34 - 2]);
      await expect.poll(() => size(3)).toEqual([4 * (4 * 28 + 2) - 2, 4 * 28]);
    });

    /** The theme's colours, as the browser computes them. */
    const colors = () =>
      output(1)
        .locator("svg text")
        .first()
        .evaluate((text) => {
          const style = (globalThis as unknown as { getComputedStyle(of: unknown): { fill: string } })
            .getComputedStyle;
          return style(text).fill;
        });

    it("take the colours of the theme, light and dark", async () => {
      await keepScreenshot(page, "tensors_light.png");
      const light = await colors();
      await jupyter.chooseTheme(page, "JupyterLab Dark");
      await expect.poll(colors).not.toBe(light);
      await keepScreenshot(page, "tensors_dark.png");
    });
  },
);
