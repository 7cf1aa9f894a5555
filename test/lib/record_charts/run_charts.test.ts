// Several runs on one chart: how they are named, what is drawn and said, and that vega-lite has nothing to complain about.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { lab } from "../../../lib/index.ts";
import type { RunEntry } from "../../../lib/records/logbook/entry.ts";
import { runCharts } from "../../../lib/record_charts/run_charts.ts";
import { runNames } from "../../../lib/record_charts/run_names.ts";
import { epochRecords } from "../lab/epoch_records.ts";
import { strictSvgOf, titleOf } from "../lab/vega.ts";
import { sweepWith } from "../lab/logbook/sweep_results.ts";

const { logbook } = lab;
const folder = mkdtempSync(path.join(tmpdir(), "logbook-"));
let count = 0;
beforeEach(() => void logbook.use(path.join(folder, `${count++}.jsonl`)));
afterEach(() => lab.ledger.clear());
afterAll(() => {
  logbook.use(null);
  rmSync(folder, { recursive: true });
});

/** A run whose loss falls from 2 by halves, as slowly as `rate` says. */
function trained(name: string, rate: number, given: Parameters<typeof logbook.record>[0] = {}): RunEntry {
  lab.ledger.clear();
  lab.ledger.epochs.push(
    ...epochRecords(4, (epoch) => ({ metrics: { loss: 2 * rate ** epoch }, wallMs: 100 / rate })),
  );
  return logbook.record({ name, ...given });
}

const changed = (run: RunEntry, fields: Partial<RunEntry["fields"]>): RunEntry => ({
  ...run,
  fields: { ...run.fields, ...fields },
});

describe("runs are named", () => {
  const run = () => logbook.draft({ name: "run", batch: 32 });

  it("by their names where these differ", () => {
    expect(runNames([trained("base", 0.5), trained("wide", 0.6)])).toEqual(["base", "wide"]);
  });

  it("by two commits, and by two machines", () => {
    const commit = (name: string, uncommittedChanges = false) =>
      changed(run(), { commit: name.repeat(40), uncommittedChanges });
    expect(runNames([commit("a"), commit("b", true)])).toEqual(["aaaaaaa", "bbbbbbb changed"]);
    const machines = ["Apple M3", "Intel Xeon"].map((processor) => changed(run(), { processor }));
    expect(runNames(machines)).toEqual(["Apple M3", "Intel Xeon"]);
  });

  it("with their machines where these differ, though their names tell them apart", () => {
    const [a, b] = [trained("base", 0.5), trained("wide", 0.6)];
    expect(
      runNames([changed(a, { processor: "Apple M3" }), changed(b, { processor: "Intel Xeon" })]),
    ).toEqual(["base, Apple M3", "wide, Intel Xeon"]);
  });

  it("by their seed where nothing else differs", () => {
    const seeds = ["7", "8"].map((seed) => changed(run(), { seed }));
    expect(runNames(seeds)).toEqual(["seed 7", "seed 8"]);
    expect(runNames(seeds.map((one, at) => changed(one, { threads: at + 1 })))).toEqual([
      "threads 1",
      "threads 2",
    ]);
  });

  it("by what else differs, and by their time where nothing does", () => {
    expect(runNames([run(), changed(run(), { batch: 64 })])).toEqual(["batch 32", "batch 64"]);
    const at = (time: string) => ({ ...run(), at: `2026-11-25T${time}.000Z` });
    expect(runNames([at("10:00:00"), at("11:00:00")])).toEqual(["11-25 10:00:00", "11-25 11:00:00"]);
  });
});

describe("two runs on one chart", () => {
  it("have a line each for every metric, the time and the memory", async () => {
    const charts = runCharts([trained("base", 0.5), trained("slow", 0.8)]);
    expect(charts.map(({ summary }) => summary)).toEqual([
      "loss by epoch: in the last epoch lowest in base (0.25), highest in slow (1.02).",
      "Time of an epoch: in the median epoch lowest in slow (125 ms), highest in base (200 ms).",
      "Peak memory of an epoch: 40 MiB in the last epoch in base and slow.",
    ]);
    for (const { specification } of charts) {
      const svg = await strictSvgOf(specification);
      for (const name of ["base", "slow"]) expect(svg).toContain(`>${name} `);
    }
  });

  it("leave out a metric that one of them does not have", () => {
    lab.ledger.epochs.push(...epochRecords(2, () => ({ metrics: { accuracy: 0.9 } })));
    const charts = runCharts([logbook.record({ name: "other" }), trained("base", 0.5)]);
    expect(charts.map(({ specification }) => titleOf(specification).text)).toEqual([
      ["accuracy by epoch"],
      ["loss by epoch"],
      ["Time of an epoch"],
      ["Peak memory of an epoch"],
    ]);
  });

  it("have the throughput of their sweeps by batch", async () => {
    const results = (rate: number) => ({ sweep: sweepWith([8, 16, 32], rate) });
    const runs = [
      logbook.record({ name: "before", results: results(100) }),
      logbook.record({ name: "after", results: results(150) }),
    ];
    const [throughput] = runCharts(runs);
    expect(throughput!.summary).toBe(
      "Samples a second by batch: at its best batch highest in after (4,800), lowest in before (3,200).",
    );
    const svg = await strictSvgOf(throughput!.specification);
    expect(svg).toContain(">16<");
    expect(svg).toContain('aria-roledescription="area mark"');
    expect(titleOf(throughput!.specification).subtitle.join(" ")).toContain(
      "at 3 equal points after has 1.5 times the rate of before; the quartiles lie apart",
    );
  });

  it("more than four have a legend instead of labels", async () => {
    const runs = Array.from({ length: 6 }, (_, at) => trained(`run ${at}`, 0.4 + at / 20));
    const svg = await strictSvgOf(runCharts(runs)[0]!.specification);
    for (const { name } of runs) expect(svg).toContain(`>${name}<`);
  });
});

describe("charts of runs that differ in more than their values", () => {
  const noteOf = (fields: readonly Partial<RunEntry["fields"]>[]) => {
    const runs = fields.map((one, at) => changed(trained(`run ${at}`, 0.5), one));
    return runCharts(runs).map(({ specification }) => titleOf(specification).subtitle.join(" "));
  };

  it.each([
    [
      [{ processor: "Apple M3" }, { processor: "Intel Xeon" }],
      "in run 0, Apple M3 and run 1, Intel Xeon different machines",
    ],
    [[{ cores: 8 }, { cores: 16 }], "different machines: 8 cores (run 0); 16 cores (run 1)"],
    [
      [{ threads: 1 }, { threads: 2 }, { threads: 2 }],
      "different numbers of threads: 1 (run 0); 2 (run 1 and run 2)",
    ],
    [
      [
        { commit: "a".repeat(40), uncommittedChanges: false },
        { commit: "b".repeat(40), uncommittedChanges: true },
      ],
      "different commits: aaaaaaa (run 0); bbbbbbb changed (run 1)",
    ],
    [
      [{ torchVersion: "2.15.0" }, { torchVersion: "2.16.0" }],
      "different versions of libtorch: 2.15.0 (run 0); 2.16.0 (run 1)",
    ],
  ])("say so below each title: %j", (fields, note) => {
    for (const subtitle of noteOf(fields)) expect(subtitle).toContain(note);
  });

  it("do not repeat what the runs' names say", () => {
    const run = trained("run", 0.5);
    const [subtitle] = runCharts([1, 2].map((threads) => changed(run, { threads }))).map(
      ({ specification }) => titleOf(specification).subtitle.join(" "),
    );
    expect(subtitle).toBe("0.25 in the last epoch in threads 1 and threads 2 different numbers of threads");
  });

  it("say it once in the plot's sentence", () => {
    const runs = [1, 2].map((threads) => changed(trained(`run ${threads}`, 0.5), { threads }));
    expect(
      inspect(logbook.plot(...runs)).match(/Different numbers of threads: 1 \(run 1\); 2 \(run 2\)\./g),
    ).toHaveLength(1);
  });
});

describe("lab.logbook.plot", () => {
  it("takes ids, their beginnings, and entries of another logbook", async () => {
    const [a, b] = [trained("base", 0.5), trained("slow", 0.8)];
    const plot = logbook.plot(a.id.slice(0, 8), b);
    expect(inspect(plot)).toContain("in the last epoch lowest in base (0.25), highest in slow (1.02)");
    expect(await plot.toSvg()).toContain("Peak memory of an epoch");
    await strictSvgOf(plot);
  });

  it("says what is missing", () => {
    expect(() => logbook.plot()).toThrow(
      "lab.logbook.plot takes runs, as lab.logbook.plot(id, otherId): lab.logbook.read() lists them.",
    );
    expect(() => logbook.plot(logbook.record())).toThrow(
      "lab.logbook.plot: there is nothing to draw: the run has neither epochs nor a sweep. Record them after an epoch loop, or with results: { sweep }.",
    );
    expect(() => logbook.plot("12345678")).toThrow(/holds no run with the id 12345678/);
    expect(() => logbook.plot("")).toThrow(/holds no run with the id \./);
    const many = Array.from({ length: 13 }, () => trained("run", 0.5));
    expect(() => logbook.plot(...many)).toThrow(
      "lab.logbook.plot: 13 runs cannot be told apart; draw at most 12 at a time.",
    );
  });
});
