// JupyterLab in a headless Chromium, for tests that look at a notebook as a person would. `server.ts` has started both.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chromium, type BrowserContext, type Page } from "playwright-core";
import { inject } from "vitest";
import { HANG_MS } from "../helpers/hang.ts";
import type { SharedJupyterLab } from "./server.ts";

const root = path.resolve(import.meta.dirname, "../..");
const screenshots = path.join(root, "output", "screenshots");
/** JupyterLab that has sent no further cell for so long has stopped at a failure. */
const STOPPED_AFTER_MS = 5_000;

/** Leaves a picture of what was seen in `output/screenshots/`. */
export async function keepScreenshot(page: Page | undefined, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true });
  await page?.screenshot({ path: path.join(screenshots, name) });
}

/** JupyterLab gives an error and text on stderr the same type. */
export const ERRORS = '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]';

export interface StoredNotebook {
  readonly cells: readonly { readonly outputs?: readonly object[] }[];
}

export class JupyterLab {
  /** One for all pages of a file: the program of JupyterLab is loaded once. */
  readonly #context: BrowserContext;
  readonly #shared: SharedJupyterLab;
  readonly #opened = new Set<string>();

  private constructor(context: BrowserContext, shared: SharedJupyterLab) {
    this.#context = context;
    this.#shared = shared;
  }

  /** Connects to the JupyterLab and to the browser that run for all files of this folder. */
  static async start(): Promise<JupyterLab> {
    const shared = inject("jupyterLab");
    if (shared === null) throw new Error("There is no Chromium on this machine.");
    const browser = await chromium.connect(shared.browser);
    const context = await browser.newContext({ viewport: { width: 1200, height: 1400 } });
    await keepTheme(context);
    return new JupyterLab(context, shared);
  }

  /** Opens a notebook with these cells in a window of notebook width. */
  open(name: string, cells: readonly string[]): Promise<Page> {
    return this.openNotebook(name, notebook(cells));
  }

  /** Opens a notebook, or a copy of one that is kept in a file. */
  async openNotebook(name: string, content: object): Promise<Page> {
    this.#opened.add(name);
    writeFileSync(path.join(this.#shared.folder, name), JSON.stringify(content));
    const page = await this.#context.newPage();
    page.setDefaultTimeout(HANG_MS);
    // A workspace each: another page would open what this one had open.
    const workspace = path.parse(name).name;
    await page.goto(`${this.#shared.url}/lab/workspaces/${workspace}/tree/${name}`, {
      waitUntil: "domcontentloaded",
    });
    // Cells that are run before the kernel has answered make JupyterLab ask which kernel it should take.
    await page.waitForSelector("text=/\\(mpslab\\) \\| Idle/");
    return page;
  }

  /**
   * Shows a notebook as it is stored, in place of the one that the page shows: JupyterLab is loaded once, and the notebook
   * takes the kernel of the one that is shown. Resolves when all outputs are drawn.
   */
  async showStored(page: Page, name: string, content: StoredNotebook): Promise<void> {
    writeFileSync(path.join(this.#shared.folder, name), JSON.stringify(content));
    await page.evaluate(`(async () => {
      const { commands, shell } = window.jupyterapp;
      const shown = shell.currentWidget;
      const kernel = shown.sessionContext.session.kernel.model;
      const opened = await commands.execute("docmanager:open", { path: ${JSON.stringify(name)}, kernel });
      await opened.revealed;
      await opened.sessionContext.ready;
      // Closing it would ask whether to save what the kernel has written into its metadata.
      if (shown !== opened) shown.dispose();
    })()`);
    const outputs = content.cells.reduce((sum, cell) => sum + (cell.outputs?.length ?? 0), 0);
    await page.waitForFunction(`(() => {
      const outputs = [...document.querySelectorAll(".jp-OutputArea-output")];
      const charts = [...document.querySelectorAll(".jp-RenderedVegaCommon5")];
      return outputs.length === ${outputs} && outputs.every((output) => output.childNodes.length > 0) &&
        charts.every((chart) => chart.querySelector("svg.marks, canvas.marks"));
    })()`);
  }

  /** Writes a file beside the notebooks, for a cell to see. */
  write(name: string, text: string): void {
    writeFileSync(path.join(this.#shared.folder, name), text);
  }

  /**
   * Runs all cells. Resolves when the last of them has ended.
   *
   * @throws Error with what the cells printed on stderr if JupyterLab went no further after a failure
   */
  async runAll(page: Page): Promise<void> {
    await choose(page, "Run", "Run All Cells");
    const cells = await page.locator(".jp-CodeCell").count();
    await page.waitForFunction(`(() => {
      const prompts = [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")].map((one) => one.textContent);
      const ended = prompts.filter((text) => /\\[\\d+\\]/.test(text)).length;
      const idle = /\\(mpslab\\) \\| Idle/.test(document.body.innerText);
      const waiting = !idle || prompts.some((text) => text.includes("*"));
      // JupyterLab sends a cell when the one before has ended, after a failure a little later.
      if (waiting || ended !== window.endedCells) window.endedSince = Date.now();
      window.endedCells = ended;
      return ended === ${cells} || (ended > 0 && Date.now() - window.endedSince > ${STOPPED_AFTER_MS});
    })()`);
    const ended = await page.locator(".jp-CodeCell .jp-InputPrompt", { hasText: /\[\d+\]/ }).count();
    if (ended === cells) return;
    const errors = await page.locator(ERRORS).allInnerTexts();
    throw new Error(`${ended} of ${cells} cells ran, then JupyterLab stopped:\n${errors.join("\n")}`);
  }

  async chooseTheme(page: Page, theme: "JupyterLab Light" | "JupyterLab Dark"): Promise<void> {
    await choose(page, "Settings", "Theme", theme);
    await page.waitForSelector(`body[data-jp-theme-name="${theme}"]`, { state: "attached" });
    await page.waitForSelector("#jupyterlab-splash", { state: "detached" });
  }

  /** Closes the pages, and ends the kernels of their notebooks. */
  async close(): Promise<void> {
    await this.#context.browser()!.close();
    const sessions = `${this.#shared.url}/api/sessions`;
    const running = (await (await fetch(sessions)).json()) as {
      readonly id: string;
      readonly path: string;
    }[];
    for (const { id } of running.filter((session) => this.#opened.has(session.path)))
      await fetch(`${sessions}/${id}`, { method: "DELETE" });
  }
}

/** The theme is a setting of the user, and all files have one user: each keeps for itself what it chooses. */
async function keepTheme(context: BrowserContext): Promise<void> {
  let chosen: string | null = null;
  await context.route(/api\/settings\/@jupyterlab\/apputils-extension:themes/, async (route) => {
    if (route.request().method() === "PUT") {
      chosen = (route.request().postDataJSON() as { readonly raw: string }).raw;
      return route.fulfill({ status: 204 });
    }
    const response = await route.fetch();
    const settings = (await response.json()) as object;
    return route.fulfill({ response, json: chosen === null ? settings : { ...settings, raw: chosen } });
  });
}

/** Clicks through menus. A notebook may have the name of a command in its text. */
async function choose(page: Page, menu: string, ...commands: readonly string[]): Promise<void> {
  await page.locator(".lm-MenuBar-itemLabel").getByText(menu, { exact: true }).click();
  for (const command of commands)
    await page.locator(".lm-Menu-itemLabel").getByText(command, { exact: true }).click();
}

function notebook(cells: readonly string[]): object {
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { kernelspec: { name: "mpslab", display_name: "TypeScript (mpslab)", language: "typescript" } },
    cells: cells.map((source, index) => ({
      id: `cell-${index}`,
      cell_type: "code",
      metadata: {},
      execution_count: null,
      outputs: [],
      source,
    })),
  };
}
