import { it } from "vitest";
import { JupyterLab, keepScreenshot } from "./jupyter_lab.ts";
it("x", async () => {
  const lab = await JupyterLab.start();
  try {
    const page = await lab.open("reload.ipynb", [
      'import { torch } from "mpslab";\nconst sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));',
      'for (let epoch = 0; epoch < 12; epoch++) {\n  const x = torch.randn([256, 256]).matmul(torch.randn([256, 256]));\n  console.log("step", epoch, x.shape);\n  await sleep(1500);\n}\n"trained"',
      "%outputs",
      "1 + 1",
      "%outputs 2",
    ]);
    await page.click('text="Run"');
    const cell = (n: number) => page.locator(".jp-CodeCell").nth(n);
    const run = async (n: number) => {
      await cell(n).locator(".cm-content").click();
      await page.keyboard.press("Control+Enter");
    };
    await page.keyboard.press("Escape");
    await run(0);
    await run(1);
    await cell(1).locator(".jp-OutputArea-output").first().waitFor();
    await page.waitForTimeout(2500);
    await page.keyboard.press("Control+s");
    await page.waitForTimeout(500);
    await page.reload({ waitUntil: "domcontentloaded" });
    await page.waitForSelector("text=/\\(mpslab\\) \\| (Busy|Idle)/");
    await page.waitForTimeout(3000);
    await keepScreenshot(page, "outputs-1-reloaded.png");
    await run(2);
    await run(3);
    await page.waitForTimeout(3000);
    await keepScreenshot(page, "outputs-2-following.png");
    await page.waitForTimeout(14000);
    await run(4);
    await page.waitForTimeout(1500);
    await keepScreenshot(page, "outputs-3-ended.png");
    await lab.chooseTheme(page, "JupyterLab Dark");
    await page.waitForTimeout(1000);
    await keepScreenshot(page, "outputs-4-dark.png");
  } finally {
    await lab.close();
  }
}, 200000);
