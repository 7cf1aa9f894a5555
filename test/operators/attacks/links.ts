// Links: a project with a link in a drawn place, to a file, to a folder, or to nothing. No command writes through it.
import { spawnSync } from "node:child_process";
import {
  existsSync,
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
import { PROJECT_ROOT } from "../../../kernel/cli/project.ts";
import { drawFrom, writeProject } from "../drawn_texts.ts";

export const name = "links in a stranger's project, through which a command could write";

const ROUNDS = 60;
const CLI = path.join(PROJECT_ROOT, "dist", "kernel", "cli.js");
const ENTRY = path.join(PROJECT_ROOT, "test", "fixtures", "logbooks", "older.logbook.jsonl");
const PROGRAM = {
  ...{ notebook: "a.ipynb", folder: "", cells: [{ count: 1, text: "1 + 1" }], recordedBy: null },
  ...{ machine: {}, environment: {}, patch: null, files: [], lock: null, notes: [] },
};

export async function run(seed: number): Promise<string[]> {
  const draw = drawFrom(seed);
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-attack-links-")));
  const entry = JSON.parse(readFileSync(ENTRY, "utf8").split("\n")[0]!) as { readonly id: string };
  const id = entry.id.slice(0, 8);
  const places = [
    ...["output", `output/report-${id}.html`, `output/bundle-${id}`, `output/bundle-${id}/bundle.json`],
    ...[
      "output/a.ipynb",
      "output/a.html",
      "output/a.logbook.jsonl",
      "output/a.logbook.files",
      "mpslab-report.txt",
    ],
    ...[
      "output/a",
      "output/a/sweep.jsonl",
      "output/a/table.md",
      "a.snapshot",
      "a.snapshot/kernel.pid",
      "mpslab-lessons",
    ],
  ];
  const commands = [
    ...[
      ["report", id],
      ["bundle", id],
      ["rerun", id],
      ["execute", "a.ipynb"],
      ["execute", "--record", "a.ipynb"],
    ],
    ["papermill", "a.ipynb", "-p", "rate", "1"],
  ];
  const problems: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const folder = path.join(home, String(round));
    const [victim, outside, nowhere] = ["victim", "outside", "nowhere"].map((one) =>
      path.join(home, `${one} ${round}`),
    );
    writeProject(folder, entry, PROGRAM);
    writeFileSync(victim!, "mine");
    mkdirSync(outside!);
    const place = path.join(folder, draw.one(places));
    const target = draw.one([victim!, outside!, nowhere!]);
    mkdirSync(path.dirname(place), { recursive: true });
    symlinkSync(target, place);
    const args = draw.one(commands);
    const { status, signal, stderr } = spawnSync(process.execPath, [CLI, ...args], {
      cwd: folder,
      encoding: "utf8",
    });
    const told = `${path.relative(folder, place)} -> ${path.basename(target)}, mpslab ${args.join(" ")}`;
    if (readFileSync(victim!, "utf8") !== "mine")
      problems.push(`${told}: the file behind the link is another one`);
    if (readdirSync(outside!).length > 0) problems.push(`${told}: the folder behind the link has files`);
    if (existsSync(nowhere!)) problems.push(`${told}: what the link leads to was made`);
    if (status === null || /^\s+at .*:\d+:\d+\)?$/m.test(stderr))
      problems.push(`${told}: ended by ${signal ?? "an error that nobody caught"}: ${stderr.slice(0, 300)}`);
  }
  rmSync(home, { recursive: true });
  return problems;
}
