// The command line from outside, and the kernelspec that it writes.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseHTML } from "linkedom";
import { afterAll, describe, expect, it } from "vitest";
import { stableNodePath } from "../../kernel/cli/kernelspec.ts";
import { KERNEL_MAIN, PROJECT_ROOT, venvProgram } from "../../kernel/cli/project.ts";

// Jupyter's programs take seconds to start, and several times as long beside other tests.
const folder = realpathSync(mkdtempSync(join(tmpdir(), "mpslab-cli-")));
afterAll(() => rmSync(folder, { recursive: true }));

const mpslab = (args: string[], environment: Record<string, string> = {}) =>
  spawnSync(process.execPath, [join(PROJECT_ROOT, "dist/kernel/cli.js"), ...args], {
    encoding: "utf8",
    cwd: folder,
    env: { ...process.env, ...environment },
  });

describe("mpslab install", () => {
  const kernelspec = (dataFolder: string) =>
    JSON.parse(readFileSync(join(dataFolder, "kernels/mpslab/kernel.json"), "utf8")) as Record<
      string,
      unknown
    >;

  it("writes a kernelspec that Jupyter lists, interrupts by message and starts", () => {
    const { status, stdout } = mpslab(["install", "--prefix", folder]);
    expect(status).toBe(0);
    expect(stdout).toBe(`installed ${folder}/share/jupyter/kernels/mpslab/kernel.json\n`);
    expect(kernelspec(`${folder}/share/jupyter`)).toEqual({
      argv: [stableNodePath(), KERNEL_MAIN, "{connection_file}"],
      display_name: "TypeScript (mpslab)",
      language: "typescript",
      env: { MALLOC_MMAP_THRESHOLD_: "65536" },
      interrupt_mode: "message",
      kernel_protocol_version: "5.5",
      metadata: { debugger: true },
    });
    const logo = readFileSync(join(folder, "share/jupyter/kernels/mpslab/logo-svg.svg"), "utf8");
    expect(parseHTML(logo).document.querySelector("svg > title")?.textContent).toBe("TypeScript (mpslab)");
    const listed = execFileSync(venvProgram("jupyter-kernelspec"), ["list"], {
      env: { ...process.env, JUPYTER_PATH: `${folder}/share/jupyter` },
    });
    expect(String(listed)).toContain(`${folder}/share/jupyter/kernels/mpslab`);
  });

  it("without arguments goes to the user's own data folder", () => {
    mpslab(["install"], { JUPYTER_DATA_DIR: join(folder, "mine") });
    expect(kernelspec(join(folder, "mine"))["language"]).toBe("typescript");
  });

  it("with --sys-prefix goes to the active environment", () => {
    mpslab(["install", "--sys-prefix"], { VIRTUAL_ENV: join(folder, "env") });
    expect(kernelspec(join(folder, "env/share/jupyter"))["language"]).toBe("typescript");
  });
});

describe("mpslab uninstall", () => {
  const home = join(folder, "home");
  const ours = join(home, ".local/share/mpslab");
  const uninstall = (...args: string[]) =>
    mpslab(["uninstall", ...args], {
      HOME: home,
      XDG_DATA_HOME: "",
      XDG_CACHE_HOME: "",
      JUPYTER_DATA_DIR: "",
    });

  it("removes what can be made again, and keeps the cells that were run", () => {
    for (const made of ["addons/3f2a", ".venv"]) mkdirSync(join(ours, made), { recursive: true });
    for (const file of ["history.sqlite", "history.sqlite-wal", "history.sqlite.damaged-1"])
      writeFileSync(join(ours, file), "");
    const { status, stdout } = uninstall();
    expect(stdout).toBe(
      `removed ${ours}/.venv\nremoved ${ours}/addons\n` +
        `kept ${ours}/history.sqlite, the cells that you ran: mpslab uninstall --history removes it too.\n` +
        "npm run clean removes what set-up made in this folder.\n",
    );
    expect(status).toBe(0);
    expect(readdirSync(ours)).toEqual(["history.sqlite", "history.sqlite-wal", "history.sqlite.damaged-1"]);
  });

  it("--history removes them too", () => {
    expect(uninstall("--history").stdout).toContain(`removed ${ours}\n`);
    expect(existsSync(ours)).toBe(false);
  });
});

it("a Node that became an older one since set-up is refused, with the ones that work", () => {
  const older = 'Object.defineProperty(process.versions, "node", { value: "18.20.8" })';
  const { status, stderr } = mpslab(["lab"], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(older)}`,
  });
  expect(stderr).toBe(
    "mpslab: Node 18.20.8 is not supported: install Node 24, or 20.19 or newer of 20, then run the command again.\n",
  );
  expect(status).toBe(1);
});

describe("paths", () => {
  it("node is named by the link that outlives an upgrade, not by the versioned file behind it", () => {
    mkdirSync(join(folder, "node-22.1"));
    mkdirSync(join(folder, "bin"));
    const versioned = join(folder, "node-22.1/node");
    writeFileSync(versioned, "");
    symlinkSync(versioned, join(folder, "bin/node"));
    expect(stableNodePath(`/no/such:${folder}/bin`, versioned)).toBe(join(folder, "bin/node"));
    expect(stableNodePath("/no/such", versioned)).toBe(versioned);
  });
});

describe("mpslab execute", () => {
  const notebook = (name: string, ...cells: string[]): string => {
    const path = join(folder, name);
    const metadata = { kernelspec: { name: "mpslab", display_name: "TypeScript (mpslab)" } };
    const codeCells = cells.map((source, index) => ({
      cell_type: "code",
      id: `cell-${index}`,
      source,
      metadata: {},
      outputs: [{ output_type: "stream", name: "stdout", text: "of an earlier run" }],
      execution_count: 7,
    }));
    writeFileSync(path, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells: codeCells }));
    return path;
  };
  const outputs = (name: string): unknown[][] => {
    const executed = JSON.parse(readFileSync(join(folder, "output", name), "utf8")) as {
      cells: { outputs: unknown[] }[];
    };
    return executed.cells.map((cell) => cell.outputs);
  };

  it("shows a line per cell, and writes the executed notebook and an HTML page", () => {
    const { status, stdout } = mpslab(["execute", notebook("sum.ipynb", "const a: number = 1;", "a + 1")]);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^\[1\/2\] const a: number = 1; {2}\d+\.\d s$/),
      expect.stringMatching(/^\[2\/2\] a \+ 1 {2}\d+\.\d s$/),
      `executed notebook: ${folder}/output/sum.ipynb`,
      `HTML page: ${folder}/output/sum.html`,
      "",
    ]);
    expect(status).toBe(0);
    expect(outputs("sum.ipynb")[1]).toMatchObject([
      { output_type: "execute_result", data: { "text/plain": ["2"] } },
    ]);
    expect(readFileSync(join(folder, "output/sum.html"), "utf8")).toContain("<title>sum</title>");
  });

  it("keeps the state of widgets in the notebook and in the page, as the last cell left it", () => {
    const { status } = mpslab([
      "execute",
      notebook(
        "widgets.ipynb",
        'import { AnyWidget, slider } from "mpslab"; const rate = slider({ label: "rate", value: 0.25 }); rate',
        'const bytes = new AnyWidget({ esm: "export default {}", state: { raw: new Uint8Array([1, 2]) } });',
        "for (let i = 0; i <= 1000; i++) rate.value = i / 1000;",
      ),
    ]);
    expect(status).toBe(0);
    const executed = JSON.parse(readFileSync(join(folder, "output/widgets.ipynb"), "utf8"));
    const { state } = executed.metadata.widgets["application/vnd.jupyter.widget-state+json"] as {
      state: Record<
        string,
        { model_name: string; state: { label?: string; value?: number }; buffers?: object[] }
      >;
    };
    const id = Object.keys(state).find((model) => state[model]!.state.label === "rate")!;
    expect(state[id]).toMatchObject({ model_name: "AnyModel", state: { value: 1 } });
    const other = Object.keys(state).find((model) => model !== id)!;
    expect(state[other]!.buffers).toEqual([{ path: ["raw"], data: "AQI=", encoding: "base64" }]);
    const page = readFileSync(join(folder, "output/widgets.html"), "utf8");
    expect(page).toContain(`"model_id": "${id}"`);
  });

  it("ends with 1 at the first error, which it shows, and writes what ran before", () => {
    const { status, stdout, stderr } = mpslab([
      "execute",
      notebook("wrong.ipynb", "1 + 1", 'const x: number = "a"', "2"),
    ]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/\[2\/3\] const x: number = "a" {2}\d+\.\d s failed\n/);
    expect(stderr).toMatch(
      /^TypeCheckError: Type 'string' is not assignable to type 'number'\. \(TS2322\)\n/,
    );
    expect(outputs("wrong.ipynb").map((cell) => cell.length)).toEqual([1, 1, 0]);
  });

  it("--allow-errors goes on, and says how many cells failed; --output takes it to another folder", () => {
    const file = notebook("allowed.ipynb", "throw new Error('first')", "throw new Error('second')", "3");
    const { status, stdout, stderr } = mpslab([
      "execute",
      file,
      "--allow-errors",
      "--output",
      "elsewhere/deep",
    ]);
    expect(status).toBe(0);
    expect(stdout).toContain("2 of 3 cells failed.\n");
    expect(stdout).toContain(`executed notebook: ${folder}/elsewhere/deep/allowed.ipynb\n`);
    expect(stderr).toContain("Error: first");
    expect(stderr).not.toContain("second");
  });

  it("a cell with the tag raises-exception is there to fail: it is said so, and no failure", () => {
    const file = notebook("tagged.ipynb", "throw new Error('on purpose')", "2");
    const content = JSON.parse(readFileSync(file, "utf8"));
    content.cells[0].metadata.tags = ["raises-exception"];
    writeFileSync(file, JSON.stringify(content));
    const { status, stdout, stderr } = mpslab(["execute", file]);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^\[1\/2\] throw new Error\('on purpose'\) {2}\d+\.\d s failed, as its tag says\n\[2\/2\] 2/,
    );
    expect(stdout).not.toContain("cells failed");
    expect(stderr).toBe("");
  });

  it("--timeout gives up on a cell that takes longer", () => {
    const file = notebook("slow.ipynb", "1", "await new Promise(() => {})");
    const { status, stderr } = mpslab(["execute", file, "--timeout", "5"]);
    expect(status).toBe(1);
    expect(stderr).toContain("Cell 2 did not end within 5 s.\n");
    expect(outputs("slow.ipynb")[0]).toHaveLength(1);
  });

  it("Ctrl-C ends the kernel and keeps what ran before", async () => {
    const file = notebook("interrupted.ipynb", "1", "console.log('running'); for (;;) {}", "3");
    const program = [join(PROJECT_ROOT, "dist/kernel/cli.js"), "execute", file];
    const child = spawn(process.execPath, program, { cwd: folder });
    let said = "";
    child.stdout.on("data", (text) => {
      said += text;
      if (String(text).includes("[2/3]")) setTimeout(() => child.kill("SIGINT"), 1000);
    });
    child.stderr.on("data", (text) => (said += text));
    const status = await new Promise((resolve) => child.once("close", resolve));
    expect([status, said]).toEqual([130, expect.stringContaining("\nInterrupted.\n")]);
    expect(outputs("interrupted.ipynb").map((cell) => cell.length)).toEqual([1, 1, 0]);
  });

  it("a cell may print a long line many times", () => {
    const print = "for (let i = 0; i < 200; i++) console.log('x'.repeat(100_000));";
    expect(mpslab(["execute", notebook("long.ipynb", print)]).status).toBe(0);
    expect(outputs("long.ipynb")[0]).toMatchObject([{ name: "stdout", text: { length: 200 } }]);
  });

  it.each([
    "",
    "[]",
    "const a = 1",
    '{ "nbformat": 9 }',
    '{ "cells": [{}], "nbformat": 4, "nbformat_minor": 5 }',
  ])("a file that holds %j is no notebook", (text) => {
    const file = join(folder, "no.ipynb");
    writeFileSync(file, text);
    const sentence = `mpslab: ${file} is no notebook: give a file that Jupyter has saved, such as a.ipynb.\n`;
    expect(mpslab(["execute", file])).toMatchObject({ status: 1, stderr: sentence, stdout: "" });
  });

  it("a cell that asks gets no answer, and fails", () => {
    const { status, stderr } = mpslab(["execute", notebook("asking.ipynb", "prompt('name?')")]);
    expect(status).toBe(1);
    expect(stderr).toContain("This front end takes no input: pass the value in the cell instead.");
  });
});

it("mpslab doctor looks at everything, and finds nothing wrong after set-up", () => {
  const { status, stdout } = mpslab(["doctor"], { JUPYTER_DATA_DIR: join(folder, "empty") });
  expect(stdout.split("\n").map((line) => line.slice(0, 16).trim())).toEqual([
    "ok   Node",
    "ok   kernel",
    "ok   ZeroMQ",
    "ok   addon",
    "ok   libtorch",
    "ok   device",
    "ok   Jupyter",
    "ok   kernelspec",
    "",
  ]);
  expect(stdout).toMatch(/^ok   device      \w+; mps (available|not available: (this )?libtorch .*\.)$/m);
  expect(status).toBe(0);
});

it.each([
  [
    join(PROJECT_ROOT, "dist", "kernel", "main.js"),
    "in DATA is of an earlier version, or of another Node: run mpslab install.",
  ],
  ["/else/main.js", "starts another copy, /else/main.js: run mpslab install."],
])("mpslab doctor finds a kernelspec that starts %s", (main, found) => {
  const data = join(folder, "old");
  mkdirSync(join(data, "kernels", "mpslab"), { recursive: true });
  writeFileSync(join(data, "kernels", "mpslab", "kernel.json"), JSON.stringify({ argv: ["node", main] }));
  const { status, stdout } = mpslab(["doctor"], { JUPYTER_DATA_DIR: data });
  expect([status, stdout.trimEnd().split("\n").at(-1)]).toEqual([
    1,
    `FAIL kernelspec  ${found.replace("DATA", data)}`,
  ]);
});

it("mpslab doctor names the known gap of a Node that is not promised", () => {
  const node22 = 'Object.defineProperty(process,"versions",{value:{...process.versions,node:"22.14.0"}})';
  const { status, stdout } = mpslab(["doctor"], {
    JUPYTER_DATA_DIR: join(folder, "empty"),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(node22)}`,
  });
  expect(stdout.split("\n")[0]).toBe(
    `ok   Node        22.14.0 ${process.platform} ${process.arch}; it runs mpslab, but only 20.19 or newer of 20, and 24 are promised: when a package's generator loops for ever after an await, Stop ends the session and its variables are lost.`,
  );
  expect(status).toBe(0);
});

it("mpslab lab starts JupyterLab, which knows the kernel's folder first", () => {
  const { stdout, status } = mpslab(["lab", "--version"]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^4\.\d+\.\d+/);
});

it("mpslab --version prints the version, and --help behind a command what is said of it", () => {
  expect(mpslab(["--version"]).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(mpslab(["doctor", "--help"]).stdout).toBe(
    "  mpslab doctor                  look at everything that a notebook needs\n" +
      "      --report                   ... and write it to mpslab-report.txt with versions, settings and log, without secrets\n",
  );
  for (const name of [
    "setup",
    "install",
    "uninstall",
    "lab",
    "execute",
    "run",
    "replay",
    "rerun",
    "report",
    "papermill",
  ])
    expect(mpslab([name, "--help"]).stdout).toMatch(new RegExp(`^  mpslab ${name}\\b`));
});

it("mpslab --help says what there is", () => {
  for (const args of [["--help"], ["-h"]]) {
    const { status, stdout } = mpslab(args);
    expect(status).toBe(0);
    expect(stdout).toMatch(/install.*\n(.*\n)*.*lab.*\n(.*\n)*.*execute.*\n(.*\n)*.*doctor/);
  }
});

describe("what is wrong with a command is said in one sentence", () => {
  it.each([
    [
      ["start"],
      "There is no command start: use setup, install, uninstall, lab, execute, run, check, replay, rerun, runs, report, bundle, smoke, papermill or doctor.",
    ],
    [
      ["sweep", "train.ipynb"],
      "There is no command sweep: mpslab papermill NOTEBOOK -p NAME VALUES runs a notebook for every combination of values.",
    ],
    [["execute"], "execute takes one notebook: mpslab execute notebooks/01-tour.ipynb"],
    [["execute", "a.ipynb", "b.ipynb"], "execute takes one notebook: mpslab execute notebooks/01-tour.ipynb"],
    [["execute", "a.ipynb", "--timeout", "soon"], "--timeout takes a whole number of seconds, not soon."],
    [["execute", "a.ipynb", "--quickly"], "Unknown option '--quickly'. See mpslab --help."],
    [["install", "here"], "here is no option. See mpslab --help."],
    [["execute", "/no/such.ipynb"], "There is no notebook /no/such.ipynb: check the path."],
    [["install", "--everywhere"], "Unknown option '--everywhere'. See mpslab --help."],
    [["install", "--user", "--sys-prefix"], "Choose one of --user, --sys-prefix and --prefix."],
  ])("%j", (args, sentence) => {
    expect(mpslab(args)).toMatchObject({ status: 1, stderr: `mpslab: ${sentence}\n`, stdout: "" });
  });
});
