// Plots in JupyterLab, in a real browser, in its light and its dark theme: each kind is drawn within the page's width, in
// text that can be read, and so is a chart of another package. Screenshots of what was seen are left in output/.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { browserPath } from "./browser_path.ts";
import { JupyterLab, keepScreenshot } from "./jupyter_lab.ts";

const KINDS = [
  'import { lab, torch } from "mpslab";\nconst train = Array.from({ length: 300 }, (_, step) => 2 * 0.98 ** step + 0.1);\nlab.plot({ train, validation: train.map((loss) => 1.3 * loss), other: train.map((loss) => 1.31 * loss) }, { x: "step", y: "loss", yScale: "log" })',
  "lab.plot.points(torch.randn([60, 2]))",
  "lab.plot.points(torch.randn([20_000, 2]))",
  'lab.plot.bars({ cpu: 41.2, mps: 6.1, difference: -3 }, { y: "ms", title: "Time of one step" })',
  'lab.plot.histogram({ before: torch.randn([5000]), after: torch.randn([5000]).mul(0.5) }, { x: "weight" })',
  "lab.plot.heatmap(torch.randn([12, 20]))",
  'lab.plot.confusionMatrix(torch.randint(0, 5, [500]), torch.randint(0, 5, [500]), { labels: ["cat", "deer", "dog", "frog", "horse"] })',
  "lab.plot.images(torch.rand([8, 1, 28, 28]), { captions: Array.from({ length: 8 }, (_, at) => `sample ${at}`) })",
  'const chart = lab.plot.live({ x: "step", y: "loss" });\nfor (let step = 0; step < 60; step++) {\n  chart.add(train[step]!);\n  await new Promise((resolve) => setTimeout(resolve, 20));\n}\nchart',
  'const run = (name: string, rate: number) => ({\n  ...lab.logbook.draft({ name }),\n  epochs: { epoch: [1, 2, 3], wallMs: [30, 20 * rate, 20], peakBytes: [2e6, 3e6, 3e6 * rate], metrics: { loss: [1, rate, rate ** 2] }, perPoint: 1 },\n});\nlab.logbook.plot(run("rate 0.9", 0.9), run("rate 0.8", 0.8), run("rate 0.7", 0.7))',
];

const OTHERS = [
  '({ $schema: "https://vega.github.io/schema/vega-lite/v6.json", mark: "bar", data: { values: [{ k: "a", n: 1 }, { k: "b", n: 3 }] }, encoding: { x: { field: "k" }, y: { field: "n", type: "quantitative" } } })',
  'import * as Plot from "@observablehq/plot";\nimport { parseHTML } from "linkedom";\nconst { document } = parseHTML("<html></html>");\nPlot.lineY(train).plot({ document })',
];

/** The parts of the browser's own interface that are asked in the page. */
interface Styled {
  readonly parentElement: Styled | null;
  readonly textContent: string;
}
type Computed = (of: Styled) => Readonly<Record<"fill" | "fontSize" | "backgroundColor", string>>;

/** A text with the colours that a person sees. */
interface SeenText {
  readonly text: string;
  readonly fill: string;
  readonly fontSize: number;
  readonly ground: string;
}

describe.skipIf(browserPath === undefined)(
  "plots in JupyterLab (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    let page: Page;

    beforeAll(async () => {
      jupyter = await JupyterLab.start();
      page = await jupyter.open("plots.ipynb", [...KINDS, ...OTHERS]);
      await jupyter.runAll(page);
      await output(KINDS.length).locator(".vega-embed canvas.marks").waitFor();
    });

    afterAll(() => jupyter?.close());

    const output = (cell: number) => page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea");
    const kinds = KINDS.map((_, cell) => cell);

    it("draw each kind once, within the width of a page", async () => {
      for (const cell of kinds) {
        const drawn = output(cell).locator(".vega-embed svg.marks");
        await expect.poll(() => drawn.count(), { message: KINDS[cell] }).toBe(1);
        const { width } = (await drawn.boundingBox())!;
        expect(width, KINDS[cell]).toBeLessThanOrEqual(640);
      }
    });

    it("show all points of a chart that was live", async () => {
      // 2 * 0.98 ** 59 + 0.1
      await expect.poll(() => output(8).locator("svg.marks text").allTextContents()).toContain("0.707");
    });

    const texts = (cell: number): Promise<SeenText[]> =>
      output(cell)
        .locator("svg.marks text")
        .evaluateAll((found) => {
          const { getComputedStyle } = globalThis as unknown as { getComputedStyle: Computed };
          const groundOf = (element: Styled | null): string => {
            if (element === null) return "rgb(255, 255, 255)";
            const color = getComputedStyle(element).backgroundColor;
            return color === "rgba(0, 0, 0, 0)" ? groundOf(element.parentElement) : color;
          };
          return (found as unknown as Styled[]).map((element) => ({
            text: element.textContent,
            fill: getComputedStyle(element).fill,
            fontSize: Number.parseFloat(getComputedStyle(element).fontSize),
            ground: groundOf(element),
          }));
        });

    /** Texts that are too small or too faint. On cells of a matrix the ground is the cell's: it is chosen with the text. */
    async function unreadable(cells: readonly number[]): Promise<string[]> {
      const found: string[] = [];
      for (const cell of cells)
        for (const { text, fill, fontSize, ground } of await texts(cell)) {
          const onCell = cell === 6 && /^rgb\((0, 0, 0|255, 255, 255)\)$/.test(fill);
          if (fontSize < 12) found.push(`${text}: ${fontSize} px`);
          if (!onCell && contrast(fill, ground) < 4.5) found.push(`${text}: ${fill} on ${ground}`);
        }
      return found;
    }

    it("are readable in the light theme and, without being drawn again, in the dark one", async () => {
      await keepScreenshot(page, "plots_light.png");
      await expect.poll(() => unreadable(kinds)).toEqual([]);
      const light = (await texts(0))[0]!;
      await jupyter.chooseTheme(page, "JupyterLab Dark");
      await expect.poll(async () => (await texts(0))[0]!.ground).not.toBe(light.ground);
      await keepScreenshot(page, "plots_dark.png");
      await expect.poll(() => unreadable(kinds)).toEqual([]);
    });

    it("of other packages are drawn, an SVG in the theme's colour", async () => {
      await expect.poll(() => output(KINDS.length).locator(".vega-embed").count()).toBe(1);
      const svg = output(KINDS.length + 1)
        .locator("svg")
        .first();
      await expect.poll(() => svg.locator("path").count()).toBeGreaterThan(0);
      const color = await svg.evaluate((element) => {
        const { getComputedStyle } = globalThis as unknown as {
          getComputedStyle(of: unknown): { color: string };
        };
        return getComputedStyle(element).color;
      });
      expect(contrast(color, "rgb(17, 17, 17)")).toBeGreaterThan(4.5);
    });
  },
);

/** WCAG's contrast of two colours as browsers compute them; a transparent one lies on the other. */
function contrast(text: string, ground: string): number {
  const [below, above] = [channels(ground), channels(text)];
  const alpha = above[3] ?? 1;
  const seen = above.slice(0, 3).map((channel, at) => alpha * channel + (1 - alpha) * below[at]!);
  const [a, b] = [luminance(seen), luminance(below)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function channels(color: string): number[] {
  return [...color.matchAll(/[\d.]+/g)].map(([number]) => Number(number));
}

function luminance(color: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
