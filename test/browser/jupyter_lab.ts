// A JupyterLab of `.venv` and a headless Chromium beside it, for tests that look at a notebook as a person would.
import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chromium, type BrowserContext, type Page } from "playwright-core";
import { writeKernelspec } from "../../kernel/cli/kernelspec.ts";
import { HANG_MS } from "../helpers/hang.ts";

const root = path.resolve(import.meta.dirname, "../..");
const KNOWN_BROWSERS = [
  process.env["MPSLAB_BROWSER"],
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** A Chromium of the machine, or undefined: nothing is downloaded for a test. */
export const browserPath = KNOWN_BROWSERS.find((file) => file !== undefined && existsSync(file));

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

export class JupyterLab {
  readonly #server: ChildProcess;
  /** One for all pages: the program of JupyterLab is loaded once. */
  readonly #context: BrowserContext;
  readonly #folder: string;
  readonly #url: string;

  private constructor(server: ChildProcess, context: BrowserContext, folder: string, url: string) {
    this.#server = server;
    this.#context = context;
    this.#folder = folder;
    this.#url = url;
  }

  static async start(): Promise<JupyterLab> {
    // Inside the project: notebooks of the repository import packages of it.
    const folder = mkdtempSync(path.join(root, "build", "lab-"));
    writeKernelspec(path.join(folder, "jupyter"));
    // Notebooks of the repository read the files beside them, and one another.
    cpSync(path.join(root, "notebooks"), folder, { recursive: true });
    // Cells that are scrolled away stay in the page, so that they can be counted. No question covers the page.
    keepSettings(folder, "notebook-extension/tracker", { windowingMode: "none" });
    keepSettings(folder, "apputils-extension/notification", { fetchNews: "false" });
    // JupyterLab shows no completion that comes after a second, as on a busy machine.
    keepSettings(folder, "completer-extension/manager", { providerTimeout: HANG_MS });
    const server = spawn(
      path.join(root, ".venv/bin/jupyter-lab"),
      [
        "--no-browser",
        "--allow-root",
        "--port=0",
        "--ServerApp.ip=127.0.0.1",
        "--IdentityProvider.token=",
        "--LabApp.news_url=",
        `--notebook-dir=${folder}`,
      ],
      {
        cwd: folder,
        detached: true,
        stdio: ["ignore", "ignore", "pipe"],
        env: {
          ...process.env,
          HOME: folder,
          JUPYTER_PATH: path.join(folder, "jupyter"),
          JUPYTER_RUNTIME_DIR: path.join(folder, "runtime"),
        },
      },
    );
    const url = await addressOf(server);
    const browser = await chromium.launch({
      executablePath: browserPath!,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
      ],
    });
    const context = await browser.newContext({ viewport: { width: 1200, height: 1400 } });
    return new JupyterLab(server, context, folder, url);
  }

  /** Opens a notebook with these cells in a window of notebook width. */
  open(name: string, cells: readonly string[]): Promise<Page> {
    return this.openNotebook(name, notebook(cells));
  }

  /** Opens a notebook, or a copy of one that is kept in a file. */
  async openNotebook(name: string, content: object): Promise<Page> {
    writeFileSync(path.join(this.#folder, name), JSON.stringify(content));
    const page = await this.#context.newPage();
    page.setDefaultTimeout(HANG_MS);
    // A workspace each: another page would open what this one had open.
    const workspace = path.parse(name).name;
    await page.goto(`${this.#url}/lab/workspaces/${workspace}/tree/${name}`, {
      waitUntil: "domcontentloaded",
    });
    // Cells that are run before the kernel has answered make JupyterLab ask which kernel it should take.
    await page.waitForSelector("text=/\\(mpslab\\) \\| Idle/");
    return page;
  }

  /** Writes a file beside the notebooks, for a cell to see. */
  write(name: string, text: string): void {
    writeFileSync(path.join(this.#folder, name), text);
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

  async close(): Promise<void> {
    await this.#context.browser()!.close();
    const ended = new Promise((resolve) => this.#server.once("exit", resolve));
    process.kill(-this.#server.pid!, "SIGTERM");
    await ended;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Clicks through menus. A notebook may have the name of a command in its text. */
async function choose(page: Page, menu: string, ...commands: readonly string[]): Promise<void> {
  await page.locator(".lm-MenuBar-itemLabel").getByText(menu, { exact: true }).click();
  for (const command of commands)
    await page.locator(".lm-Menu-itemLabel").getByText(command, { exact: true }).click();
}

/** Settings of JupyterLab, as its user's folder keeps them. */
function keepSettings(home: string, plugin: string, settings: object): void {
  const file = path.join(home, ".jupyter/lab/user-settings/@jupyterlab", `${plugin}.jupyterlab-settings`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(settings));
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

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let log = "";
    server.stderr!.on("data", (text) => {
      log += text;
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(log);
      if (address) resolve(address[0]);
    });
    server.once("exit", (status) => reject(new Error(`JupyterLab ended with status ${status}:\n${log}`)));
  });
}
