// JupyterLab's debugger in a real browser: the bug icon, a breakpoint by mouse, steps, variables, in both themes. Screenshots
// of what was seen are left in output/.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { HANG_MS } from "../helpers/hang.ts";
import { browserPath } from "./browser_path.ts";
import { JupyterLab, keepScreenshot } from "./jupyter_lab.ts";

const CELLS = [
  `import { nn, torch } from "mpslab";
const model = new nn.Linear(3, 2);
function forward(scale: number) {
  const x = torch.ones([2, 3]).mul(scale);
  const y = model(x);
  return y;
}`,
  `const result = forward(2);
result.shape`,
];

describe.skipIf(browserPath === undefined)(
  "the debugger in JupyterLab (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    let page: Page;

    beforeAll(async () => {
      jupyter = await JupyterLab.start();
      page = await jupyter.open("debugged.ipynb", CELLS);
      await page.setViewportSize({ width: 1500, height: 1100 });
    });

    afterAll(async () => {
      await keepScreenshot(page, "debugger-last.png");
      await jupyter?.close();
    });

    const cell = (index: number) => page.locator(".jp-CodeCell").nth(index);
    const run = async (index: number) => {
      await cell(index).locator(".cm-content").click();
      await page.keyboard.press("Control+Enter");
    };
    const clickGutter = (index: number, line: number) =>
      cell(index).locator(".cm-gutter.cm-breakpoint-gutter .cm-gutterElement").nth(line).click();
    const button = (command: string) => page.locator(`[data-command="debugger:${command}"]:visible`);
    /** The icon is there at once, the list after the kernel's answer. A cell that runs between them goes past. */
    const breakpointIsSet = async () => {
      await cell(0).locator(".cm-breakpoint-icon").last().waitFor();
      await page.locator(".jp-DebuggerBreakpoint").first().waitFor();
    };
    /** A page that was loaded again, or a kernel started again, sets the listed breakpoints anew, and shows no end of it. */
    const runToBreakpoint = async (index: number) => {
      const highlight = cell(0).locator(".jp-DebuggerEditor-highlight");
      const prompt = cell(index).locator(".jp-InputPrompt");
      const state = async () => {
        if ((await highlight.count()) > 0) return "stopped";
        return /\d/.test(await prompt.innerText()) ? "ended" : "runs";
      };
      for (let attempt = 0; attempt < 10; attempt++) {
        // JupyterLab writes the prompt when it sends the cell and when the cell ends; a kernel started again counts anew.
        await prompt.evaluate((node) => (node.textContent = ""));
        await run(index);
        await expect.poll(state).not.toBe("runs");
        if ((await state()) === "stopped") return;
      }
      throw new Error("Ten runs of the cell went past the breakpoint.");
    };
    const variables = async () =>
      (await page.locator(".jp-DebuggerVariables .jp-DebuggerVariables-name").allInnerTexts()).map((text) =>
        text.trim(),
      );
    const variable = (name: string) =>
      page
        .locator(".jp-DebuggerVariables .jp-TreeItem.nested", {
          has: page.locator(`.jp-DebuggerVariables-name:text-is("${name}")`),
        })
        .last();
    const shown = () => page.locator(".jp-DebuggerVariables-body").first().innerText();

    it("is switched on by the bug icon", async () => {
      const pressed = page.locator(".jp-DebuggerBugButton[aria-pressed=true]");
      // JupyterLab undoes a click that comes while it still asks the kernel for the debugger's state.
      for (let attempt = 0; attempt < 10 && (await pressed.count()) === 0; attempt++) {
        await page.locator(".jp-DebuggerBugButton").click();
        await pressed.waitFor({ timeout: HANG_MS / 20 }).catch(() => undefined);
      }
      expect(await pressed.count()).toBe(1);
      await page.locator(".jp-DebuggerCallstack").waitFor();
    });

    it("stops at a breakpoint that was set by mouse, and lights the line up", async () => {
      await run(0);
      await cell(0).locator(".cm-gutter.cm-breakpoint-gutter").waitFor();
      await clickGutter(0, 5);
      await breakpointIsSet();
      await run(1);
      await cell(0).locator(".jp-DebuggerEditor-highlight").waitFor();
      await expect
        .poll(() => cell(0).locator(".jp-DebuggerEditor-highlight").innerText())
        .toContain("const y = model");
      const frames = await page.locator(".jp-DebuggerCallstackFrame").allInnerTexts();
      expect(frames.map((text) => text.replace(/\s+/g, " "))).toEqual([
        expect.stringMatching(/^forward/),
        expect.stringMatching(/^Cell \[2\]/),
      ]);
    });

    it("shows the variables of the function, tensors by shape and values", async () => {
      await expect.poll(variables).toContain("x");
      await expect
        .poll(() => shown())
        .toContain("Tensor [2, 3] float32 on cpu: [[2., 2., 2.], [2., 2., 2.]]");
      await keepScreenshot(page, "debugger-light.png");
    });

    it("opens the picture of a tensor by its magnifying glass", async () => {
      const row = variable("x");
      await row.hover();
      await row.locator(".jp-DebuggerVariables-renderVariable").click();
      const view = page.locator(".jp-DebuggerRichVariable");
      await view.locator(".jp-RenderedHTMLCommon, .jp-RenderedText, img").first().waitFor();
      await keepScreenshot(page, "debugger-rich-variable.png");
      await expect.poll(() => view.innerText()).toContain("[2., 2., 2.]");
      await page.locator(".lm-TabBar-tab", { hasText: /^x - / }).locator(".lm-TabBar-tabCloseIcon").click();
      await view.waitFor({ state: "detached" });
    });

    it("gives a variable of the function to later cells by its context menu", async () => {
      await variable("x").click({ button: "right" });
      await page.locator('.lm-Menu-item[data-command="debugger:copy-to-globals"]').click();
      const scope = page.locator('select[aria-label="Scope"]');
      await scope.selectOption("Globals");
      await expect.poll(variables).toContain("x");
      await scope.selectOption("Locals");
    });

    it("steps to the next line, where the new variable has its value", async () => {
      await button("next").last().click();
      await expect
        .poll(() => cell(0).locator(".jp-DebuggerEditor-highlight").innerText())
        .toContain("return y");
      await expect.poll(shown).toMatch(/y:?\s*Tensor \[2, 2\] float32 on cpu, requires grad/);
    });

    it("looks the same in the dark theme", async () => {
      await jupyter.chooseTheme(page, "JupyterLab Dark");
      await keepScreenshot(page, "debugger-dark.png");
      await jupyter.chooseTheme(page, "JupyterLab Light");
    });

    it("goes on to the cell's result", async () => {
      await button("continue").last().click();
      await expect.poll(() => cell(1).locator(".jp-OutputArea-output").allInnerTexts()).toEqual(["[ 2, 2 ]"]);
      await expect.poll(() => page.locator(".jp-DebuggerEditor-highlight").count()).toBe(0);
    });

    it("has its breakpoints back after the page was loaded again", async () => {
      await page.keyboard.press("Control+S");
      await page.reload({ waitUntil: "domcontentloaded" });
      await page.waitForSelector("text=/\\(mpslab\\) \\| Idle/");
      await page.locator(".jp-DebuggerBugButton[aria-pressed=true]").waitFor();
      await breakpointIsSet();
      await runToBreakpoint(1);
      await button("continue").last().click();
      await expect.poll(() => page.locator(".jp-DebuggerEditor-highlight").count()).toBe(0);
    });

    it("has them back after the kernel was started again", async () => {
      await page.click('text="Kernel"');
      await page.click('text="Restart Kernel…"');
      await page.locator(".jp-Dialog .jp-mod-accept").click();
      await page.waitForSelector("text=/\\(mpslab\\) \\| Idle/");
      await breakpointIsSet();
      await run(0);
      await runToBreakpoint(1);
      await keepScreenshot(page, "debugger-restarted.png");
    });
  },
);
