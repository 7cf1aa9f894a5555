// Tests the journal of a sweep on disk: what survives an interrupt, a crash and a torn line, and what is refused.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openJournal, type SweepJournal } from "../../../../lib/lab/sweep/journal.ts";
import { record } from "./records.ts";

const IDENTITY = { device: "cpu", model: "Linear", windowMs: 300 };
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sweep-"));
  file = path.join(folder, "tour.sweep.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (identity: object = IDENTITY, restart = false) =>
  openJournal("lab.sweep", file, identity as typeof IDENTITY, restart);
const run = (journal: SweepJournal, ...batches: number[]) => {
  for (const batch of batches) {
    journal.begin({ batch });
    journal.record(record(batch));
  }
};
const lines = () =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });

it("an unfinished sweep goes on with the points that it has", () => {
  run(open().journal!, 8, 16);
  expect(open().records).toEqual([record(8), record(16)]);
});

it("points of an earlier version, whose spreads have least and most, get min and max", () => {
  run(open().journal!, 8);
  const written = readFileSync(file, "utf8");
  const old = written.replaceAll('"min":', '"least":').replaceAll('"max":', '"most":');
  expect(old).not.toBe(written);
  writeFileSync(file, old);
  expect(open().records).toEqual([record(8)]);
});

it("a finished one is left where it is, and another begins behind it", () => {
  const { journal } = open();
  run(journal!, 8);
  journal!.end(["done"]);
  expect(open().records).toEqual([]);
  expect(lines().map(({ type }) => type)).toEqual(["sweep", "begin", "point", "end", "sweep"]);
});

it("a point that was interrupted is measured again, however often, and was not cut off", () => {
  const { journal } = open();
  run(journal!, 8);
  for (let time = 0; time < 3; time++) {
    journal!.begin({ batch: 16 });
    journal!.interrupted({ batch: 16 });
  }
  expect(open()).toMatchObject({ records: [record(8)], cutOff: [] });
});

it("a point during which the session ended is measured again, and named", () => {
  const { journal } = open();
  run(journal!, 8);
  journal!.begin({ batch: 16 });
  expect(open()).toMatchObject({ records: [record(8)], cutOff: [{ batch: 16 }] });
  run(open().journal!, 16);
  expect(open()).toMatchObject({ records: [record(8), record(16)], cutOff: [] });
});

it("one that took the session with it twice is recorded as crashed, and not run a third time", () => {
  open().journal!.begin({ batch: 16 });
  open().journal!.begin({ batch: 16 });
  const { records, cutOff } = open();
  expect(cutOff).toEqual([]);
  expect(records).toMatchObject([
    {
      point: { batch: 16 },
      status: "crashed",
      error: "The session ended twice while batch 16 ran.",
    },
  ]);
});

it("a line that was being written when the machine went down is left out, and the next one stands alone", () => {
  run(open().journal!, 8);
  const whole = readFileSync(file, "utf8");
  appendFileSync(file, JSON.stringify({ type: "point", record: record(16) }).slice(0, 100));
  const { journal, records } = open();
  expect(records).toEqual([record(8)]);
  run(journal!, 16);
  expect(open().records).toEqual([record(8), record(16)]);
  expect(readFileSync(file, "utf8").startsWith(whole)).toBe(true);
});

it("cut off at any byte, a journal gives the whole points before the cut", () => {
  run(open().journal!, 8, 16);
  const whole = readFileSync(file);
  for (let length = whole.indexOf("\n") + 1; length <= whole.length; length += 97) {
    writeFileSync(file, whole.subarray(0, length));
    const measured = open().records.filter(({ status }) => status === "measured");
    expect(measured).toEqual([record(8), record(16)].slice(0, measured.length));
  }
});

it("of another model or other options is refused, saying what differs", () => {
  run(open().journal!, 8);
  expect(() => open({ ...IDENTITY, model: "Conv2d", windowMs: 100 })).toThrow(
    `${file} holds an unfinished sweep that differs: model was "Linear" and is "Conv2d"; windowMs was 300 and is 100. Give restart: true to leave it, or another name.`,
  );
  expect(() => open({ ...IDENTITY, setup: "77aa0c12" })).toThrow(
    `${file} holds an unfinished sweep that differs: its setup has another text. Give restart: true to leave it, or another name.`,
  );
  expect(open({ ...IDENTITY, model: "Conv2d" }, true).records).toEqual([]);
});

it("a file that is something else is left alone", () => {
  writeFileSync(file, "batch,rate\n8,1000\n");
  const refusal = {
    message: `lab.sweep: ${file} exists but is not a sweep journal; it was left unchanged. Pass another file as journal, or journal: null for none.`,
    code: "SWEEP_JOURNAL",
  };
  expect(() => open()).toThrow(expect.objectContaining(refusal));
  expect(readFileSync(file, "utf8")).toBe("batch,rate\n8,1000\n");
});

it("a folder that is not there is said, with the way out", () => {
  expect(() => openJournal("lab.sweep", path.join(folder, "no", "a.jsonl"), IDENTITY, false)).toThrow(
    /give journal: null to do without/,
  );
});
