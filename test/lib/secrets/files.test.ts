// No secret that somebody wrote into a cell, a file beside the notebook or an output is in a file that mpslab writes to be
// kept or given away: logbook, report, bug report, bundle. Each says what was left out.
import { execFileSync } from "node:child_process";
import {
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
import { writeReport } from "../../../kernel/cli/bug_report.ts";
import { lab } from "../../../lib/index.ts";
import { installSession, type Session } from "../../../lib/session.ts";
import { PLANTED } from "../../fixtures/secrets/planted.ts";
import { commandLine } from "../../helpers/command_line.ts";

const home = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-secrets-")));
const folder = path.join(home, "project");
const mpslab = commandLine(home);
const before = process.cwd();

const cells = PLANTED.filter(({ language }) => language === "cell");
const files = PLANTED.filter(({ language }) => language === "configuration" || language === "shell");
const outputs = PLANTED.filter(({ language }) => language === "text");
const ENDING = { configuration: "yml", shell: "sh" } as Record<string, string>;

let id: string;

beforeAll(() => {
  mkdirSync(folder);
  process.chdir(folder);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args]);
  git("init", "-q");
  writeFileSync("settings.yml", "host: a\n");
  git("add", "settings.yml");
  git("commit", "-qm", "first");
  // One stands in the patch, the others in files that no commit has.
  for (const [at, { language, text }] of files.entries())
    writeFileSync(at === 0 ? "settings.yml" : `file_${at}.${ENDING[language]}`, text);
  writeFileSync(
    "own.ipynb",
    JSON.stringify({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: { note: `api_key=${cells[0]!.secret}` },
      cells: cells.map(({ text }, at) => ({
        cell_type: "code",
        id: `cell-${at}`,
        source: text,
        metadata: {},
        outputs: outputs[at] === undefined ? [] : [outputOf(at, outputs[at].text)],
        execution_count: at + 1,
      })),
    }),
  );
  process.env["JPY_SESSION_NAME"] = path.join(folder, "own.ipynb");
  // The addon is loaded without a session, of which this one has the cells only.
  lab.logbook.draft();
  installSession({
    cells: () => cells.map(({ text }, at) => [at + 1, text] as const),
    importedFiles: () => [],
    cellSignal: () => undefined,
    pausedMs: () => 0,
  } as Partial<Session> as Session);
  lab.logbook.use("own.logbook.jsonl");
  lab.logbook.note(outputs.map(({ text }) => text).join("\n"));
  id = lab.logbook.record({
    name: `password=${cells[1]!.secret}`,
    results: { seen: outputs.map(({ text }) => text) },
  }).id;
});
afterAll(() => {
  process.chdir(before);
  delete process.env["JPY_SESSION_NAME"];
  rmSync(home, { recursive: true });
});

function outputOf(at: number, text: string): object {
  if (at % 3 === 0) return { output_type: "stream", name: "stdout", text };
  if (at % 3 === 1)
    return { output_type: "error", ename: "Error", evalue: text, traceback: text.split("\n") };
  return {
    output_type: "display_data",
    metadata: {},
    data: { "text/plain": text, "application/json": { text } },
  };
}

/** Kinds of the secrets that stand in the files; pictures are none of them. */
function secretsIn(paths: readonly string[]): string[] {
  const texts = paths.map((file) => readFileSync(file, "utf8"));
  return PLANTED.filter(({ secret }) => texts.some((text) => text.includes(secret))).map(
    ({ kind, text }) => `${kind}: ${text}`,
  );
}

const filesIn = (place: string) =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

describe("no planted secret is in the files of", () => {
  it("the logbook, whose entries say what was left out", () => {
    const kept = filesIn(path.join(folder, "own.logbook.files"));
    expect(secretsIn([path.join(folder, "own.logbook.jsonl"), ...kept])).toEqual([]);
    const [note] = lab.logbook.read().entries;
    expect(note!.leftOut).toMatch(/^\d+ secrets were left out: text \(/);
    const program = kept
      .map((file) => readFileSync(file, "utf8"))
      .find((text) => text.includes('"recordedBy"'))!;
    expect(program).toMatch(/"\d+ secrets were left out: cell \[1\] \(under its name\); /);
  });

  it("the report, which says it too", () => {
    const { status, stderr } = mpslab(folder, ["report", id, "--output", "page.html"]);
    expect([status, stderr]).toEqual([0, ""]);
    const page = path.join(folder, "page.html");
    expect(secretsIn([page])).toEqual([]);
    expect(readFileSync(page, "utf8")).toContain("secrets were left out: cell 1 (under its name); ");
  });

  it("the bundle, its notebook and its outputs", () => {
    const { status, stdout, stderr } = mpslab(folder, ["bundle", id, "--output", "bundle"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(secretsIn(filesIn(path.join(folder, "bundle")))).toEqual([]);
    expect(stdout).toContain("secrets were left out: own.ipynb, ");
  });

  it("the bug report", () => {
    const file = path.join(folder, "bug.txt");
    writeReport(
      file,
      outputs.map(({ text }) => text),
    );
    expect(secretsIn([file])).toEqual([]);
    expect(readFileSync(file, "utf8")).toMatch(/\n\d+ secrets were left out: this file, line \d+ \(/);
  });
});
