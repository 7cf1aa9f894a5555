// A clone on a machine that is out of the ordinary: folders with signs that build tools read in their own way, no network, a
// disk that is full or can only be read, no home. Each works, or says in a sentence what to do.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkFolder } from "../../../native/setup/folder.mjs";
import { registerKernel } from "../../../native/setup/python.mjs";
import { createReport } from "../../../native/setup/report.mjs";

const root = path.resolve(import.meta.dirname, "../../..");
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-odd-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Nothing listens there: what asks for the network is refused at once. */
const NOWHERE = "http://127.0.0.1:9";
const OFFLINE = {
  http_proxy: NOWHERE,
  https_proxy: NOWHERE,
  HTTP_PROXY: NOWHERE,
  HTTPS_PROXY: NOWHERE,
  npm_config_registry: NOWHERE,
  PIP_INDEX_URL: NOWHERE,
};

const run = (
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) => {
  const env = { ...process.env, ...environment };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: "utf8" });
  return { status, stdout, stderr };
};
const setUp = path.join(root, "native/setup.mjs");
const cli = path.join(root, "dist/kernel/cli.js");

const notebook = path.join(folder, "sum.ipynb");
writeFileSync(
  notebook,
  JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { kernelspec: { name: "mpslab", display_name: "TypeScript (mpslab)" } },
    cells: [
      {
        cell_type: "code",
        id: "a",
        source: 'import { torch } from "mpslab"; torch.ones([2]).sum().item()',
        metadata: {},
        outputs: [],
        execution_count: null,
      },
    ],
  }),
);

describe("a clone in a folder", () => {
  it.each([
    ['of "mine"', "CMake"],
    ["a;b", "CMake"],
    ["a|b", "CMake"],
    ["#1", "CMake"],
    ["a:b", "Python's venv"],
  ])("named %s is refused before anything is installed, by the sign that %s cannot read", (name, program) => {
    const clone = path.join(folder, name);
    for (const file of ["package.json", "package-lock.json", "requirements.txt", "native"])
      cpSync(path.join(root, file), path.join(clone, file), { recursive: true });
    const { status, stderr } = run(process.execPath, [path.join(clone, "native/setup.mjs"), "build"]);
    const sign = /[";|#:]/.exec(name)![0];
    expect(stderr).toBe(
      `mpslab: ${JSON.stringify(clone)} has the sign ${JSON.stringify(sign)} in its path, with which ${program} does not work: move the folder to a path without it, then run the command again.\n`,
    );
    expect(status).toBe(1);
  });

  it("with all other signs of a keyboard is accepted, and CMake, make and Python work in it", () => {
    const clone = path.join(folder, "it's a $HOME & (ü) 100% [1] `x` =!,*?<>~^{}@+");
    mkdirSync(clone);
    expect(() => checkFolder(clone)).not.toThrow();
    const lists = `cmake_minimum_required(VERSION 3.20)
project(odd LANGUAGES CXX)
add_library(odd MODULE odd.cc)
target_precompile_headers(odd PRIVATE precompiled.h)
`;
    writeFileSync(path.join(clone, "CMakeLists.txt"), lists);
    writeFileSync(path.join(clone, "precompiled.h"), "#include <cstddef>\n");
    writeFileSync(path.join(clone, "odd.cc"), "extern std::size_t size; std::size_t size = 1;\n");
    const bin = path.join(root, ".venv/bin");
    const environment = { PATH: `${process.env["PATH"]}:${bin}` };
    const build = path.join(clone, "build");
    expect(run("cmake", ["-S", clone, "-B", build], environment).stderr).toBe("");
    expect(run("cmake", ["--build", build], environment)).toMatchObject({ status: 0, stderr: "" });
    expect(run("python3", ["-m", "venv", path.join(clone, ".venv")])).toMatchObject({ status: 0 });
    const python = path.join(clone, ".venv/bin/python");
    expect(run(python, ["-m", "pip", "--version"]).stdout).toContain(`${clone}/.venv/lib/`);
  });
});

describe("without a network, a clone that is set up", () => {
  it("has nothing to set up", () => {
    expect(run(process.execPath, [setUp, "build"], OFFLINE)).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it.each([
    ["doctor", ["doctor"], "ok   device"],
    ["execute", ["execute", notebook], "HTML page: "],
  ])("%s works", (_, args, said) => {
    const { status, stdout } = run(process.execPath, [cli, ...args], OFFLINE);
    expect(stdout).toContain(said);
    expect(status).toBe(0);
  });

  it("lab opens JupyterLab", async () => {
    expect(await addressOfLab(OFFLINE)).toMatch(/^http:\/\/(localhost|127\.0\.0\.1):\d+\/lab/);
  });

  it.runIf(ownNetwork())("execute works where there is no network at all, not even to this machine", () => {
    const { status, stdout } = run("unshare", ["-rn", process.execPath, cli, "execute", notebook]);
    expect(stdout).toContain("HTML page: ");
    expect(status).toBe(0);
  });
});

describe("a home that cannot be written", () => {
  const home = { HOME: "/dev/null/home" };

  it("does not matter to execute", () => {
    const { status, stderr } = run(process.execPath, [cli, "execute", notebook], home);
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  it.each([
    [
      "install",
      "mpslab: /dev/null is a file, not a folder: name another Jupyter with mpslab install --prefix DIR.\n",
    ],
    [
      "lab",
      "mpslab: JupyterLab keeps its files in /dev/null/home/.local/share/jupyter/runtime, and /dev/null is a file, not a folder: set HOME to a folder that you may write.\n",
    ],
  ])("is named by %s", (command, sentence) => {
    const { status, stderr } = run(process.execPath, [cli, command], {
      ...home,
      ...NO_FOLDERS,
    });
    expect(stderr).toBe(sentence);
    expect(status).toBe(1);
  });
});

describe.runIf(ownMounts())("on a disk of its own", () => {
  /** Runs a shell's words with the mounts that they make for themselves. */
  const mounted = (words: string) => run("unshare", ["-rm", "sh", "-c", words]);
  const quoted = (word: string) => `'${word}'`;
  const readOnly = `mount --bind ${quoted(root)} ${quoted(root)} && mount -o remount,ro,bind ${quoted(root)}`;

  it.each([
    ["build has nothing to do", `${quoted(setUp)} build`, ""],
    [
      "execute in it names the folder before it runs a cell",
      `${quoted(setUp)} start --execute notebooks/01-tour.ipynb`,
      `mpslab: the folder ${root} is on a disk that can only be read: name another folder with --output FOLDER.\n`,
    ],
  ])("a clone that can only be read: %s", (_, command, said) => {
    const { stderr, stdout } = mounted(`${readOnly} && ${quoted(process.execPath)} ${command}`);
    expect(stderr).toBe(said);
    expect(stdout).toBe("");
  });

  it("a clone that can only be read: execute writes beside a notebook elsewhere", () => {
    const { stderr, stdout } = mounted(
      `${readOnly} && ${quoted(process.execPath)} ${quoted(cli)} execute ${quoted(notebook)}`,
    );
    expect(stderr).toBe("");
    expect(stdout).toContain(`HTML page: ${folder}/output/sum.html\n`);
  });

  it("set-up on a full disk says so", () => {
    const clone = path.join(folder, "full");
    mkdirSync(clone);
    const parts = ["package.json", "package-lock.json", "requirements.txt", "native"];
    const copied = parts.map((part) => quoted(path.join(root, part)));
    const installed = `ln -s ${quoted(path.join(root, "node_modules"))} ${quoted(clone)}`;
    const { stderr } = mounted(
      `mount -t tmpfs -o size=8m full ${quoted(clone)} && cp -r ${copied.join(" ")} ${quoted(clone)} && ${installed} && ` +
        `${quoted(process.execPath)} ${quoted(path.join(clone, "native/setup.mjs"))} build`,
    );
    const sentences = stderr.split("\n").filter((line) => line.startsWith("mpslab: "));
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toContain(
      `mpslab: There is no room left on the disk of ${clone}: make room, then run the command again.`,
    );
    expect(stderr).not.toContain("    at ");
  });
});

describe("programs that a machine has in another form", () => {
  it("a Python without ensurepip, as Debian's without python3-venv, is said to need it", () => {
    const bin = path.join(folder, "bin");
    mkdirSync(bin);
    const python = `#!/bin/sh
case "$*" in *ensurepip*) echo "ModuleNotFoundError: No module named 'ensurepip'" >&2; exit 1;; esac
exec /usr/bin/env -u PATH python3 "$@"
`;
    writeFileSync(path.join(bin, "python3"), python, { mode: 0o755 });
    const clone = path.join(folder, "no-venv");
    for (const file of ["package.json", "package-lock.json", "requirements.txt", "native"])
      cpSync(path.join(root, file), path.join(clone, file), { recursive: true });
    symlinkSync(path.join(root, "node_modules"), path.join(clone, "node_modules"));
    const { stderr } = run(process.execPath, [path.join(clone, "native/setup.mjs"), "build"], { PATH: bin });
    const sentences = stderr.split("\n").filter((line) => line.startsWith("mpslab: "));
    expect(sentences).toEqual([
      expect.stringMatching(
        /^mpslab: No Python 3\.11 or newer with the venv module was found: install one \(on Debian: apt install python3-venv; /,
      ),
    ]);
  });

  it("where the Node is gone that set-up has named to Jupyter, the one that runs now is named", async () => {
    const clone = path.join(folder, "upgraded");
    mkdirSync(clone);
    symlinkSync(path.join(root, "dist"), path.join(clone, "dist"));
    const kernelspec = path.join(clone, ".venv/share/jupyter/kernels/mpslab/kernel.json");
    mkdirSync(path.dirname(kernelspec), { recursive: true });
    writeFileSync(kernelspec, JSON.stringify({ argv: ["/opt/node-20.19.0/bin/node", "/clone/main.js"] }));
    await registerKernel(clone, createReport(clone));
    const { stdout } = run(process.execPath, ["-p", `require(${JSON.stringify(kernelspec)}).argv[0]`]);
    expect(run(stdout.trim(), ["--version"]).stdout).toBe(`${process.version}\n`);
  });
});

/** Would name other folders than those of the home. */
const NO_FOLDERS = { XDG_DATA_HOME: "", JUPYTER_DATA_DIR: "", JUPYTER_RUNTIME_DIR: "" };

function ownMounts(): boolean {
  return spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
}

function ownNetwork(): boolean {
  return spawnSync("unshare", ["-rn", "true"]).status === 0;
}

/** Ends JupyterLab when it has said where it is. */
async function addressOfLab(environment: Readonly<Record<string, string>>): Promise<string | undefined> {
  const args = [cli, "lab", "--no-browser", "--port=0", "--ServerApp.ip=127.0.0.1"];
  const lab = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...environment } });
  let said = "";
  const address = await new Promise<string | undefined>((resolve) => {
    lab.stderr.on("data", (text) => {
      said += text;
      const found = /http:\S+\/lab/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
    lab.once("exit", () => resolve(undefined));
  });
  lab.kill("SIGTERM");
  await new Promise((resolve) => (lab.exitCode === null ? lab.once("exit", resolve) : resolve(null)));
  return address;
}
