// A quiz and a prediction in JupyterLab: answered with the mouse and with the keyboard only. Pictures of both themes are
// left in output/.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { browserPath } from "./browser_path.ts";
import { JupyterLab, keepScreenshot } from "./jupyter_lab.ts";

const CELLS = [
  `import { lab } from "mpslab";
lab.quiz("Honest timing", [
  {
    question: "Which of these waits for the device?",
    choices: ["x.matmul(w)", "x.shape", "loss.item()"],
    answer: "loss.item()",
    because: "item() brings a number to the host, which the device must have computed first.",
  },
  { question: "3 ms and 32 ms, one after the other, take", answer: 35, unit: "ms", because: "3 + 32 = 35." },
])`,
  `const guess = lab.predict("Ten products are queued. When is the loop over, when are the results there?", {
  returned: "ms",
  finished: "ms",
});
guess`,
  `guess.compare({ returned: 0.41, finished: 61 })`,
  `lab.check("half", {
  "half of 4 is 2": () => 4 / 2 === 2,
  "half of a list is refused": () => false,
})`,
];

describe.skipIf(browserPath === undefined)(
  "a lesson's forms in JupyterLab (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    let page: Page;
    beforeAll(async () => {
      jupyter = await JupyterLab.start();
      page = await jupyter.open("lesson.ipynb", CELLS);
      await jupyter.runAll(page);
    });
    afterAll(() => jupyter?.close());

    const quiz = () => page.locator(".mpslab-form").nth(0);
    const prediction = () => page.locator(".mpslab-form").nth(1);

    it("a quiz is answered with the mouse: a wrong answer is told, no explanation given away", async () => {
      await quiz().getByText("x.shape").click();
      await quiz().getByText("Check my answers").click();
      await quiz().getByText("Not this one. Think again, then check again.").waitFor();
      await quiz().getByText("0 of 2 are right. The quiz is complete with 2.").waitFor();
    });

    it("a quiz is answered with the keyboard: arrows choose, Tab goes on, Enter checks", async () => {
      await quiz().getByRole("radio").nth(1).focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Tab");
      await page.keyboard.type("35");
      await page.keyboard.press("Enter");
      await quiz().getByText("2 of 2 are right: complete.").waitFor();
      await quiz().getByText("item() brings a number to the host").waitFor();
      // The keys were the form's: no cell was added, deleted or run by JupyterLab's own shortcuts.
      await expect.poll(() => page.locator(".jp-CodeCell").count()).toBe(CELLS.length);
    });

    it("a prediction is typed, and stands beside the measurement when the cell runs again", async () => {
      await prediction().getByLabel("returned").fill("3");
      await prediction().getByLabel("finished").fill("20");
      await jupyter.runAll(page);
      await page.getByText("3 times too low").waitFor();
      // Run again, the form shows what was answered before.
      await expect.poll(() => prediction().getByLabel("finished").inputValue()).toBe("20");
    });

    it.each([
      ["light", "JupyterLab Light"],
      ["dark", "JupyterLab Dark"],
    ] as const)("is pictured in the %s theme", async (suffix, theme) => {
      await jupyter.chooseTheme(page, theme);
      await keepScreenshot(page, `teaching-${suffix}.png`);
    });
  },
);
