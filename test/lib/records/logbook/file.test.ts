// The logbook's file under crashes and under several writers.
import { execFile, spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import type { NoteEntry } from "../../../../lib/records/logbook/entry.ts";
import { append, read } from "../../../../lib/records/logbook/file.ts";

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

it("reads a run of an earlier version, whose spreads have least and most, and keeps a user's own keys", () => {
  const file = path.join(folder, "earlier.jsonl");
  const quartiles = { median: 2, lowerQuartile: 1.5, upperQuartile: 2.5 };
  const old = { ...quartiles, least: 1, most: 3 };
  const results = (spread: object) => ({
    sweep: { points: [{ steady: { stepMs: spread } }] },
    own: { most: 4 },
  });
  const run = { type: "run", schema: 1, id: "r", at: "", name: "r", fields: {}, results: results(old) };
  writeFileSync(file, `${JSON.stringify(run)}\n`);
  expect(read(file).entries).toMatchObject([{ results: results({ ...quartiles, min: 1, max: 3 }) }]);
  expect(JSON.stringify(read(file))).not.toContain("least");
});

it("leaves out entries that lack what readers rely on, and says so", () => {
  const file = path.join(folder, "edited.jsonl");
  const whole = { type: "run", schema: 1, id: "whole", at: "", name: "r", fields: {}, results: {} };
  const partial = [{ id: 7 }, { at: undefined }, { name: 3 }, { fields: [] }, { results: undefined }];
  const lines = [...partial.map((part) => ({ ...whole, ...part })), whole];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect(ids(file)).toEqual(["whole"]);
  expect(read(file).notes).toEqual(
    [1, 2, 3, 4, 5].map(
      (line) => `Line ${line} lacks what an entry has, and is left out: another program wrote it.`,
    ),
  );
});

/** A program of its own that appends entries `who0`, `who1`, ... of very different lengths, some longer than a page. */
function writer(who: string, file: string, count: number): readonly string[] {
  const module = pathToFileURL(path.resolve("dist/lib/records/logbook/file.js")).href;
  const program = `
    import { writeSync } from "node:fs";
    import { append } from ${JSON.stringify(module)};
    const [who, file, count] = process.argv.slice(1);
    for (let i = 0; i < Number(count); i++) {
      append(file, { type: "note", schema: 1, id: who + i, at: "", text: who.repeat(1 + (i * 977) % 20000) });
      writeSync(1, who + i + "\\n");
    }`;
  return ["--input-type=module", "-e", program, who, file, String(count)];
}

it("loses nothing when two kernels write at once", async () => {
  const file = path.join(folder, "two.jsonl");
  const write = (who: string) => promisify(execFile)(process.execPath, writer(who, file, 400));
  await Promise.all([write("a"), write("b")]);
  const { entries, notes } = read(file);
  expect(notes).toEqual([]);
  for (const who of ["a", "b"])
    expect(entries.map(({ id }) => id).filter((id) => id.startsWith(who))).toEqual(
      Array.from({ length: 400 }, (_, i) => who + i),
    );
  // They did write at once: the one began before the other ended.
  const turns = entries.filter(({ id }, at) => at > 0 && id[0] !== entries[at - 1]!.id[0]).length;
  expect(turns).toBeGreaterThan(2);
});

it("keeps every entry that was recorded when kernels are killed while they write, one beside another", async () => {
  const file = path.join(folder, "killed.jsonl");
  /** Killed after so many entries, in the middle of whatever it is at then. Resolves with what it had recorded. */
  const killedAfter = (who: string, entries: number) =>
    new Promise<string[]>((resolve) => {
      const child = spawn(process.execPath, writer(who, file, 100_000));
      let said = "";
      child.stdout.on("data", (text: Buffer) => {
        said += text;
        if (said.split("\n").length > entries) child.kill("SIGKILL");
      });
      child.once("close", (_status, signal) => {
        expect(signal).toBe("SIGKILL");
        resolve(said.split("\n").slice(0, -1));
      });
    });
  const recorded: string[] = [];
  for (const round of [3, 8, 21, 40]) {
    const both = await Promise.all([killedAfter(`a${round}-`, round), killedAfter(`b${round}-`, 2 * round)]);
    recorded.push(...both.flat());
  }
  append(file, note("after"));
  expect(ids(file)).toEqual(expect.arrayContaining([...recorded, "after"]));
});

it("says when the disk takes a part of an entry, and loses neither those before nor those after", async () => {
  const file = path.join(folder, "full.jsonl");
  // The system takes no byte of a file beyond 32 KiB: as a full disk, it cuts the write that comes across.
  const limited = ["-c", 'ulimit -f 32 && exec "$0" "$@"', process.execPath, ...writer("a", file, 400)];
  const failed = (await promisify(execFile)("/bin/bash", limited).catch((error: unknown) => error)) as {
    stdout: string;
    stderr: string;
  };
  const before = failed.stdout.split("\n").slice(0, -1);
  expect(before.length).toBeGreaterThan(1);
  expect(failed.stderr).toMatch(
    /Error: Only \d+ of \d+ bytes went into the logbook .*full\.jsonl: make room on the disk and record again\./,
  );
  append(file, note("after"));
  expect(ids(file)).toEqual([...before, "after"]);
  expect(read(file).notes).toEqual([
    `Line ${before.length + 1} was torn by a crash in the middle of its write and is left out.`,
  ]);
});

it("says when the disk takes nothing of an entry, and what to do", async () => {
  const file = path.join(folder, "refused.jsonl");
  append(file, note("before"));
  const limited = ["-c", 'ulimit -f 0 && exec "$0" "$@"', process.execPath, ...writer("a", file, 1)];
  await expect(promisify(execFile)("/bin/bash", limited)).rejects.toThrow(
    /Error: The logbook .*refused\.jsonl cannot be written \(.*\): choose another file with lab\.logbook\.use\(file\)\./,
  );
  expect(ids(file)).toEqual(["before"]);
});
