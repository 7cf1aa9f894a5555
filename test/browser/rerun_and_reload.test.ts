// A page of JupyterLab that is loaded again while a cell runs, and cells that a second run of another made stale. Screenshots
// of what was seen are left in output/.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { browserPath } from "./browser_path.ts";
import { JupyterLab, keepScreenshot } from "./jupyter_lab.ts";

/** Prints until the file exists that the last cell writes. */
const LOOP =
  'import { existsSync } from "node:fs";\nimport { setTimeout as sleep } from "node:timers/promises";\n' +
  'for (let step = 0; !existsSync("go"); step++) {\n  console.log("step", step);\n  await sleep(200);\n}\n"trained"';

describe.skipIf(browserPath === undefined)(
  "cells in JupyterLab that run again, or while the page is loaded (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    let page: Page | undefined;
    beforeAll(async () => {
      jupyter = await JupyterLab.start();
    });
    afterAll(() => jupyter?.close());

    const cell = (index: number) => page!.locator(".jp-CodeCell").nth(index);
    const outputOf = (index: number) => cell(index).locator(".jp-OutputArea");
    const run = async (index: number) => {
      await cell(index).locator(".cm-content").click();
      await page!.keyboard.press("Control+Enter");
    };
    const runToEnd = async (index: number) => {
      const prompt = cell(index).locator(".jp-InputPrompt");
      const before = await prompt.innerText();
      await run(index);
      await expect
        .poll(async () => /\[\d+\]/.test(await prompt.innerText()) && (await prompt.innerText()) !== before)
        .toBe(true);
    };

    it("shows under %outputs what a cell put out while the page was loaded, and what it still puts out", async () => {
      page = await jupyter.open("reload.ipynb", [LOOP, "%outputs", "1"]);
      await run(0);
      await expect.poll(() => outputOf(0).innerText()).toContain("step 1");
      await page.keyboard.press("Control+S");
      await page.reload({ waitUntil: "domcontentloaded" });
      await page.waitForSelector("text=/\\(mpslab\\) \\| Busy/");
      await run(1);
      await expect
        .poll(() => outputOf(1).innerText())
        .toMatch(/^Cell \[1\] runs since \d\d:\d\d:\d\d\. .*\nstep 0\nstep 1\n/);
      const steps = (await outputOf(1).innerText()).split("\n").length;
      await expect
        .poll(async () => (await outputOf(1).innerText()).split("\n").length)
        .toBeGreaterThan(steps);
      await keepScreenshot(page, "outputs-followed.png");
      jupyter.write("go", "");
      await expect.poll(() => outputOf(1).innerText()).toMatch(/'trained'$/);
      await runToEnd(2);
      await page.close();
    });

    it("says below a cell that what it used was redefined, until it runs again", async () => {
      page = await jupyter.open("stale.ipynb", [
        "const rate = Math.random();",
        "const scaled = 10 * rate;",
        "scaled > 0",
        "%stale",
      ]);
      for (const index of [0, 1, 2, 0]) await runToEnd(index);
      await expect
        .poll(() => outputOf(1).innerText())
        .toBe("Stale: used rate, which Cell [4] has redefined since. %stale lists the cells to run again.");
      await expect
        .poll(() => outputOf(2).innerText())
        .toMatch(/:\ntrue\nStale: used scaled of Cell \[2\], which is stale\./);
      await runToEnd(3);
      await keepScreenshot(page, "stale-light.png");
      await jupyter.chooseTheme(page, "JupyterLab Dark");
      await keepScreenshot(page, "stale-dark.png");
      await runToEnd(1);
      await runToEnd(2);
      await expect.poll(() => outputOf(2).innerText()).toMatch(/:\ntrue$/);
      await expect.poll(() => outputOf(1).innerText()).toBe("");
    });
  },
);
