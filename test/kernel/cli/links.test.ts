// No command writes through a link that somebody else may have put into the project: a table of commands and of places at
// which a link may lie. A link that the user has named is followed.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../kernel/cli/project.ts";
import { claimSnapshots } from "../../../kernel/snapshot/folder.ts";
import { lab } from "../../../lib/index.ts";
import { appendLine } from "../../../lib/records/json_lines.ts";
import { keepBytes } from "../../../lib/records/logbook/kept_files.ts";
import { makeOwnFolder } from "../../../lib/whole_file.ts";
import { commandLine, writeNotebook } from "../../helpers/command_line.ts";

const home = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-links-")));
const mpslab = commandLine(home);
const victim = path.join(home, "victim.txt");
const outside = path.join(home, "outside");
const nowhere = path.join(home, "nowhere");
const entry = readFileSync(
  path.join(PROJECT_ROOT, "test/fixtures/logbooks/older.logbook.jsonl"),
  "utf8",
).split("\n")[0]!;
const id = (JSON.parse(entry) as { id: string }).id.slice(0, 8);

let folder: string;
let projects = 0;

beforeEach(() => {
  rmSync(outside, { recursive: true, force: true });
  rmSync(nowhere, { recursive: true, force: true });
  mkdirSync(outside);
  writeFileSync(victim, "mine");
  folder = path.join(home, `project ${++projects}`);
  mkdirSync(folder);
  const logbook = path.join(folder, "a.logbook.jsonl");
  const program = {
    ...{ notebook: "a.ipynb", folder: "", cells: [{ count: 1, text: "1 + 1" }], recordedBy: null },
    ...{ machine: {}, environment: {}, patch: null, files: [], lock: null, notes: [] },
  };
  const sha256 = keepBytes("test", logbook, Buffer.from(JSON.stringify(program)));
  writeFileSync(
    logbook,
    `${JSON.stringify({ ...JSON.parse(entry), program: { sha256, cells: 1, notebook: "a.ipynb" } })}\n`,
  );
  writeNotebook(path.join(folder, "a.ipynb"), ["1 + 1"]);
});
afterAll(() => rmSync(home, { recursive: true }));

/** Puts a link into the project. */
function link(place: string, target: string): void {
  mkdirSync(path.dirname(path.join(folder, place)), { recursive: true });
  symlinkSync(target, path.join(folder, place));
}

function expectUntouched(): void {
  expect(readFileSync(victim, "utf8")).toBe("mine");
  expect(readdirSync(outside)).toEqual([]);
  expect(existsSync(nowhere)).toBe(false);
}

describe("a folder that is a link out of the project is refused", () => {
  it.each([
    ["output", ["report", id]],
    ["output", ["bundle", id]],
    [`output/bundle-${id}`, ["bundle", id]],
    ["output", ["execute", "a.ipynb"]],
    ["output", ["execute", "--record", "a.ipynb"]],
    ["output", ["papermill", "a.ipynb", "-p", "rate", "1"]],
    ["output/a", ["papermill", "a.ipynb", "-p", "rate", "1"]],
  ] as const)("%s -> elsewhere, or to nothing: mpslab %j", (place, args) => {
    for (const target of [outside, nowhere]) {
      link(place, target);
      const { status, stderr } = mpslab(folder, args);
      expect([status, stderr]).toEqual([
        1,
        `mpslab: ${path.join(folder, place)} is a link that leads ${target === outside ? `to ${outside}` : "nowhere"}, and nothing is written through it: ${args[0] === "report" ? "name the file that you mean with --output FILE" : "name another folder with --output FOLDER"}.\n`,
      ]);
      expectUntouched();
      rmSync(path.join(folder, place));
    }
  });
});

describe("a link in a file's place is replaced", () => {
  it.each([
    [`output/report-${id}.html`, ["report", id]],
    ["output/a.ipynb", ["execute", "a.ipynb"]],
    ["output/a.html", ["execute", "a.ipynb"]],
  ] as const)("%s: mpslab %j", (place, args) => {
    for (const target of [victim, nowhere, outside]) {
      rmSync(path.join(folder, place), { force: true });
      link(place, target);
      expect(mpslab(folder, args).status).toBe(0);
      expect(lstatSync(path.join(folder, place)).isFile()).toBe(true);
      expectUntouched();
    }
  });

  it.each(["table.md", "table.csv", "sweep.jsonl", "a-1.ipynb"])("output/a/%s: mpslab papermill", (name) => {
    writeFileSync(
      path.join(folder, "a.ipynb"),
      JSON.stringify({
        ...{ nbformat: 4, nbformat_minor: 5, metadata: {} },
        cells: [
          {
            ...{ cell_type: "code", id: "a", source: "let rate = 1;", outputs: [], execution_count: null },
            metadata: { tags: ["parameters"] },
          },
        ],
      }),
    );
    link(`output/a/${name}`, nowhere);
    const made = mpslab(folder, ["papermill", "a.ipynb", "-p", "rate", "1", "--restart"]);
    expect(made.stderr).toBe("");
    expectUntouched();
  });

  it("of the owner of a snapshot's folder", () => {
    link("notebook.snapshot/kernel.pid", victim);
    claimSnapshots(path.join(folder, "notebook.snapshot"));
    expectUntouched();
  });
});

describe("what is appended to, and folders of ours, refuse a link", () => {
  it.each([() => victim, () => nowhere])("the logbook of mpslab execute --record", (target) => {
    link("output/a.logbook.jsonl", target());
    const { status, stderr } = mpslab(folder, ["execute", "--record", "a.ipynb"]);
    expect([status, stderr]).toEqual([
      1,
      `mpslab: ${path.join(folder, "output/a.logbook.jsonl")} is a link, and nothing is written through it: name the file itself.\n`,
    ]);
    expectUntouched();
  });

  it("files that a logbook keeps", () => {
    link("output/a.logbook.files", outside);
    const { status, stderr } = mpslab(folder, ["execute", "--record", "a.ipynb"]);
    expect([status, stderr.includes("a.logbook.files for what ran cannot be made (it is a link)")]).toEqual([
      1,
      true,
    ]);
    expectUntouched();
  });

  it("lines of a journal", () => {
    for (const target of [victim, nowhere]) {
      link("lines.jsonl", target);
      const file = path.join(folder, "lines.jsonl");
      expect(() => appendLine({ file, name: "journal", remedy: "name another" }, "{}")).toThrow(
        `The journal ${file} is a link, and nothing is written through it: name another.`,
      );
      rmSync(file);
    }
    expectUntouched();
  });

  it("a snapshot's folder", () => {
    link("a.snapshot", outside);
    expect(() => makeOwnFolder(path.join(folder, "a.snapshot"))).toThrow("it is a link");
    expectUntouched();
  });
});

describe("a link that the user has named is followed", () => {
  it("a page of a report", () => {
    link("page.html", victim);
    expect(mpslab(folder, ["report", id, "--output", "page.html"]).status).toBe(0);
    expect(readFileSync(victim, "utf8")).toContain("<!doctype html>");
    expect(lstatSync(path.join(folder, "page.html")).isSymbolicLink()).toBe(true);
  });

  it.each(["bundle", "report"])("a folder: mpslab %s", (command) => {
    link("mine", outside);
    const output = command === "report" ? "mine/page.html" : "mine";
    expect(mpslab(folder, [command, id, "--output", output]).status).toBe(0);
    expect(readdirSync(outside)).not.toEqual([]);
  });

  it("output itself, where it leads to a folder of the project", () => {
    mkdirSync(path.join(folder, "results"));
    link("output", path.join(folder, "results"));
    expect(mpslab(folder, ["report", id]).status).toBe(0);
    expect(readdirSync(path.join(folder, "results"))).toEqual([`report-${id}.html`]);
  });

  it("a logbook", () => {
    writeFileSync(victim, "");
    link("mine.jsonl", victim);
    lab.logbook.use(path.join(folder, "mine.jsonl"));
    lab.logbook.note("kept");
    lab.logbook.use(null);
    expect(readFileSync(victim, "utf8")).toContain('"text":"kept"');
  });
});
