// The packages as a user of npm gets them: published to a registry, installed from it in an empty folder with an empty home,
// opened in a browser, and removed. libtorch is the clone's, as of a user who has PyTorch.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath } from "../browser/browser_path.ts";
import { keepScreenshot } from "../browser/jupyter_lab.ts";
import { HANG_MS } from "../helpers/hang.ts";
import { type Registry, startRegistry } from "./registry.ts";

const root = path.resolve(import.meta.dirname, "../..");
const packages = path.join(root, "output", "packages");
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-registry-")));
const home = path.join(folder, "home");
const project = path.join(folder, "project");

const opened = path.join(folder, "opened");

const environment = {
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  MPSLAB_TORCH: realpathSync(path.join(root, "build/native/Release/torch")),
  // Downloads of other packages, which are no part of what is tested.
  npm_config_cache: execFileSync("npm", ["config", "get", "cache"], { encoding: "utf8" }).trim(),
  PIP_CACHE_DIR: execFileSync("python3", ["-m", "pip", "cache", "dir"], { encoding: "utf8" }).trim(),
  // Python compiles what a test imports; pip would compile every file of JupyterLab.
  PIP_NO_COMPILE: "1",
  // JupyterLab opens this one, which leaves the address for the test's own.
  BROWSER: path.join(folder, "browser"),
};

function run(program: string, args: readonly string[], cwd = project) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: environment, encoding: "utf8" });
  return { status, stdout, stderr };
}
const npx = (...args: string[]) => run("npx", ["mpslab", ...args]);

let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry(path.join(folder, "registry"));
  for (const made of [home, project]) mkdirSync(made);
  writeFileSync(
    environment.BROWSER,
    `#!/bin/sh\necho "$1" > '${folder}/part'\nmv '${folder}/part' '${opened}'\n`,
    {
      mode: 0o755,
    },
  );
  // npm sends a token to whom it publishes; this registry takes any.
  const { host } = new URL(registry.url);
  writeFileSync(path.join(home, ".npmrc"), `registry=${registry.url}\n//${host}/:_authToken=anybody\n`);
});
afterAll(async () => {
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
});

it("npm publishes the addon, the main package and create-mpslab", () => {
  for (const name of [/^mpslab-(linux|darwin)-.*\.tgz$/, /^mpslab-\d.*\.tgz$/, /^create-mpslab-.*\.tgz$/]) {
    const file = readdirSync(packages).find((other) => name.test(other))!;
    const { status, stderr } = run("npm", ["publish", path.join(packages, file)], folder);
    expect(stderr).not.toContain("npm error");
    expect(status).toBe(0);
  }
});

describe("in an empty folder", () => {
  it("npm install mpslab brings the addon of this platform, and no other", () => {
    expect(run("npm", ["install", "mpslab", "--no-audit", "--no-fund"]).status).toBe(0);
    expect(readdirSync(path.join(project, "node_modules/@mpslab"))).toEqual([
      expect.stringMatching(new RegExp(`^${process.platform}-${process.arch}-torch`)),
    ]);
  });

  it("npx mpslab execute sets up JupyterLab and runs a notebook", () => {
    const cells = [
      {
        cell_type: "code",
        id: "a",
        source: 'import { torch } from "mpslab"; torch.ones([2]).sum().item()',
        metadata: {},
        outputs: [],
        execution_count: null,
      },
    ];
    const metadata = { kernelspec: { name: "mpslab", display_name: "TypeScript (mpslab)" } };
    mkdirSync(path.join(project, "other"));
    const notebook = path.join(project, "other", "sum.ipynb");
    writeFileSync(notebook, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells }));
    const { status, stdout } = npx("execute", "other/sum.ipynb");
    expect(stdout).toContain(`HTML page: ${project}/output/sum.html`);
    expect(status).toBe(0);
    expect(readFileSync(path.join(project, "output/sum.ipynb"), "utf8")).toMatch(
      /"text\/plain": \[\s*"2"\s*\]/,
    );
  });

  it("npx mpslab doctor finds everything", () => {
    const { status, stdout } = npx("doctor");
    expect(stdout).toContain(`ok   addon       ${project}/node_modules/@mpslab/`);
    expect(stdout).not.toContain("FAIL");
    expect(status).toBe(0);
  });

  it.skipIf(browserPath === undefined)(
    "npx mpslab opens JupyterLab on the tour, from the printed link too, and its cells run",
    async () => {
      const lab = spawn("npx", ["mpslab"], {
        cwd: project,
        env: environment,
        detached: true,
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      lab.stderr.on("data", (text) => (said += text));
      const ended = new Promise<void>((resolve) => lab.once("exit", () => resolve()));
      const address = await Promise.race([openedAddress(), ended.then(() => "npx mpslab ended")]);
      const browser = await chromium.launch({
        executablePath: browserPath!,
        args: ["--no-sandbox", "--disable-gpu"],
      });
      const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } });
      try {
        expect(said).toMatch(
          /http:\/\/\S+:\d+\/lab\/tree\/mpslab-lessons\/notebooks\/01-tour\.ipynb\?token=/,
        );
        page.setDefaultTimeout(HANG_MS);
        await page.goto(address, { waitUntil: "domcontentloaded" });
        await page.waitForSelector("text=/\\(mpslab\\) \\| Idle/");
        // The tour shows outputs already: a cell of our own shows that the kernel answers.
        const first = page.locator(".jp-CodeCell").first();
        await first.locator(".cm-content").click();
        await page.keyboard.press("Control+A");
        await page.keyboard.type("6 * 7");
        await page.keyboard.press("Shift+Enter");
        await first.locator(".jp-OutputArea-output", { hasText: "42" }).waitFor();
        expect(
          await page.locator(".lm-TabBar-tabLabel", { hasText: "01-tour.ipynb" }).count(),
        ).toBeGreaterThan(0);
      } finally {
        await keepScreenshot(page, "registry.png");
        await browser.close();
        process.kill(-lab.pid!, "SIGTERM");
        await ended;
      }
    },
  );

  it("install --user makes the kernel known to another Jupyter", () => {
    expect(npx("install", "--user").status).toBe(0);
    // The clone's Jupyter knows the clone's kernel too.
    const jupyter = ["JUPYTER_PREFER_ENV_PATH=0", path.join(root, ".venv/bin/python")];
    expect(run("env", [...jupyter, "-m", "jupyter_client.kernelspecapp", "list"]).stdout).toContain(
      `${home}/.local/share/jupyter/kernels/mpslab`,
    );
  });

  it("uninstall keeps the cells that were run; with --history it leaves nothing", () => {
    expect(npx("uninstall").status).toBe(0);
    expect(left()).toEqual([".local/share/mpslab"]);
    expect(readdirSync(path.join(home, ".local/share/mpslab"))).toContain("history.sqlite");
    expect(npx("uninstall", "--history").status).toBe(0);
    expect(left()).toEqual([]);
  });
});

it("npm create mpslab makes a folder whose program runs", () => {
  const { status, stdout } = run("npm", ["create", "--yes", "mpslab", "my-models"], folder);
  expect(stdout).toContain(`Made ${folder}/my-models. Next:`);
  expect(status).toBe(0);
  const made = path.join(folder, "my-models");
  expect(run("npm", ["install", "--no-audit", "--no-fund"], made)).toMatchObject({ status: 0 });
  expect(run("npm", ["run", "--silent", "train"], made).stdout).toBe("y = 3.00 x + 1.00\n");
});

/** What a browser is asked to open. */
async function openedAddress(): Promise<string> {
  while (!existsSync(opened)) await new Promise((resolve) => setTimeout(resolve, 100));
  return readFileSync(opened, "utf8").trim();
}

/** Files and folders of the home that are ours. Jupyter's own, and npm's, are not. */
const left = () =>
  readdirSync(home, { recursive: true })
    .map(String)
    .filter((name) => path.basename(name).includes("mpslab") && !name.startsWith(".npm"));
