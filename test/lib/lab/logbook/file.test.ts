// The logbook's file under crashes and under several writers.
import { execFile } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import type { NoteEntry } from "../../../../lib/lab/logbook/entry.ts";
import { append, defaultFile, read } from "../../../../lib/lab/logbook/file.ts";

const folder = mkdtempSync(path.join(tmpdir(), "logbook-"));
afterAll(() => rmSync(folder, { recursive: true }));

const note = (id: string, text = "x"): NoteEntry => ({
  type: "note",
  schema: 1,
  id,
  at: "2026-11-21T00:00:00.000Z",
  text,
});
const ids = (file: string) => read(file).entries.map(({ id }) => id);

it("lies beside the notebook, under its name", () => {
  process.env["JPY_SESSION_NAME"] = "/elsewhere/tour.ipynb";
  expect(defaultFile()).toBe(path.resolve("tour.logbook.jsonl"));
  delete process.env["JPY_SESSION_NAME"];
  expect(defaultFile()).toBe(path.resolve("mpslab.logbook.jsonl"));
});

it("that is not there is empty, and says so", () => {
  const file = path.join(folder, "none.jsonl");
  expect(read(file)).toEqual({ file, entries: [], notes: [`${file} is not there yet.`] });
});

it("leaves out a last line that a crash tore, at whatever byte, and says so", () => {
  const line = JSON.stringify(note("torn", "größer"));
  const bytes = Buffer.from(line);
  for (const end of [1, 10, bytes.length - 6, bytes.length - 1]) {
    const file = path.join(folder, `torn-${end}.jsonl`);
    append(file, note("whole"));
    appendFileSync(file, bytes.subarray(0, end));
    expect(ids(file)).toEqual(["whole"]);
    expect(read(file).notes).toEqual([
      "Line 2 was torn by a crash in the middle of its write and is left out.",
    ]);
  }
});

it("goes on after a torn line without losing the next entry", () => {
  const file = path.join(folder, "goes-on.jsonl");
  append(file, note("a"));
  appendFileSync(file, '{"type":"note","id":"to');
  append(file, note("b"));
  append(file, note("c"));
  expect(ids(file)).toEqual(["a", "b", "c"]);
  expect(read(file).notes).toHaveLength(1);
});

it("leaves out entries of another schema, and says so", () => {
  const file = path.join(folder, "newer.jsonl");
  writeFileSync(file, `${JSON.stringify({ ...note("n"), schema: 2 })}\n`);
  expect(read(file)).toMatchObject({
    entries: [],
    notes: ["Line 1 has schema 2, this version reads 1: left out."],
  });
});

it("loses nothing when two kernels write at once", async () => {
  const file = path.join(folder, "two.jsonl");
  const module = pathToFileURL(path.resolve("dist/lib/lab/logbook/file.js")).href;
  // Lines of very different lengths, some longer than a page.
  const program = `
    import { append } from ${JSON.stringify(module)};
    const [who, file] = process.argv.slice(1);
    for (let i = 0; i < 150; i++)
      append(file, { type: "note", schema: 1, id: who + i, at: "", text: who.repeat(1 + (i * 977) % 20000) });`;
  const write = (who: string) =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, who, file]);
  await Promise.all([write("a"), write("b")]);
  const { entries, notes } = read(file);
  expect(notes).toEqual([]);
  for (const who of ["a", "b"])
    expect(entries.map(({ id }) => id).filter((id) => id.startsWith(who))).toEqual(
      Array.from({ length: 150 }, (_, i) => who + i),
    );
});
