// The notebooks of the repository as a reader sees them who opens them in JupyterLab: nothing of them is wider than the page,
// and their quizzes are completed with the mouse or with the keyboard. New notebooks join by themselves. They show the outputs
// that are stored, which test/notebooks.test.ts replays; those in `RUN` run here from top to bottom.
// `MPSLAB_UPDATE_PICTURES=1 npm test -- test/browser/notebooks.test.ts` takes the pictures in docs/images/ again, those of
// the cells in `PICTURED` and one of each chart, in the light and the dark theme. Nothing is run then: times of a busy machine
// belong in no guide.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { browserPath } from "./browser_path.ts";
import { ERRORS, JupyterLab } from "./jupyter_lab.ts";
import { keepPicture } from "./pictures.ts";
import { answerWithKeyboard, answerWithMouse, questionsOf } from "./quiz.ts";

const root = path.resolve(import.meta.dirname, "../..");
const updatesPictures = process.env["MPSLAB_UPDATE_PICTURES"] === "1";
const pictures = updatesPictures
  ? path.join(root, "docs", "images")
  : path.join(root, "output", "screenshots");

const THEMES = [
  ["light", "JupyterLab Light"],
  ["dark", "JupyterLab Dark"],
] as const;
/** Where no picture is kept, one theme shows that there is something to see; plots.test.ts reads charts in both. */
const PICTURED_THEMES = updatesPictures ? THEMES : THEMES.slice(0, 1);

/** Text of the cell that a guide shows as a picture, with its code. */
const PICTURED: Readonly<Record<string, string>> = {
  "01-tour": "lab.plot.confusionMatrix(",
  "02-device-contract": "lab.plot(moves",
  "03-three-states": "lab.trace(step)",
  "04-honest-timing": "counts.map(",
  "05-hidden-synchronization": "counts.map(",
  "06-memory": "hundred.push(",
  "07-epochs-and-flushes": "history.push(",
  "08-mixed-precision": "lab.plot.bars(",
  "09-batch-sweep": "lab.sweep(",
  "10-custom-kernels": "lab.plot.heatmap(owner",
  "11-small-gpt": "let epoch = 0",
  "12-captured-steps": "const gains =",
  "13-healthy-training": "const script = examine(",
  "14-learning-curves": "const plain = train(",
  "15-fused-chain": "const lengths =",
  autoencoder: "displayId",
  claims: "grid_sampler_3d is not supported",
  everyday: "runs.map(",
  regression: "lab.plot.points(",
  widgets: "let epoch = 0",
};

/** The longest path through JupyterLab, and what no notebook stores: the state of widgets. */
const RUN: ReadonlySet<string> = new Set(["01-tour", "widgets"]);

const NOTEBOOKS = readdirSync(path.join(root, "notebooks"))
  .filter((file) => file.endsWith(".ipynb"))
  .map((file) => path.basename(file, ".ipynb"));

interface NotebookFile {
  readonly cells: readonly {
    readonly outputs?: readonly object[];
    readonly cell_type: string;
    readonly source: readonly string[];
    readonly metadata: { readonly tags?: readonly string[] };
  }[];
}

const committed = (name: string): NotebookFile =>
  JSON.parse(readFileSync(path.join(root, "notebooks", `${name}.ipynb`), "utf8")) as NotebookFile;

/**
 * The notebook as it was before it ran, with one epoch, and with all code shown: JupyterLab shows no number that says when a
 * cell ended beside one whose code it hides.
 */
function notYetRun(name: string): object {
  const { cells, ...rest } = committed(name);
  const unrun = { outputs: [], execution_count: null };
  const shown = ({ source, metadata: { tags } }: (typeof cells)[number]) => ({
    metadata: tags ? { tags } : {},
    source: source.map((line) => line.replace(/^const epochs = \d+;/, "const epochs = 1;")),
  });
  return {
    ...rest,
    cells: cells.map((cell) => (cell.cell_type === "code" ? { ...cell, ...unrun, ...shown(cell) } : cell)),
  };
}

const quizCells = (name: string): string[] =>
  committed(name)
    .cells.map(({ cell_type, source }) => (cell_type === "code" ? source.join("") : ""))
    .filter((source) => source.includes("lab.quiz("));
const QUIZZED = NOTEBOOKS.filter((name) => quizCells(name).length > 0);

const chartFolder = path.join(pictures, "charts");
/** Charts that an earlier run has pictured: the notebook may have fewer now. */
function chartsOf(name: string, suffix: string): string[] {
  if (!existsSync(chartFolder)) return [];
  return readdirSync(chartFolder)
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith(`-${suffix}.png`))
    .map((file) => path.join(chartFolder, file));
}

describe.skipIf(browserPath === undefined)(
  "in JupyterLab (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    /** Shows what is stored, one notebook after the other. */
    let stored: Page;
    beforeAll(async () => {
      jupyter = await JupyterLab.start();
      stored = await jupyter.open("stored.ipynb", []);
    });
    afterAll(() => jupyter?.close());

    describe.each(NOTEBOOKS)("%s", (name) => {
      const runs = RUN.has(name) && !updatesPictures;
      let page: Page;
      beforeAll(async () => {
        page = runs ? await jupyter.openNotebook(`${name}.ipynb`, notYetRun(name)) : stored;
        await (runs ? jupyter.runAll(page) : jupyter.showStored(page, `${name}.ipynb`, committed(name)));
      });
      afterAll(() => (runs ? page?.close() : undefined));

      it.runIf(runs)("runs from top to bottom, and fails only in the cells that are meant to", async () => {
        const errors = (await page.locator(ERRORS).allInnerTexts()).filter((text) =>
          /^\w*Error: /.test(text),
        );
        const meant = committed(name).cells.filter(({ metadata }) =>
          metadata.tags?.includes("raises-exception"),
        );
        expect(errors).toHaveLength(meant.length);
      });

      it.skipIf(updatesPictures)("shows no output that is wider than the page", async () => {
        const outputs = page.locator(".jp-OutputArea-output, .jp-OutputArea-output *:not(svg *)");
        const tooWide = await outputs.evaluateAll((found) =>
          found
            .map(
              (output) =>
                output as unknown as { scrollWidth: number; clientWidth: number; innerText: string },
            )
            .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
            .map(({ innerText }) => innerText),
        );
        expect(tooWide).toEqual([]);
      });

      it.each(PICTURED_THEMES)("is pictured in the %s theme", async (suffix, theme) => {
        await jupyter.chooseTheme(page, theme);
        // A cell that is taller than the page would be pictured with the toolbar above it.
        await page.setViewportSize({ width: 1200, height: 2600 });
        const text = PICTURED[name];
        if (text !== undefined) {
          const cell = page.locator(".jp-CodeCell", { hasText: text }).first();
          expect(await keepPicture(cell, path.join(pictures, `${name}-${suffix}.png`))).toBeGreaterThan(2000);
        }
        const charts = await page.locator(".jp-OutputArea-output .vega-embed").all();
        for (const chart of charts) await chart.locator("svg.marks, canvas.marks").waitFor();
        for (const file of chartsOf(name, suffix)) rmSync(file);
        for (const [at, chart] of charts.entries()) {
          const file = path.join(chartFolder, `${name}-${at + 1}-${suffix}.png`);
          expect(await keepPicture(chart, file)).toBeGreaterThan(1000);
        }
      });
    });

    // One kernel for all of them: a quiz reads nothing of its notebook.
    describe.skipIf(updatesPictures)("the quiz", () => {
      const quizzes = QUIZZED.flatMap((name) => quizCells(name).map((cell) => [name, cell] as const));
      let page: Page;
      beforeAll(async () => {
        page = await jupyter.open("quizzes.ipynb", [
          'import { lab } from "mpslab";',
          ...quizzes.map(([, cell]) => cell),
        ]);
        await jupyter.runAll(page);
      });
      afterAll(() => page?.close());

      it.each(quizzes.map(([name, cell], at) => ({ name, cell, at, device: at % 2 ? "keyboard" : "mouse" })))(
        "of $name is completed with the $device",
        async ({ cell, at, device }) => {
          const cells = await page.locator(".jp-CodeCell").count();
          const [quiz, questions] = [page.locator(".mpslab-form").nth(at), questionsOf(cell)];
          await (device === "keyboard" ? answerWithKeyboard : answerWithMouse)(page, quiz, questions);
          const count = questions.length;
          await quiz.getByText(`${count} of ${count} are right: complete.`).waitFor();
          // The keys were the form's: JupyterLab's own shortcuts added, deleted and ran nothing.
          await expect.poll(() => page.locator(".jp-CodeCell").count()).toBe(cells);
        },
      );
    });
  },
);
