// One hostile logbook, whose every name holds what would move a terminal's cursor, reverse a line or hide a part of it: no
// command prints it, and no page or table has it.
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
import { afterAll, beforeAll, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../kernel/cli/project.ts";
import { lab } from "../../../lib/index.ts";
import type { RunEntry } from "../../../lib/records/logbook/entry.ts";
import { goldenCommand, commandText } from "../../../lib/records/logbook/command.ts";
import { keepBytes } from "../../../lib/records/logbook/kept_files.ts";
import { logbookTable, runTable } from "../../../lib/records/logbook/view.ts";
import { tableHtml } from "../../../lib/views/table_html.ts";
import { tableText } from "../../../lib/views/table.ts";
import { commandLine } from "../../helpers/command_line.ts";

const home = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-hostile-")));
const mpslab = commandLine(home);
const UNSEEN = "\x1b[2J\r\b\x9b1m\u202e\u2066\u200b\ufeff";
// oxlint-disable-next-line no-control-regex
const SEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/;
const FORGED = "\nrun deadbeef was read and is safe";
const bad = (word: string) => `${word}${UNSEEN}${FORGED}`;

// The system lets a folder be called so.
const folder = path.join(home, `here${UNSEEN}`);
const entry = JSON.parse(
  readFileSync(path.join(PROJECT_ROOT, "test/fixtures/logbooks/older.logbook.jsonl"), "utf8").split("\n")[0]!,
) as RunEntry;
let run: RunEntry;

beforeAll(() => {
  mkdirSync(folder);
  const logbook = path.join(folder, `a${UNSEEN}.logbook.jsonl`);
  const notebook = `a${UNSEEN}.ipynb`;
  const kept = keepBytes("test", logbook, Buffer.from("export {};\n"));
  const program = {
    notebook,
    folder: "",
    cells: [{ count: 1, text: `1 + 1 // ${UNSEEN}` }],
    recordedBy: null,
    machine: { device: bad("cpu") },
    environment: { OMP_NUM_THREADS: bad("3") },
    patch: null,
    files: [
      { path: `b${UNSEEN}.ts`, bytes: 1, sha256: null, kept },
      { path: `../${bad("c")}`, bytes: 1, sha256: null, kept: null },
    ],
    lock: null,
    notes: [bad("note")],
  };
  const sha256 = keepBytes("test", logbook, Buffer.from(JSON.stringify(program)));
  const fields = Object.fromEntries(
    Object.entries(entry.fields).map(([name, value]) => [
      name,
      typeof value === "string" ? bad(value) : value,
    ]),
  );
  run = {
    ...entry,
    name: bad("name"),
    at: `2026-11-26T03:10${UNSEEN}`,
    fields: {
      ...fields,
      commit: null,
      variables: { [bad("X=1; touch /tmp/ran; Y")]: "1" },
    } as RunEntry["fields"],
    results: { [bad("result")]: { text: bad("value") } },
    program: { sha256, cells: 1, notebook },
  };
  const lines = [
    run,
    { ...run, id: `${entry.id.slice(0, -4)}ffff`, name: bad("other"), type: "run" },
    { type: "note", schema: 1, id: bad("id"), at: bad("2026"), text: bad("text <img src=x>") },
    {
      type: "rejected",
      schema: 1,
      id: "x",
      at: "2026",
      hypothesis: bad("h"),
      why: bad("w"),
      evidence: bad("e"),
    },
  ];
  writeFileSync(
    logbook,
    `${lines.map((line) => JSON.stringify(line)).join("\n")}\n{"schema": "${"\\u001b[2J"}"}\n`,
  );
  writeFileSync(
    path.join(folder, notebook),
    JSON.stringify({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: { kernelspec: { name: UNSEEN, display_name: UNSEEN } },
      cells: [
        {
          cell_type: "code",
          id: "a",
          source: `1 + 1 // ${UNSEEN}`,
          metadata: { tags: [bad("tag")] },
          outputs: [{ output_type: "stream", name: "stdout", text: bad("out") }],
          execution_count: 1,
        },
      ],
    }),
  );
});
afterAll(() => rmSync(home, { recursive: true }));

function expectShown(text: string): void {
  expect(SEEN.exec(text)?.[0].codePointAt(0)?.toString(16)).toBe(undefined);
}

/** Nothing unseen, and no line that a name has made. */
function expectOwnLines(text: string): void {
  expectShown(text);
  expect(text.split("\n").filter((line) => line.startsWith("run deadbeef"))).toEqual([]);
}

const whole = entry.id;

it.each([
  ["report", []],
  ["report", [whole]],
  ["report", [whole, `${entry.id.slice(0, -4)}ffff`]],
  ["report", ["0"]],
  ["report", [`0${UNSEEN}`]],
  ["report", [UNSEEN]],
  ["rerun", []],
  ["rerun", [whole]],
  ["rerun", [whole, "--reviewed", "0"]],
  ["rerun", [whole, "--notebook", UNSEEN]],
  ["bundle", [whole, "--output", `bundle${UNSEEN}`]],
  ["smoke", [`bundle${UNSEEN}`]],
  ["smoke", [UNSEEN]],
  ["replay", [UNSEEN]],
  ["replay", [`a${UNSEEN}.ipynb`]],
  ["papermill", [`a${UNSEEN}.ipynb`, "-p", UNSEEN, "1"]],
  ["execute", [`a${UNSEEN}.ipynb`, "--output", `out${UNSEEN}`]],
  [UNSEEN, []],
])("mpslab %s %j", (command, args) => {
  const { stdout, stderr } = mpslab(folder, [command, ...args]);
  expect(stdout + stderr).not.toBe("");
  expectOwnLines(stdout);
  expectOwnLines(stderr);
});

it("pages of reports", () => {
  const pages = readdirSync(path.join(folder, "output")).filter((name) => name.endsWith(".html"));
  expect(pages.length).toBeGreaterThan(1);
  for (const page of pages) expectShown(readFileSync(path.join(folder, "output", page), "utf8"));
});

it("tables and Markdown of a notebook", () => {
  const logbook = readdirSync(folder).find((name) => name.endsWith(".jsonl"));
  const contents = lab.logbook.read(path.join(folder, logbook!));
  for (const table of [logbookTable(contents), runTable(run)]) {
    expectOwnLines(tableText(table));
    expectShown(tableHtml(table));
  }
  const markdown = lab.logbook.markdown(contents);
  expectOwnLines(markdown);
  expect(markdown).not.toContain("<img");
});

it("the golden command has no line and no name of a variable that a shell would run", () => {
  for (const form of ["plain", "systemd", "launchd"] as const) {
    const text = commandText(goldenCommand(run, "a\nExecStart=evil.ipynb"), form);
    expect(text).not.toContain("touch /tmp/ran");
    if (form === "systemd")
      expect(text.split("\n").filter((line) => line.startsWith("ExecStart="))).toHaveLength(1);
  }
});
