// What `mpslab rerun` repeats besides the text of cells: their order and numbers, and the packages that they import.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";
import { commandLine, reviewedRerun, writeNotebook } from "../../../helpers/command_line.ts";

const home = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-rerun-cells-")));
const mpslab = commandLine(home);
const rerun = reviewedRerun(mpslab);
afterAll(() => rmSync(home, { recursive: true }));

describe("cells in the order in which they ran", () => {
  it("are repeated in that order, the cell that recorded them without a comparison", () => {
    const folder = path.join(home, "recording");
    mkdirSync(folder);
    const cells = [
      'import { lab, torch } from "mpslab";\ntorch.manualSeed(1);\nconst secretKey = "top-secret-9";\ntorch.rand([2]).sum().item()',
      'lab.logbook.record({ name: "mine" })',
    ];
    writeNotebook(path.join(folder, "own.ipynb"), cells);
    const executed = mpslab(folder, ["execute", "own.ipynb"], {
      JPY_SESSION_NAME: path.join(folder, "own.ipynb"),
    });
    expect(executed.status).toBe(0);
    const [list] = [mpslab(folder, ["rerun"]).stdout];
    const own = /(\w{8}) .* mine /.exec(list)![1]!;
    const { status, stdout } = rerun(folder, [own, "--notebook", "output/own.ipynb"]);
    expect([status, stdout.split("\n").slice(-3)]).toEqual([
      0,
      ["the same machine, equal to the bit: outputs of 1 cell", "not compared: cell 2, recorded the run", ""],
    ]);
    // The secret is in the notebook, and not in the logbook.
    const kept = path.join(folder, "own.logbook.files");
    for (const name of readdirSync(kept))
      expect(readFileSync(path.join(kept, name), "utf8")).not.toContain("top-secret-9");
    rmSync(path.join(folder, "own.ipynb"));
    expect(rerun(folder, [own]).stderr).toBe(
      "mpslab: Cell [1] held a secret, which the logbook left out: give the notebook that has it, --notebook FILE.\n",
    );
  });
});

it("a cell that ran twice is compared with its last execution, whose outputs the notebook has", () => {
  const folder = path.join(home, "twice");
  mkdirSync(folder);
  const twice = path.join(folder, "twice.ipynb");
  writeNotebook(twice, ["var x = 0;", "x += 1; x", "x += 1; x"]);
  const executed = mpslab(folder, ["execute", "--record", "twice.ipynb"]);
  const run = /mpslab rerun (\w{8})\n/.exec(executed.stdout)![1]!;
  // As JupyterLab leaves one cell that was run twice.
  const notebook = JSON.parse(readFileSync(path.join(folder, "output", "twice.ipynb"), "utf8")) as {
    cells: unknown[];
  };
  notebook.cells.splice(1, 1);
  writeFileSync(twice, JSON.stringify(notebook));
  const { status, stdout } = rerun(folder, [run, "--notebook", twice]);
  expect([status, stdout.split("\n").slice(-3)]).toEqual([
    0,
    [
      "the same machine, equal to the bit: outputs of 2 cells",
      "not compared: cell 2, of which the notebook has no outputs",
      "",
    ],
  ]);
});

it("a notebook that records itself has one run in the logbook of execute --record", () => {
  const folder = path.join(home, "itself");
  mkdirSync(folder);
  writeNotebook(path.join(folder, "itself.ipynb"), [
    'import { lab } from "mpslab";',
    "lab.logbook.record({ parameters: { rate: 0.5 } });",
  ]);
  const first = mpslab(folder, ["execute", "--record", "itself.ipynb"]);
  const logbook = path.join(folder, "output", "itself.logbook.jsonl");
  const runs = () =>
    readFileSync(logbook, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string; fields: { parameters: unknown } });
  expect(runs().map(({ fields }) => fields.parameters)).toEqual([{ rate: "0.5" }]);
  expect(first.stdout).toContain(`itself.logbook.jsonl: mpslab rerun ${runs()[0]!.id.slice(0, 8)}\n`);
  const second = mpslab(folder, ["execute", "--record", "itself.ipynb"]);
  expect(runs()).toHaveLength(2);
  expect(second.stdout).toContain(runs()[1]!.id.slice(0, 8));
});

it("a cell may have changed the working folder, and a file that the run wrote is told as such", () => {
  const folder = path.join(home, "moved");
  mkdirSync(path.join(folder, "elsewhere"), { recursive: true });
  writeFileSync(path.join(folder, "rows.csv"), "1,2\n");
  // Written before the session begins.
  utimesSync(path.join(folder, "rows.csv"), 1, 1);
  writeNotebook(path.join(folder, "moved.ipynb"), [
    'import { appendFileSync, mkdirSync, readFileSync } from "node:fs";\nreadFileSync("rows.csv", "utf8")',
    'appendFileSync("log.txt", "ran\\n"); readFileSync("log.txt", "utf8")',
    'mkdirSync("elsewhere", { recursive: true }); process.chdir("elsewhere");',
  ]);
  const executed = mpslab(folder, ["execute", "--record", "moved.ipynb"]);
  expect([executed.status, executed.stderr]).toEqual([0, ""]);
  const run = /mpslab rerun (\w{8})\n/.exec(executed.stdout)![1]!;
  const { status, stdout } = rerun(folder, [run]);
  expect(stdout).toContain(
    "  log.txt changed while the session ran, and is kept as the run left it: cells that read it first may differ.\n",
  );
  expect(stdout).not.toContain("rows.csv changed");
  // It is there already when the run begins again.
  expect(stdout).toContain("first difference: cell 2 ");
  expect(status).toBe(1);
});

it("a kept file takes the place of a link of the commit, and does not follow it", () => {
  const folder = path.join(home, "linked");
  const [outside, repository] = [path.join(folder, "outside"), path.join(folder, "repository")];
  for (const one of [outside, repository]) mkdirSync(one, { recursive: true });
  writeFileSync(path.join(outside, "rows.csv"), "1,2\n");
  symlinkSync(path.join(outside, "rows.csv"), path.join(repository, "rows.csv"));
  const git = (...args: string[]) => execFileSync("git", ["-C", repository, ...args]);
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "-m", "begin");
  writeNotebook(path.join(repository, "linked.ipynb"), [
    'import { readFileSync } from "node:fs";\nreadFileSync("rows.csv", "utf8")',
  ]);
  const executed = mpslab(repository, ["execute", "--record", "linked.ipynb"]);
  const run = /mpslab rerun (\w{8})\n/.exec(executed.stdout)![1]!;
  writeFileSync(path.join(outside, "rows.csv"), "of today\n");
  const { status, stdout } = rerun(repository, [run]);
  expect([status, stdout.split("\n").at(-2)]).toEqual([
    0,
    "the same machine, equal to the bit: outputs of 1 cell",
  ]);
  expect(stdout).toMatch(/ {2}the commit \w{10} of /);
  expect(readFileSync(path.join(outside, "rows.csv"), "utf8")).toBe("of today\n");
});

it("a cell that the type check refused keeps its number, so that the others have theirs", () => {
  const folder = path.join(home, "refused");
  mkdirSync(folder);
  writeNotebook(path.join(folder, "refused.ipynb"), [
    'const count: number = "two";',
    "console.log(Object.keys(In).join())",
    "1 + 1",
  ]);
  const executed = mpslab(folder, ["execute", "--record", "--allow-errors", "refused.ipynb"]);
  const refused = /mpslab rerun (\w{8})\n/.exec(executed.stdout)![1]!;
  const { status, stdout } = rerun(folder, [refused]);
  expect([status, stdout.split("\n").at(-2)]).toEqual([
    0,
    "the same machine, equal to the bit: outputs of 3 cells",
  ]);
  expect(readFileSync(path.join(folder, "output", "refused.ipynb"), "utf8")).toContain('"2\\n"');
});

it("an executed notebook carries a lock of the packages that its cells import, from which they can be installed", () => {
  const folder = path.join(home, "locked");
  mkdirSync(folder);
  writeNotebook(path.join(folder, "locked.ipynb"), ['const papa = require("papaparse");', "1 + 1"]);
  copyFileSync(path.join(PROJECT_ROOT, "package-lock.json"), path.join(folder, "package-lock.json"));
  symlinkSync(path.join(PROJECT_ROOT, "node_modules"), path.join(folder, "node_modules"));
  expect(mpslab(folder, ["execute", "--record", "locked.ipynb"]).status).toBe(0);
  const notebook = JSON.parse(readFileSync(path.join(folder, "output", "locked.ipynb"), "utf8")) as {
    metadata: { mpslab: { lock: { packages: Record<string, { version: string; integrity: string }> } } };
  };
  const { lock } = notebook.metadata.mpslab;
  expect(lock).toMatchObject({ mpslab: expect.any(String), node: process.versions.node });
  expect(Object.keys(lock.packages)).toEqual(["node_modules/papaparse"]);
  expect(lock.packages["node_modules/papaparse"]!.integrity).toMatch(/^sha512-/);
  // The same lock file lies above the logbook: its packages are those of the run.
  const own = path.basename(
    readdirSync(path.join(folder, "output")).find((name) => name.endsWith(".jsonl"))!,
  );
  expect(own).toBe("locked.logbook.jsonl");
  const listed = /(\w{8}) .* locked /.exec(mpslab(folder, ["rerun"]).stdout)![1]!;
  const { status, stdout } = rerun(folder, [listed]);
  expect(status).toBe(0);
  expect(stdout).toContain(`  the packages of ${folder}, which has the same lock file\n`);
  // A stranger is told how to get them.
  rmSync(path.join(folder, "node_modules"));
  expect(rerun(folder, [listed]).stdout).toContain(
    "  without packages: no folder above the logbook has the run's package-lock.json; --install installs them\n",
  );
});
