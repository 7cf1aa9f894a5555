// Widgets in JupyterLab with anywidget's own front end: a hand on the slider and the button while a training loop runs,
// and the page loaded again meanwhile. Screenshots of what was seen are left in output/.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Locator, Page } from "playwright-core";
import { browserPath } from "./browser_path.ts";
import { JupyterLab, keepScreenshot } from "./jupyter_lab.ts";

const CELLS = [
  `import { AnyWidget, button, functional as F, nn, optim, slider, torch } from "mpslab";
const rate = slider({ label: "learning rate", min: 1e-5, max: 1, value: 1e-3, log: true });
const stop = button({ label: "Stop" });
display(rate);
display(stop);`,

  `const model = new nn.Linear(8, 1);
const optimizer = new optim.SGD(model.parameters(), { lr: rate.value });
const [x, y] = [torch.randn([64, 8]), torch.randn([64, 1])];
let steps = 0;
console.log("training");
for (let seen = rate.value; !stop.pressed; steps++) {
  if (rate.value !== seen) console.log("learning rate", (seen = rate.value));
  for (const group of optimizer.paramGroups) group.lr = seen;
  optimizer.zeroGrad();
  F.mseLoss(model(x), y).backward();
  optimizer.step();
}
console.log("stopped", steps > 0);
rate.value = 0.5;`,

  `const dots = new AnyWidget({
  esm: \`export default { render({ model, el }) {
    const line = document.createElement("p");
    const press = document.createElement("button");
    press.textContent = "Send bytes";
    press.onclick = () => {
      model.set("bytes", new DataView(new Uint8Array([3, 2, 1]).buffer));
      model.save_changes();
      model.send({ hello: "kernel" }, undefined, [new Uint8Array([5, 6]).buffer]);
    };
    const draw = () => {
      const { buffer, byteOffset, byteLength } = model.get("bytes");
      line.textContent = "bytes " + new Uint8Array(buffer, byteOffset, byteLength).join(" ");
    };
    model.on("change:bytes", draw);
    model.on("msg:custom", (content) => (line.textContent += ", kernel says " + content.hello));
    draw();
    el.append(line, press);
  } }\`,
  state: { bytes: new Uint8Array([1, 2, 3]) },
});
dots.on("change:bytes", (bytes) => console.log("cell has", [...bytes].join(" ")));
dots.onMessage((content, buffers) => {
  console.log("message", JSON.stringify(content), buffers[0]?.join(" "));
  dots.send({ hello: "page" });
});
dots`,

  `stop.reset();
console.log("again");
for (let seen = NaN; !stop.pressed; ) {
  if (rate.value !== seen) stop.set("label", "Stop at " + (seen = rate.value));
}
stop.set("label", "Stopped at " + rate.value);`,
];

describe.skipIf(browserPath === undefined)(
  "widgets in JupyterLab (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    let page: Page;

    beforeAll(async () => {
      jupyter = await JupyterLab.start();
      page = await jupyter.open("widgets.ipynb", CELLS);
      await run(0);
      await slider().waitFor();
    });

    afterAll(async () => {
      await keepScreenshot(page, "widgets.png");
      await jupyter?.close();
    });

    const cell = (index: number): Locator => page.locator(".jp-Notebook .jp-CodeCell").nth(index);
    const text = (index: number): Promise<string> => cell(index).locator(".jp-OutputArea").innerText();
    const slider = (): Locator => cell(0).locator("input[type=range]");
    const stop = (): Locator => cell(0).locator("button", { hasText: "Stop" });
    const shownRate = (): Promise<string> => cell(0).locator("output").innerText();

    async function run(index: number): Promise<void> {
      await cell(index).locator(".cm-content").click();
      await page.keyboard.press("Shift+Enter");
    }

    const eventually = (read: () => Promise<string>) => expect.poll(read);

    it("a cell's slider and button are drawn, with the cell's value", async () => {
      await eventually(() => cell(0).locator("label").innerText()).toContain("learning rate");
      await eventually(shownRate).toBe("0.001");
      await stop().waitFor();
    });

    it("a synchronous loop sees the slider dragged, and stops at the button", async () => {
      await run(1);
      await eventually(() => text(1)).toContain("training");
      const box = (await slider().boundingBox())!;
      const middle = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width * 0.4, middle);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.6, middle, { steps: 5 });
      await page.mouse.move(box.x + box.width * 0.8, middle, { steps: 5 });
      await page.mouse.up();
      const dragged = await shownRate();
      expect(Number(dragged)).toBeGreaterThan(0.05);
      await eventually(() => text(1)).toContain(`learning rate ${dragged}\n`);
      await keepScreenshot(page, "widgets_training.png");
      await stop().click();
      await eventually(() => text(1)).toContain("stopped true");
    });

    it("what the cell sets is what the page shows", async () => {
      await eventually(shownRate).toBe("0.5");
      expect(Number(await slider().inputValue())).toBeCloseTo(Math.log10(0.5), 2);
    });

    it("bytes and messages travel both ways, and handlers print below the cell that has them", async () => {
      await run(2);
      const line = (): Promise<string> => cell(2).locator("p").innerText();
      await eventually(line).toBe("bytes 1 2 3");
      await cell(2).locator("button", { hasText: "Send bytes" }).click();
      await eventually(() => text(2)).toContain('message {"hello":"kernel"} 5 6');
      await expect.poll(() => text(2)).toContain("cell has 3 2 1");
      await eventually(line).toBe("bytes 3 2 1, kernel says page");
    });

    it("a page that is loaded again while a loop runs has its widgets again, as they are now", async () => {
      await run(3);
      await eventually(() => text(3)).toContain("again");
      await page.keyboard.press("Control+s");
      await expect.poll(() => page.locator(".lm-TabBar-tab.jp-mod-dirty").count()).toBe(0);
      await page.reload({ waitUntil: "domcontentloaded" });
      await slider().waitFor();
      await expect.poll(() => shownRate()).toBe("0.5");
      await eventually(() => cell(2).locator("p").innerText()).toBe("bytes 3 2 1");
      await slider().focus();
      await page.keyboard.press("End");
      await eventually(shownRate).toBe("1");
      await page.keyboard.press("ArrowLeft");
      await eventually(shownRate).toBe("0.8913");
      await page.keyboard.press("ArrowRight");
      await eventually(shownRate).toBe("1");
      // The page holds a slider's next value back until the kernel has taken the one before, and no button's press.
      await eventually(() => stop().innerText()).toBe("Stop at 1");
      await keepScreenshot(page, "widgets_reloaded.png");
      await stop().focus();
      await page.keyboard.press("Enter");
      // A page that is loaded again shows no more output of a cell that began before; the widget tells.
      await eventually(() => stop().innerText()).toBe("Stopped at 1");
    });
  },
);
