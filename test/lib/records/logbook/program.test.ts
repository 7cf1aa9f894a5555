// What ran, as another program may have written it: what is no program of ours is refused in words, before anything uses it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { keepBytes } from "../../../../lib/records/logbook/kept_files.ts";
import { readProgram } from "../../../../lib/records/logbook/program.ts";

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-program-"));
afterAll(() => rmSync(folder, { recursive: true }));
const logbook = path.join(folder, "a.logbook.jsonl");

const PROGRAM = {
  notebook: "a.ipynb",
  folder: "",
  cells: [{ count: 1, text: "1 + 1" }],
  recordedBy: null,
  machine: { device: "cpu" },
  environment: {},
  patch: null,
  files: [{ path: "a.ts", bytes: 1, sha256: null, kept: null }],
  lock: null,
  notes: [],
};

const read = (text: string) =>
  readProgram(logbook, { sha256: keepBytes("test", logbook, Buffer.from(text)), cells: 1, notebook: null });

it("is read as it was kept", () => expect(read(JSON.stringify(PROGRAM))).toEqual(PROGRAM));

it.each([
  ["notebook", "../../private/a.ipynb"],
  ["notebook", 7],
  ["folder", null],
  ["cells", { count: 1 }],
  ["cells", [{ count: 4e9, text: "" }]],
  ["cells", [{ count: 1 }]],
  ["machine", ["cpu"]],
  ["environment", { OMP_NUM_THREADS: 2 }],
  ["patch", { kept: "../a", bytes: 1 }],
  ["files", [{ path: "a.ts", bytes: 1, sha256: null, kept: "/etc/passwd" }]],
  ["files", [null]],
  ["lock", {}],
  ["notes", [{}]],
])("%s is not %j", (member, value) => {
  expect(() => read(JSON.stringify({ ...PROGRAM, [member]: value }))).toThrow(
    `in a form that this version does not read: its member ${member} is not what it should be.`,
  );
});

it("is no other text", () => expect(() => read("{")).toThrow("does not read: it is no JSON."));

it("is looked for beside the logbook alone", () =>
  expect(() => readProgram(logbook, { sha256: "../../etc/passwd", cells: 1, notebook: null })).toThrow(
    `${path.join(folder, "a.logbook.files", "passwd")} is missing`,
  ));
