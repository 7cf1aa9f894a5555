// Hostile logbooks: names, notes, paths, numbers of cells and types of fields are drawn. Commands that run nothing say so in
// words: nothing unseen is printed, no error is left uncaught, and nothing is written outside of the project.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PROJECT_ROOT } from "../../../kernel/cli/project.ts";
import { drawFrom, type Draw, hostile, UNSEEN, writeProject } from "../drawn_texts.ts";

export const name = "logbooks whose names, paths and numbers a stranger has drawn";

const ROUNDS = 40;
/** How many values of an entry and of its program are others. */
const MOST_CHANGES = 6;
const CLI = path.join(PROJECT_ROOT, "dist", "kernel", "cli.js");
const ENTRY = path.join(PROJECT_ROOT, "test", "fixtures", "logbooks", "older.logbook.jsonl");

export async function run(seed: number): Promise<string[]> {
  const draw = drawFrom(seed);
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-attack-logbooks-")));
  const entry = JSON.parse(readFileSync(ENTRY, "utf8").split("\n")[0]!) as { readonly id: string };
  const problems: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const folder = path.join(home, String(round));
    const changed = { ...changedValues(structuredClone(entry), draw), id: entry.id, type: "run", schema: 1 };
    const program = changedValues(programOf(), draw);
    try {
      writeProject(folder, changed, program);
    } catch {
      continue;
    }
    for (const args of [["report"], ["report", entry.id], ["rerun", entry.id], ["bundle", entry.id]]) {
      const { status, signal, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, TMPDIR: folder },
      });
      const told = `round ${round}, mpslab ${args[0]}`;
      if (status === null) problems.push(`${told}: ended by ${signal}`);
      if (/^\s+at .*:\d+:\d+\)?$/m.test(stderr))
        problems.push(`${told}: an error that nobody caught: ${lastError(stderr)}`);
      const unseen = UNSEEN.exec(stdout) ?? UNSEEN.exec(stderr);
      if (unseen !== null) problems.push(`${told}: prints U+${unseen[0].codePointAt(0)!.toString(16)}`);
      if (/^run deadbeef/m.test(stdout + stderr)) problems.push(`${told}: a name has made a line`);
    }
    for (const page of filesIn(folder).filter((file) => file.endsWith(".html")))
      if (UNSEEN.test(readFileSync(page, "utf8")))
        problems.push(`round ${round}: ${path.basename(page)} has what nobody sees`);
    if (filesIn(home).some((file) => !/^\d+$/.test(path.relative(home, file).split(path.sep)[0]!)))
      problems.push(`round ${round}: a file outside of the project`);
  }
  rmSync(home, { recursive: true });
  return [...new Set(problems)];
}

const lastError = (stderr: string) => /^\w*Error.*$/m.exec(stderr)?.[0].slice(0, 300) ?? stderr.slice(0, 300);

function programOf() {
  return {
    ...{
      notebook: "a.ipynb",
      folder: "",
      recordedBy: 1,
      machine: { device: "cpu" },
      environment: { OMP_NUM_THREADS: "2" },
    },
    cells: [
      { count: 1, text: "1 + 1" },
      { count: 2, text: 'const apiKey = "(left out)"', leftOut: true },
    ],
    patch: null,
    files: [{ path: "data/b.ts", bytes: 1, sha256: null, kept: null }],
    lock: null,
    notes: ["one"],
  };
}

/** A copy of which some values are hostile. */
function changedValues<Data extends object>(data: Data, draw: Draw): Data {
  for (let change = 0; change < 1 + draw.below(MOST_CHANGES); change++) {
    let at = data as Record<string, unknown>;
    for (;;) {
      const key = draw.one(Object.keys(at));
      if (key === undefined) break;
      const inner = at[key];
      if (typeof inner === "object" && inner !== null && Object.keys(inner).length > 0 && draw.below(4) > 0) {
        at = inner as Record<string, unknown>;
        continue;
      }
      at[key] = hostile(draw);
      break;
    }
  }
  return data;
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
