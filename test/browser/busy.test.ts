// While a cell runs in JupyterLab: its charts change before one's eyes, completion and help answer, Stop keeps the
// variables, a restart forgets them. By the toolbar's buttons and the keys that a person uses. Screenshots are left in output/.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { browserPath } from "./browser_path.ts";
import { JupyterLab, keepScreenshot } from "./jupyter_lab.ts";

const CELLS = [
  'import { lab, torch } from "mpslab";\nconst weights = torch.ones([2, 3]);\nlet epochs = 0;',
  // Without an await: only the kernel's own checks let the page see anything, and stop it.
  `const curve = lab.plot.live({ x: "epoch", y: "loss" });
for (let epoch = 0; ; epoch++) {
  epochs = epoch;
  for (let i = 0; i < 50; i++) torch.randn([100, 100]).matmul(torch.randn([100, 100]));
  curve.add(1 / (epoch + 1));
}`,
  "epochs > 0 && weights.sum().item()",
  "",
];

describe.skipIf(browserPath === undefined)(
  "a cell that runs in JupyterLab (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    let page: Page;
    beforeAll(async () => {
      jupyter = await JupyterLab.start();
      page = await jupyter.open("busy.ipynb", CELLS);
      await run(0);
      await cell(0).locator(".jp-InputPrompt", { hasText: "[1]:" }).waitFor();
      await run(1);
    });
    afterAll(() => jupyter?.close());

    const cell = (index: number) => page.locator(".jp-CodeCell").nth(index);
    const output = (index: number) => cell(index).locator(".jp-OutputArea");
    const prompt = (index: number) => cell(index).locator(".jp-InputPrompt").innerText();
    const button = (name: "interrupt" | "restart") =>
      page.locator(`.jp-NotebookPanel-toolbar [data-jp-item-name="${name}"]`);
    async function run(index: number): Promise<void> {
      await cell(index).locator(".cm-content").click();
      await page.keyboard.press("Control+Enter");
    }
    /** Types into the last cell and asks for help there. */
    const ask = async (text: string, key: "Tab" | "Shift+Tab") => {
      await cell(3).locator(".cm-content").click();
      await page.keyboard.press("Control+A");
      await page.keyboard.type(text);
      await page.keyboard.press(key);
    };

    it.each([
      ["the chart of its epochs", "Memory by epoch"],
      ["its own live chart", "loss by epoch"],
    ])("changes %s", async (_, title) => {
      const chart = output(1).locator(".vega-embed", { hasText: title });
      await chart.first().waitFor();
      const drawn = new Set<string>();
      const look = async () => drawn.add(await chart.first().locator("svg.marks").innerHTML()).size;
      await expect.poll(look).toBeGreaterThan(4);
      // Each chart is replaced in its place.
      await expect.poll(() => chart.count()).toBe(1);
      await expect.poll(() => prompt(1)).toBe("[*]:");
    });

    it("leaves completion to answer", async () => {
      await ask("weights.so", "Tab");
      const items = page.locator(".jp-Completer-item");
      await items.first().waitFor();
      await keepScreenshot(page, "busy-completion.png");
      await expect
        .poll(async () =>
          (await items.allInnerTexts()).map((item) => item.split(/\s+/).filter(Boolean).at(-2)),
        )
        .toEqual(["softmax", "sort"]);
      await page.keyboard.press("Escape");
      await expect.poll(() => prompt(1)).toBe("[*]:");
    });

    it("leaves the tooltip to answer", async () => {
      await ask("weights.add(1, ", "Shift+Tab");
      const tooltip = page.locator(".jp-Tooltip");
      await tooltip.waitFor();
      // The frame of the tooltip is there before its text.
      await expect.poll(() => tooltip.innerText()).toContain("add(other: number, options?:");
      await keepScreenshot(page, "busy-tooltip.png");
      await page.keyboard.press("Escape");
      await expect.poll(() => prompt(1)).toBe("[*]:");
    });

    it("ends at Stop, which keeps its charts and the variables", async () => {
      await button("interrupt").click();
      await expect.poll(() => prompt(1)).toBe("[2]:");
      await keepScreenshot(page, "busy-stopped.png");
      await expect.poll(() => output(1).innerText()).toContain("KeyboardInterrupt");
      await expect.poll(() => output(1).locator(".vega-embed").count()).toBe(2);
      await run(2);
      await expect.poll(() => output(2).innerText()).toContain("6");
    });

    it("is forgotten by a restart, after which cells run again", async () => {
      await button("restart").click();
      await page.locator(".jp-Dialog button", { hasText: "Restart" }).click();
      await page.waitForSelector("text=/\\(mpslab\\) \\| Idle/");
      await run(2);
      await expect.poll(() => output(2).innerText()).toContain("Cannot find name 'epochs'");
      await run(0);
      await run(2);
      await expect.poll(() => output(2).innerText()).toContain("false");
      await keepScreenshot(page, "busy-restarted.png");
    });
  },
);
