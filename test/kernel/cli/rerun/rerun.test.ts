// `mpslab execute --record` and `mpslab rerun`: what ran is kept beside the executed notebook, and a stranger who has
// these files alone repeats it in a clean folder.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
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
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";
import { commandLine, reviewedRerun, writeNotebook } from "../../../helpers/command_line.ts";
import { keepBytes } from "../../../../lib/records/logbook/kept_files.ts";

const home = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-rerun-test-")));
afterAll(() => rmSync(home, { recursive: true }));

const mpslab = commandLine(home);
const rerun = reviewedRerun(mpslab);

const CELLS = [
  [
    'import { lab, nn, optim, torch } from "mpslab";',
    'import { double } from "./model.ts";',
    'import { readFileSync } from "node:fs";',
    'console.log(readFileSync("data.csv", "utf8"), process.env["OMP_NUM_THREADS"]);',
    "torch.manualSeed(3);",
    "const model = new nn.Linear(4, 1);",
    'const rows = readFileSync("tables/rows.csv", "utf8").length;',
    "double(21)",
  ].join("\n"),
  // A cell's own change of the environment comes after the first cell, in a rerun too.
  "%env OMP_NUM_THREADS=7",
  [
    "const x = torch.randn([32, 4]), y = x.sum(1, true);",
    "const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });",
    "for (const epoch of lab.epochs(4)) {",
    "  optimizer.zeroGrad();",
    "  const loss = model.forward(x).sub(y).pow(2).mean();",
    "  loss.backward();",
    "  optimizer.step();",
    "  lab.log({ loss });",
    "}",
    "model.forward(x).sum().item().toFixed(6)",
  ].join("\n"),
];

const source = path.join(home, "source");
const output = path.join(source, "output");
const git = (...args: string[]) => execFileSync("git", ["-C", source, ...args], { encoding: "utf8" });
let id: string;

beforeAll(() => {
  mkdirSync(source);
  git("init", "--quiet");
  writeFileSync(
    path.join(source, "model.ts"),
    'import { scale } from "./scale.ts";\nexport const double = (x: number) => x * scale;\n',
  );
  writeFileSync(path.join(source, "scale.ts"), "export const scale = 2;\n");
  // A stranger has no commit, so that a file that a cell names is kept, though it is tracked.
  mkdirSync(path.join(source, "tables"));
  writeFileSync(path.join(source, "tables", "rows.csv"), "a\nb\n");
  git("add", ".");
  git("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "-m", "begin");
  // One changed file, and three that no commit has.
  writeFileSync(path.join(source, "scale.ts"), "export const scale = 3;\n");
  writeFileSync(path.join(source, "data.csv"), "1,2\n");
  writeFileSync(path.join(source, ".env"), "PASSWORD=open-sesame\n");
  writeFileSync(path.join(source, "large.bin"), Buffer.alloc(300_000, 1));
  writeNotebook(path.join(source, "tiny.ipynb"), CELLS);
  const { status, stdout, stderr } = mpslab(source, ["execute", "--record", "tiny.ipynb"], {
    OMP_NUM_THREADS: "1",
  });
  expect([status, stderr]).toEqual([0, ""]);
  id = /mpslab rerun (\w{8})\n/.exec(stdout)![1]!;
});

/** A folder that holds the executed notebook and its logbook, and nothing else. */
function stranger(name: string): string {
  const folder = path.join(home, name);
  mkdirSync(folder);
  for (const kept of ["tiny.ipynb", "tiny.logbook.jsonl", "tiny.logbook.files"])
    cpSync(path.join(output, kept), path.join(folder, kept), { recursive: true });
  return folder;
}

/** All texts that were kept, in one. */
const keptTexts = () => {
  const folder = path.join(output, "tiny.logbook.files");
  return readdirSync(folder)
    .map((name) => readFileSync(path.join(folder, name), "utf8"))
    .join("\n");
};

describe("a recorded run", () => {
  it("is listed with what is kept of it", () => {
    const { status, stdout } = mpslab(source, ["rerun"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^1 run\n.*\n +${id} +\\S+ \\S+ +tiny +3 cells +tiny.ipynb +output/tiny.logbook.jsonl\n`),
    );
  });

  it("keeps cells, patch, imported and small files, and checksums alone of large ones", () => {
    const text = keptTexts();
    expect(text).toContain("+export const scale = 3;");
    expect(text).toContain("export const double");
    expect(text).toContain("1,2\n");
    expect(text).toMatch(
      /"path": "large.bin",\s+"bytes": 300000,\s+"sha256": "[0-9a-f]{64}",\s+"kept": null/,
    );
    expect(text).toMatch(/"path": ".env",\s+"bytes": 21,\s+"sha256": null,\s+"kept": null/);
    expect(text).not.toContain("open-sesame");
  });

  it("is repeated by a stranger who has the notebook and the logbook alone", () => {
    const { status, stdout, stderr } = rerun(stranger("alone"), [id]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /without the commit \w{10}: no repository here has it; --repository FOLDER names a clone/,
    );
    expect(stdout).toContain("without large.bin (293 KiB), of which the logbook keeps its checksum alone");
    expect(stdout).toContain("  4 files of the logbook\n");
    expect(stdout).toContain("the same machine, equal to the bit: outputs of 3 cells\n");
    // The temporary folder is of no more use.
    expect(existsSync(/^in (\S+)$/m.exec(stdout)![1]!)).toBe(false);
  });

  it("tells the first difference, and leaves what the rerun showed", () => {
    const folder = stranger("changed");
    const notebook = path.join(folder, "tiny.ipynb");
    writeFileSync(notebook, readFileSync(notebook, "utf8").replace('"63"', '"42"'));
    const { status, stdout } = rerun(folder, [id, "--folder", "again"]);
    expect(status).toBe(1);
    expect(stdout).toContain(
      "first difference: cell 1 differs in execute_result, line 1\n  stored  42\n  now     63\n",
    );
    const left = path.join(folder, "again", "tiny.rerun.ipynb");
    expect(stdout).toContain(`outputs of the rerun: ${left}\n`);
    expect(readFileSync(left, "utf8")).toContain('"63"');
  });

  it("takes the commit and the patch where a repository has them", () => {
    const { status, stdout } = rerun(stranger("clone"), [id, "--repository", source]);
    expect(status).toBe(0);
    expect(stdout).toContain(` of ${source}\n  its patch\n`);
  });

  it("takes a large file from beside the logbook if its bytes are the run's", () => {
    const folder = stranger("beside");
    copyFileSync(path.join(source, "large.bin"), path.join(folder, "large.bin"));
    expect(rerun(folder, [id]).stdout).toContain("  large.bin from beside the logbook\n");
    appendFileSync(path.join(folder, "large.bin"), "more");
    expect(rerun(folder, [id]).stdout).toContain("  without large.bin (293 KiB)");
  });

  it("runs without its notebook too, and says that nothing is compared", () => {
    const folder = stranger("without");
    rmSync(path.join(folder, "tiny.ipynb"));
    const { status, stdout } = rerun(folder, [id]);
    expect(status).toBe(2);
    expect(stdout).toMatch(
      /^ {2}nothing to compare with: no outputs of its cells are stored[^]*\ncannot tell/m,
    );
    expect(stdout).toContain(
      "cannot tell: 3 cells ran without an error, and there are no outputs to compare with. Give the notebook that holds them: --notebook FILE.",
    );
  });

  it("says which cells the notebook has no longer", () => {
    const folder = stranger("edited");
    const notebook = path.join(folder, "tiny.ipynb");
    writeFileSync(notebook, readFileSync(notebook, "utf8").replace("%env OMP", "%env  OMP"));
    const { status, stdout } = rerun(folder, [id]);
    expect(status).toBe(0);
    expect(stdout).toContain("not compared: cell 2, of which the notebook has no outputs\n");
  });
});

describe("the logbook of an earlier version", () => {
  const folder = path.join(home, "older");
  beforeAll(() => {
    mkdirSync(folder);
    copyFileSync(
      path.join(PROJECT_ROOT, "test/fixtures/logbooks/older.logbook.jsonl"),
      path.join(folder, "older.logbook.jsonl"),
    );
  });

  it("is listed with its fields alone", () => {
    expect(mpslab(folder, ["rerun"]).stdout).toContain(
      "Runs with fields alone were recorded by an earlier version, or outside a notebook.\n",
    );
  });

  it("needs the notebook", () => {
    expect(mpslab(folder, ["rerun", "0f6c"])).toMatchObject({
      status: 1,
      stderr:
        "mpslab: The run 0f6c1f9e has no cells, as an earlier version recorded it: give its notebook, --notebook FILE, which then runs from top to bottom.\n",
    });
  });

  it("runs the notebook beside it from top to bottom, with the variables of the run", () => {
    const notebook = path.join(folder, "older.ipynb");
    writeNotebook(notebook, ['console.log(process.env["OMP_NUM_THREADS"])']);
    expect(mpslab(folder, ["replay", "--store", notebook], { OMP_NUM_THREADS: "1" }).status).toBe(0);
    const { status, stdout } = rerun(folder, ["0f6c"], { OMP_NUM_THREADS: "3" });
    expect(status).toBe(0);
    expect(stdout).toContain(
      `the cells of ${notebook} from top to bottom: the logbook of an earlier version kept none\n`,
    );
    expect(stdout).toContain(`nodeVersion was 20.19.0, here ${process.versions.node}\n`);
    expect(stdout).toContain("equal to the bit: outputs of 1 cell");
  });
});

describe("misuse says what is wrong and the way out", () => {
  let folder: string;
  beforeAll(() => {
    folder = stranger("misuse");
    mkdirSync(path.join(folder, "full"));
    writeFileSync(path.join(folder, "full", "a.txt"), "");
    mkdirSync(path.join(home, "empty"));
  });

  it.each([
    [["zzz"], "No run has an id that begins with zzz: mpslab rerun without an id lists the runs."],
    [["a", "b"], "b is no option. See mpslab --help."],
    [["--logbook", "no.jsonl"], "There is no logbook FOLDER/no.jsonl: check the path."],
    [["ID", "--notebook", "no.ipynb"], "FOLDER/no.ipynb cannot be read: there is no file FOLDER/no.ipynb."],
    [
      ["ID", "--folder", "full"],
      "FOLDER/full is not empty: name a new folder, so that the rerun sees nothing but the run's own files.",
    ],
    [["ID", "--repository", "."], "FOLDER has no commit COMMIT: fetch it there, or name another clone."],
    [["ID", "--tolerance", "2"], "--tolerance takes a share from 0 to 1, not 2."],
    [["ID", "--timeout", "soon"], "--timeout takes a whole number of seconds, not soon."],
  ])("mpslab rerun %j", (args, sentence) => {
    const { status, stderr } = mpslab(folder, ["rerun", ...args.map((word) => (word === "ID" ? id : word))]);
    const commit = git("rev-parse", "HEAD").slice(0, 10);
    expect([status, stderr]).toEqual([
      1,
      `mpslab: ${sentence.replaceAll("FOLDER", folder).replace("COMMIT", commit)}\n`,
    ]);
  });

  it("a folder without a logbook says how to make one", () => {
    expect(mpslab(path.join(home, "empty"), ["rerun"]).stderr).toBe(
      `mpslab: There is no logbook in ${home}/empty or the folders in it: name one with --logbook FILE, or make one: mpslab execute --record NOTEBOOK, or lab.logbook.record() in a cell.\n`,
    );
  });

  it("a logbook without its folder of files, and one whose files were changed", () => {
    const files = path.join(folder, "tiny.logbook.files");
    for (const name of readdirSync(files)) appendFileSync(path.join(files, name), " ");
    expect(rerun(folder, [id]).stderr).toMatch(
      /^mpslab: \S+ is damaged: its bytes are not those that were kept\. Take it from another copy\.\n$/,
    );
    rmSync(files, { recursive: true });
    expect(rerun(folder, [id]).stderr).toMatch(
      /^mpslab: \S+ is missing: a logbook is its file and the folder tiny\.logbook\.files beside it; copy both\.\n$/,
    );
  });

  it("a stranger's logbook writes no file outside the clean folder", () => {
    const logbook = path.join(home, "hostile.logbook.jsonl");
    const entry = JSON.parse(readFileSync(path.join(output, "tiny.logbook.jsonl"), "utf8")) as Record<
      string,
      unknown
    >;
    const keep = (text: string) => keepBytes("test", logbook, Buffer.from(text));
    const program = {
      notebook: null,
      folder: "../..",
      cells: [{ count: 1, text: "1 + 1" }],
      recordedBy: null,
      machine: {},
      environment: {},
      patch: null,
      files: [
        { path: "../outside.txt", bytes: 1, sha256: null, kept: keep("x") },
        { path: path.join(home, "absolute.txt"), bytes: 1, sha256: null, kept: keep("x") },
      ],
      lock: null,
      notes: [],
    };
    const sha256 = keep(JSON.stringify(program));
    writeFileSync(
      logbook,
      `${JSON.stringify({ ...entry, program: { sha256, cells: 1, notebook: null } })}\n`,
    );
    const { stdout } = rerun(home, [id, "--logbook", logbook, "--folder", path.join(home, "safe")]);
    expect(stdout).toContain("without ../outside.txt, which lies outside the run's folder");
    expect(readdirSync(home)).not.toContain("outside.txt");
    expect(readdirSync(home)).not.toContain("absolute.txt");
    expect(readdirSync(path.join(home, "safe"))).toEqual(["notebook.rerun.ipynb"]);
  });
});
