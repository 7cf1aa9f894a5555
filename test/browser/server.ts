// Starts one JupyterLab of `.venv` and one headless Chromium for all files of this folder, before the first of them.
import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { writeKernelspec } from "../../kernel/cli/kernelspec.ts";
import { HANG_MS } from "../helpers/hang.ts";
import { NO_NAME_SERVICE } from "../lib/torch/distributed/ranks.ts";
import { browserPath } from "./browser_path.ts";

export interface SharedJupyterLab {
  readonly url: string;
  /** Its notebooks: names of files are shared by all tests. */
  readonly folder: string;
  /** Where the browser can be connected to. */
  readonly browser: string;
}

declare module "vitest" {
  interface ProvidedContext {
    jupyterLab: SharedJupyterLab | null;
  }
}

const root = path.resolve(import.meta.dirname, "../..");

export default async function start(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (browserPath === undefined) {
    project.provide("jupyterLab", null);
    return undefined;
  }
  const folder = writeFolder();
  const server = startServer(folder, project);
  const browser = await chromium.launchServer({
    executablePath: browserPath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  });
  project.provide("jupyterLab", { url: await addressOf(server), folder, browser: browser.wsEndpoint() });
  const end = () => process.kill(-server.pid!, "SIGTERM");
  // Whoever stops the tests stops the server too.
  process.once("exit", end);
  return async () => {
    process.off("exit", end);
    await browser.close();
    const ended = new Promise((resolve) => server.once("exit", resolve));
    end();
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** Inside the project: notebooks of the repository import packages of it. */
function writeFolder(): string {
  const folder = mkdtempSync(path.join(root, "build", "lab-"));
  writeKernelspec(path.join(folder, "jupyter"));
  // Notebooks of the repository read the files beside them, and one another.
  cpSync(path.join(root, "notebooks"), folder, { recursive: true });
  // Cells that are scrolled away stay in the page, so that they can be counted. No question covers the page.
  keepSettings(folder, "notebook-extension/tracker", { windowingMode: "none" });
  keepSettings(folder, "apputils-extension/notification", { fetchNews: "false" });
  // JupyterLab shows no completion that comes after a second, as on a busy machine.
  keepSettings(folder, "completer-extension/manager", { providerTimeout: HANG_MS });
  return folder;
}

/** Settings of JupyterLab, as its user's folder keeps them. */
function keepSettings(home: string, plugin: string, settings: object): void {
  const file = path.join(home, ".jupyter/lab/user-settings/@jupyterlab", `${plugin}.jupyterlab-settings`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(settings));
}

function startServer(folder: string, project: TestProject): ChildProcess {
  return spawn(
    path.join(root, ".venv/bin/jupyter-lab"),
    [
      "--no-browser",
      "--allow-root",
      "--port=0",
      "--ServerApp.ip=127.0.0.1",
      "--IdentityProvider.token=",
      // Nothing is at stake on the loopback, and a test ends its kernels by plain requests.
      "--ServerApp.disable_check_xsrf=True",
      "--LabApp.news_url=",
      // A page in which JupyterLab is loaded shows another notebook by its own command.
      "--LabApp.expose_app_in_browser=True",
      `--notebook-dir=${folder}`,
    ],
    {
      cwd: folder,
      detached: true,
      stdio: ["ignore", "ignore", "pipe"],
      env: {
        ...process.env,
        // A set-up does not get the variables of its project.
        ...(project.config.env as NodeJS.ProcessEnv),
        ...NO_NAME_SERVICE,
        HOME: folder,
        JUPYTER_PATH: path.join(folder, "jupyter"),
        JUPYTER_RUNTIME_DIR: path.join(folder, "runtime"),
      },
    },
  );
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
