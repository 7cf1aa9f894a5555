// Parameters are part of a run: what was given, and what the optimizer was set to. `diff` suspects them first, and a table of
// runs is sorted and filtered by them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeEach, expect, it } from "vitest";
import { lab, nn, optim, torch } from "../../../../lib/index.ts";
import type { RunEntry } from "../../../../lib/records/logbook/entry.ts";

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-parameters-"));
afterAll(() => {
  lab.logbook.use(null);
  rmSync(folder, { recursive: true });
});
let count = 0;
beforeEach(() => {
  lab.logbook.use(path.join(folder, `${count++}.logbook.jsonl`));
});

it("diff names them first, each with its change, and single results last", () => {
  torch.manualSeed(1);
  const a = lab.logbook.record({
    parameters: { width: 48, rate: 0.001, mode: "fast" },
    results: { rate: 1 },
  });
  torch.manualSeed(2);
  const b = lab.logbook.record({ parameters: { width: 64, rate: 0.01, mode: "fast" }, results: { rate: 2 } });
  const diff = lab.logbook.diff(a, b);
  expect(diff.suspects.map(({ field }) => field).filter((field) => field !== "loadPerCore")).toEqual([
    "parameters",
    "seed",
  ]);
  expect(diff.results).toEqual([{ result: "rate", a: 1, b: 2 }]);
  const lines = inspect(diff).split("\n");
  expect(lines[2]).toMatch(/^ {2}parameters\.width +48 +64 +\+33\.3% +10 of 10$/);
  expect(lines[3]).toMatch(/^ {2}parameters\.rate +0\.001 +0\.01 +\+900% +10 of 10$/);
  expect(inspect(diff)).toMatch(/results\.rate +1 +2 +\+100% +measured/);
  expect(inspect(diff)).not.toContain("parameters.mode");
});

it("runs that differ in results alone differ", () => {
  const a = lab.logbook.record({ results: { rate: 1 } });
  expect(inspect(lab.logbook.diff(a, { ...a, results: { rate: 2 } }))).not.toContain(
    "No field that both runs",
  );
  expect(inspect(lab.logbook.diff(a, a))).toContain("No field that both runs know differs.");
});

it("a parameter that one run lacks is one that differs", () => {
  const [a, b] = [{ width: 48 }, { depth: 2 }].map((parameters) => lab.logbook.record({ parameters }));
  expect(inspect(lab.logbook.diff(a!, b!))).toMatch(
    /parameters\.width +48 +not there .*\n {2}parameters\.depth +not there +2/,
  );
});

it("an optimizer's hyperparameters are noticed at its first step, those of each group", () => {
  const model = new nn.Linear(2, 1);
  const optimizer = new optim.SGD([{ params: [model.weight] }, { params: [model.bias!], lr: 0.01 }], {
    lr: 0.1,
    momentum: 0.9,
  });
  const other = new optim.Adam([torch.ones([1]).requiresGrad_()], { lr: 0.5 });
  for (const _ of lab.epochs(2)) {
    model(torch.ones([1, 2]))
      .mean()
      .backward();
    optimizer.step();
    other.step();
    for (const group of optimizer.paramGroups) group.lr /= 10;
  }
  const { fields, filledBy } = lab.logbook.draft();
  expect(filledBy.optimizer).toBe("machine");
  expect(fields.optimizer).toMatchObject({
    optimizer: "SGD",
    lr: "0.1, 0.01",
    momentum: "0.9",
    "2.optimizer": "Adam",
    "2.lr": "0.5",
  });
  for (const _ of lab.epochs(1)) torch.ones([1]);
  expect(lab.logbook.draft().fields.optimizer).toBeNull();
});

it("parameters have names, and are plain data", () => {
  expect(() => lab.logbook.record({ parameters: 0.1 as unknown as Record<string, unknown> })).toThrow(
    "lab.logbook.record: parameters must be named, as { rate: 0.01 }, got 0.1.",
  );
  expect(() => lab.logbook.record({ parameters: { x: torch.ones([1]) } })).toThrow(
    "lab.logbook.record: parameters.x is a tensor, which the logbook's JSON cannot keep: give its numbers, with item() or tolist().",
  );
  const { parameters } = lab.logbook.draft({
    parameters: { sizes: [1, 2], rate: NaN, on: true, of: { b: 1, a: 2 }, none: null },
  }).fields;
  expect(parameters).toEqual({ sizes: "[1,2]", rate: "NaN", on: "true", of: '{"a":2,"b":1}', none: "null" });
});

it("runs() is a table of them with metrics and results, by which it is sorted and filtered", () => {
  for (const [rate, accuracy] of [
    [0.001, 0.5],
    [0.01, 0.9],
    [0.1, 0.7],
  ])
    lab.logbook.record({
      name: `rate ${rate}`,
      parameters: { rate, schedule: rate === 0.1 ? "none" : "cosine", width: 64 },
      results: { accuracy, rate: "kept apart", curve: [1, 2] },
    });
  lab.logbook.note("no run");
  const runs = lab.logbook.runs();
  expect(runs.names.filter((name) => name !== "peakBytes" && name !== "steadyEpochMs")).toEqual([
    "name",
    "rate",
    "schedule",
    "accuracy",
    "results.rate",
    "width",
    "at",
    "id",
  ]);
  const best = runs.filter((run) => run.rate > 0.001).sortBy("accuracy", { descending: true });
  expect(best.select("name", "rate", "accuracy").records()).toEqual([
    { name: "rate 0.01", rate: 0.01, accuracy: 0.9 },
    { name: "rate 0.1", rate: 0.1, accuracy: 0.7 },
  ]);
  const entries = lab.logbook.read().entries;
  expect(best.column("id").values()).toEqual([entries[1]!.id, entries[2]!.id]);
  expect(inspect(lab.logbook.read())).toMatch(/rate 0\.01, rate 0\.01, schedule cosine, width 64, device/);
});

it("keeps tags as columns of the table, and the checksums of the files that it made", () => {
  const file = path.join(folder, "model.bin");
  writeFileSync(file, "abc");
  lab.logbook.record({ name: "a", tags: { stage: "baseline" }, artifacts: [file] });
  lab.logbook.record({ name: "b" });
  const [a, b] = lab.logbook.read().entries as [RunEntry, RunEntry];
  expect(a.tags).toEqual({ stage: "baseline" });
  expect(a.artifacts).toEqual({
    [file]: { sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", bytes: 3 },
  });
  expect([b.tags, b.artifacts]).toEqual([undefined, undefined]);
  expect(lab.logbook.runs().column("stage").values()).toEqual(["baseline", null]);
  expect(() => lab.logbook.record({ artifacts: [path.join(folder, "none.bin")] })).toThrow(
    /lab\.logbook\.record: artifacts\[0\] is ".*none\.bin", and there is no such file in .*; save it before the run is recorded\./,
  );
  expect(() => lab.logbook.record({ tags: { stage: 1 } as never })).toThrow(/tags\.stage/);
  expect(() => lab.logbook.record({ tags: "baseline" as never })).toThrow(
    'lab.logbook.record: tags must be named, as { stage: "baseline" }, got "baseline".',
  );
});
