// Records of memory and epochs show themselves in words and units, and stay plain data for programs.
import { inspect } from "node:util";
import { afterEach, expect, it } from "vitest";
import { lab, torch } from "../../../../lib/index.ts";
import { shownEpoch } from "../../../../lib/lab/core/ledger_view.ts";
import { listBundle } from "../../../../lib/views/shown_as.ts";
import { epochRecords } from "../epoch_records.ts";

afterEach(() => lab.ledger.clear());

/** Figures as `#`, which differ from run to run. */
const shape = (text: string): string => text.replace(/[\d.]+/g, "#").replace(/ +/g, " ");

it("lab.memory() names each quantity, with its unit", () => {
  torch.ones([2]);
  const names = inspect(lab.memory())
    .split("\n")
    .map((line) => line.trim().replace(/ {2,}.*$/, ""));
  expect(names.slice(0, 8)).toEqual([
    "Memory",
    "live tensors",
    "their peak",
    "held by the allocator",
    "recommended limit",
    "live tensors on the CPU",
    "JavaScript heap",
    "this process",
  ]);
  expect(shape(inspect(lab.memory()))).toMatch(/ JavaScript heap # MiB\n this process # [MG]iB\n/);
});

it("and is plain data: its fields, JSON, a copy and equality", () => {
  const sample = lab.memory();
  expect(typeof sample.allocatedBytes).toBe("number");
  expect(Object.keys(JSON.parse(JSON.stringify(sample)) as object)).toEqual(Object.keys(sample));
  expect(structuredClone(sample)).toEqual(sample);
  expect({ ...sample }).toEqual(sample);
});

it("lab.flush() shows memory before and after it", () => {
  expect(shape(inspect(lab.flush()))).toMatch(
    /^Flushed in # \w+, after # \S+ of waiting for the device\n memory before after\n live tensors # \w+ # \w+\n/,
  );
});

it("lab.mark() says where it was made", () => {
  expect(inspect(lab.mark("after forward"))).toMatch(
    /^Mark after forward, outside of epochs, after \S+ \S+\n/,
  );
});

it("lab.ledger and its lists are tables, whose columns that are zero everywhere are named below", () => {
  lab.ledger.epochs.push(...epochRecords(2, (epoch) => ({ cut: epoch === 1, fallbacks: null })));
  expect(inspect(lab.ledger.epochs)).toBe(`2 epochs on cpu
  loop  epoch       time    host  flush    peak  live tensors  allocator  process
  0     0, first  380 ms  380 ms   4 ms  40 MiB        12 MiB     16 MiB  300 MiB
  0     1, cut    190 ms  190 ms   4 ms  40 MiB        12 MiB     16 MiB  300 MiB
Zero in every row: device wait.
Empty in every row: fallbacks.`);
  expect(inspect(lab.ledger)).toMatch(/^Ledger: 2 epochs on cpu, 0 marks, 0 skipped steps\n {2}loop /);
  lab.ledger.clear();
  expect(inspect(lab.ledger)).toBe("Ledger: 0 epochs, 0 marks, 0 skipped steps");
  expect(lab.ledger.epochs).toEqual([]);
});

it("what filter and slice give of a list of epochs or marks is one table too", () => {
  const epochs = epochRecords(3).map(shownEpoch);
  const { "text/plain": text, "text/html": html } = listBundle(epochs.filter(({ epoch }) => epoch > 0))!;
  expect(text).toMatch(/^2 epochs on cpu\n {2}loop +epoch .*\n {2}0 +1 .*\n {2}0 +2 /);
  expect(html).toMatch(/>2 epochs on cpu<.*<table/s);
  const marks = [lab.mark("begin"), lab.mark("end")];
  expect(listBundle(marks.slice(1))?.["text/plain"]).toMatch(/^1 mark\n {2}mark .*\n {2}end /);
});

it("lists of different records, or of none, are no table", () => {
  expect(listBundle([...epochRecords(1).map(shownEpoch), lab.mark("begin")])).toBeNull();
  expect(listBundle([lab.memory()])).toBeNull();
  expect(listBundle([])).toBeNull();
  expect(listBundle([1, null])).toBeNull();
});

it("an epoch in full", () => {
  const [record] = epochRecords(1, () => ({ fallbacks: null }));
  const text = inspect(shownEpoch(record!));
  expect(text).toMatch(/^Epoch 0 of loop 0 on cpu, first\n/);
  expect(text).toMatch(/\n {2}peak of live tensors +40 MiB\n/);
  expect(text).toMatch(/\nNot known here: operators that fell back\.$/);
});

it("lab.growth() says its verdict, and bytes as such", () => {
  const growth = lab.growth(
    epochRecords(12, (epoch) => ({ after: { allocatedBytes: 2 ** 20 * (epoch + 1) } })),
  );
  expect(inspect(growth)).toMatch(
    /^Growth of allocatedBytes: growing\n {2}after the first complete flush +2 MiB\n/,
  );
  expect(growth.fromBytes).toBe(2 ** 21);
});
