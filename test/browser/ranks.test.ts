// `%%ranks` in JupyterLab, in a real browser: text by rank, one chart for all ranks, and an error of one of them. What was
// seen is left in output/screenshots/.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { browserPath } from "./browser_path.ts";
import { ERRORS, JupyterLab, keepScreenshot } from "./jupyter_lab.ts";

const CELLS = [
  `%%ranks 2
import { lab, nn, optim, functional, torch } from "mpslab";
const rank = torch.distributed.getRank();
torch.manualSeed(rank);
const ddp = new nn.parallel.DistributedDataParallel(new nn.Linear(64, 64));
const optimizer = new optim.SGD(ddp.parameters(), { lr: 0.1 });
console.log("rows", 256 * (rank + 1));
for (let epoch = 0; epoch < 6; epoch++) {
  const input = torch.randn([256 * (rank + 1), 64]);
  for (let step = 0; step < 20; step++) {
    optimizer.zeroGrad();
    const loss = functional.mseLoss(ddp(input), input);
    loss.backward();
    optimizer.step();
    lab.log({ loss });
  }
}`,
  "%%ranks 2\nrank * 10",
  "%%ranks 2\ntorch.distributed.getWorldSize()",
  '%%ranks 2\nif (rank === 1) throw new RangeError("no data on this rank");\ntorch.distributed.barrier();',
];

describe.skipIf(browserPath === undefined)(
  "%%ranks in JupyterLab (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    let page: Page;

    beforeAll(async () => {
      jupyter = await JupyterLab.start();
      page = await jupyter.open("ranks.ipynb", CELLS);
      await jupyter.runAll(page);
      // The failed rank's; what the other one was in comes a moment later.
      await output(3).locator(ERRORS).first().waitFor();
    });

    afterAll(() => jupyter?.close());

    const output = (cell: number) => page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea");

    it("shows one chart of all ranks, within the width of a page", async () => {
      await output(0).scrollIntoViewIfNeeded();
      await keepScreenshot(page, "ranks_chart.png");
      const drawn = output(0).locator(".vega-embed svg.marks");
      await expect.poll(() => drawn.count()).toBe(1);
      expect((await drawn.boundingBox())!.width).toBeLessThanOrEqual(640);
      const texts = await drawn.locator("text").allTextContents();
      for (const title of ["loss", "Peak memory", "Time"])
        expect(texts.filter((text) => text.startsWith(`${title} by epoch · 2 ranks · cpu`))).toHaveLength(1);
      await expect
        .poll(async () => (await output(0).innerText()).match(/\[rank \d\] rows \d+/g)?.toSorted())
        .toEqual(["[rank 0] rows 256", "[rank 1] rows 512"]);
    });

    it("shows values by rank, and equal ones once", async () => {
      await expect
        .poll(async () => (await output(1).innerText()).match(/\[rank \d\]|\b\d+\b$/gm))
        .toEqual(["[rank 0]", "0", "[rank 1]", "10"]);
      await expect.poll(() => output(2).innerText()).toMatch(/\[all 2 ranks\]\s+\[3\]:\s+2$/);
    });

    it("says which rank has failed, and what the other one was in", async () => {
      await output(3).scrollIntoViewIfNeeded();
      await keepScreenshot(page, "ranks_error.png");
      await expect
        .poll(() => output(3).innerText())
        .toMatch(
          /^Rank 1:\nRangeError: no data on this rank[^]*\[rank 0\] DistBackendError: distributed\.barrier/,
        );
    });
  },
);
