// `lab.decide` and the stopping rule: the runbook's verdicts from numbers as measurements give them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { lab, torch } from "../../../../../lib/index.ts";
import type { Evidence } from "../../../../../lib/lab/runbook/evidence.ts";
import { append } from "../../../../../lib/records/logbook/file.ts";
import { runEntry } from "../../../../../lib/lab/logbook/run.ts";
import { epochRecords } from "../../epoch_records.ts";
import { comparisonOf } from "../../results.ts";

const MIB = 2 ** 20;

/** Twelve epochs whose footprint rises from 1,000 MiB after the first to so many after the last. */
const epochsTo = (lastMebibytes: number) =>
  epochRecords(12, (epoch) => ({
    after: { footprintBytes: (1_000 + ((epoch - 1) * (lastMebibytes - 1_000)) / 10) * MIB },
  }));

const SOUND: Evidence = {
  comparison: comparisonOf(100, 50),
  epochs: epochsTo(1_000),
  workload: "training",
  bitwiseParity: false,
};

const source = "powermetrics";

describe("lab.decide", () => {
  it("goes on with the device that is faster, and cites the numbers that it rests on", () => {
    const decision = lab.decide(SOUND);
    expect(decision).toMatchObject({ lane: "mps", rule: "faster than the CPU", missing: [] });
    expect(decision.cites).toContainEqual({
      fact: "improvement",
      value: 0.5,
      from: "lab.compare, step: 50 ms on mps, 100 ms on cpu, improvement +50%",
    });
    expect(decision.cites.find(({ fact }) => fact === "growthOverTenEpochs")?.from).toBe(
      "ledger, loop 0, epochs 0 to 11 on cpu: steady, tensors 12 MiB to 12 MiB in 10 epochs, 0% in ten",
    );
    expect(decision.passedOver.map(({ rule }) => rule)).toEqual(
      lab.RULES.slice(0, -2).map(({ name }) => name),
    );
    expect(inspect(decision)).toContain('mps, by the rule "faster than the CPU"');
  });

  describe("of times whose spreads are wide", () => {
    /** The device's quartiles are half and one and a half of its median. */
    const wide = (cpuMs: number, deviceMs: number) => {
      const { results, ...rest } = comparisonOf(cpuMs, deviceMs);
      const [cpu, device] = results as [(typeof results)[0], (typeof results)[0]];
      const finishedMs = {
        ...device.finishedMs,
        lowerQuartile: 0.5 * deviceMs,
        upperQuartile: 1.5 * deviceMs,
      };
      return { ...rest, results: [cpu, { ...device, finishedMs }] };
    };

    it("decides nothing where the bound lies between the quartiles, and says how to measure", () => {
      const decision = lab.decide({
        ...SOUND,
        comparison: wide(100, 80),
        utilization: { value: 0.1, source },
      });
      expect(decision).toMatchObject({ lane: null, rule: null });
      expect(decision.missing).toEqual([
        "the improvement over the CPU, which is uncertain: -20% to +60% between the quartiles (measure again on a quiet machine: lab.compare(step))",
      ]);
      expect(decision.cites.at(-2)?.from).toContain("improvement +20%; uncertain, -20% to +60%, since");
    });
    it("decides where both quartiles are on one side, and says that it is uncertain", () => {
      const decision = lab.decide({ ...SOUND, comparison: wide(100, 10) });
      expect(decision).toMatchObject({ lane: "mps", rule: "faster than the CPU" });
      expect(decision.cites.find(({ fact }) => fact === "improvement")?.from).toContain(
        "uncertain, +85% to +95%, since spreads are wide",
      );
    });
    it("nor takes MLX for a speedup that may be none", () => {
      const given = { ...SOUND, workload: "llm inference", mlxStepMs: { value: 9, source } } as const;
      const decision = lab.decide({ ...given, comparison: wide(100, 10) });
      expect(decision.lane).toBeNull();
      expect(decision.missing[0]).toContain("the speedup of MLX, which is uncertain: 0.56× to 1.67×");
    });
  });

  it.each<[string, Evidence, string, string]>([
    [
      "21% faster, 17% busy",
      { comparison: comparisonOf(100, 79), utilization: { value: 0.17, source } },
      "mps",
      "idle device",
    ],
    [
      "21% faster, 18% busy",
      { comparison: comparisonOf(100, 79), utilization: { value: 0.18, source } },
      "mps",
      "faster than the CPU",
    ],
    ["22% faster", { comparison: comparisonOf(100, 78) }, "mps", "faster than the CPU"],
    [
      "slower and busy",
      { comparison: comparisonOf(100, 120), utilization: { value: 0.9, source } },
      "cpu",
      "no faster than the CPU",
    ],
    [
      "as fast as the CPU",
      { comparison: comparisonOf(100, 100), utilization: { value: 0.9, source } },
      "cpu",
      "no faster than the CPU",
    ],
    ["27% growth", { epochs: epochsTo(1_270) }, "remote", "growing memory"],
    ["26% growth", { epochs: epochsTo(1_260) }, "mps", "faster than the CPU"],
    ["a queue", { workload: "queue" }, "remote", "queues and services"],
    [
      "inference that MLX does faster",
      { workload: "llm inference", mlxStepMs: { value: 25, source: "M2" } },
      "mlx",
      "MLX-friendly inference",
    ],
    [
      "inference that MLX does slower",
      { workload: "llm inference", mlxStepMs: { value: 60, source: "M2" } },
      "mps",
      "faster than the CPU",
    ],
    [
      "drift where losses must match",
      { bitwiseParity: true, parity: { device: "mps", comparedWith: "cuda", within: false } },
      "remote",
      "numeric parity",
    ],
    [
      "drift where they need not",
      { parity: { device: "mps", comparedWith: "cuda", within: false } },
      "mps",
      "faster than the CPU",
    ],
    [
      "fallbacks and little gain",
      {
        comparison: comparisonOf(100, 95),
        utilization: { value: 0.5, source },
        epochs: epochsTo(100).map((record) => ({ ...record, fallbacks: 3 })),
      },
      "remote",
      "hotspots on fallback",
    ],
  ])("%s", (_, change, lane, rule) => {
    expect(lab.decide({ ...SOUND, ...change })).toMatchObject({ lane, rule });
  });

  it.each<[string, Evidence, RegExp]>([
    ["nothing but a comparison", { comparison: comparisonOf(100, 50), epochs: [] }, /bitwiseParity/],
    [
      "no word on the workload",
      { ...SOUND, workload: undefined } as unknown as Evidence,
      /workload: "training"/,
    ],
    [
      "three epochs",
      { ...SOUND, epochs: epochRecords(3) },
      /^the growth of memory over 10 flushed epochs \(run an epoch loop of 4 epochs or more\)$/,
    ],
    [
      "fourteen epochs without complete flushes",
      { ...SOUND, epochs: epochRecords(14, (epoch) => ({ complete: epoch < 2 })) },
      /\(run the epoch loop with its flushes: 1 of 13 after the first epoch were complete, and a verdict takes 3\)$/,
    ],
    [
      "little gain, utilization not measured",
      { ...SOUND, comparison: comparisonOf(100, 90) },
      /how busy the device is \(give utilization/,
    ],
    [
      "a simulated device",
      { ...SOUND, comparison: comparisonOf(100, 50, "mps (simulated)") },
      /no time on it is a GPU's/,
    ],
    [
      "a comparison without the CPU",
      { ...SOUND, comparison: { ...comparisonOf(1, 1), results: [] } },
      /no function on both/,
    ],
    ["an MLX record missing", { ...SOUND, workload: "llm inference" }, /mlxStepMs/],
  ])("stays undecided with %s, and says what is missing", (_, evidence, missing) => {
    const decision = lab.decide(evidence);
    expect(decision.lane).toBeNull();
    expect(decision.missing).toContainEqual(expect.stringMatching(missing));
    expect(inspect(decision)).toContain("Undecided");
  });

  const bucketsOn = (device: string, ...ratios: readonly (number | null)[]) => ({
    device,
    source: "M2, MLX 0.20",
    buckets: ratios.map((ratio) => ({ ratio })),
  });

  it("takes lab.buckets beside a record of MLX, by the median of the ratios", () => {
    const inference = { ...SOUND, workload: "llm inference" } as const;
    const decision = lab.decide({ ...inference, buckets: bucketsOn("mps", 0.5, 1.25, null, 3) });
    expect(decision).toMatchObject({ lane: "mlx", rule: "MLX-friendly inference" });
    expect(decision.cites).toContainEqual({
      fact: "mlxSpeedup",
      value: 1.25,
      from: "M2, MLX 0.20: median ratio 1.25× of 3 of 4 buckets timed on mps (lab.buckets)",
    });
    expect(lab.decide({ ...inference, buckets: bucketsOn("mps", 0.5, 0.9, 3) }).lane).toBe("mps");
    for (const [buckets, missing] of [
      [bucketsOn("mps (simulated)", 2), /mps \(simulated\) is this machine's processor/],
      [bucketsOn("cpu", 2), /cpu is this machine's processor/],
      [bucketsOn("mps", null, null), /none of 2 was timed on mps/],
    ] as const)
      expect(lab.decide({ ...inference, buckets })).toMatchObject({
        lane: null,
        missing: [expect.stringMatching(missing)],
      });
  });

  it("lays a rise over more than ten epochs on ten of them", () => {
    const { cites } = lab.decide({
      ...SOUND,
      // The flushes between were incomplete.
      epochs: epochRecords(14, (epoch) => ({
        complete: [1, 5, 9, 13].includes(epoch),
        after: { footprintBytes: (975 + 25 * epoch) * MIB },
      })),
    });
    const growth = cites.find(({ fact }) => fact === "growthOverTenEpochs")!;
    expect(growth.value).toBeCloseTo(0.25, 10);
    expect(growth.from).toContain(
      "climbing, the process without V8's heap 1000 MiB to 1.27 GiB in 12 epochs, +25% in ten",
    );
  });

  it("takes a comparison as it comes", () => {
    expect(lab.decide(comparisonOf(100, 50)).lane).toBeNull();
  });

  it("thresholds and rules are data that a user replaces", () => {
    const slight = { ...SOUND, comparison: comparisonOf(100, 90) };
    expect(lab.decide(slight, { thresholds: { improvement: 0.05 } }).rule).toBe("faster than the CPU");
    const rules = [
      { name: "house", when: [{ fact: "improvement", above: 0.05 }], lane: "cpu", action: "Ask Ann." },
    ] as const;
    expect(lab.decide(slight, { rules })).toMatchObject({ lane: "cpu", rule: "house", action: "Ask Ann." });
    expect(lab.decide({ ...SOUND, comparison: comparisonOf(100, 99) }, { rules })).toMatchObject({
      lane: null,
      action: "No rule holds for these numbers: add one that says what to do.",
    });
  });

  it("the runbook's thresholds stand in one place", () => {
    expect(lab.THRESHOLDS).toEqual({ improvement: 0.22, utilization: 0.18, growth: 0.26, mlxSpeedup: 1 });
  });
});

describe("the stopping rule", () => {
  const hot = ["aten::scatter", "aten::gather", "aten::index_put_"];
  const profileOf = (names: readonly string[]) => ({
    clock: "device",
    totalMs: 10,
    operators: names.map((name, at) => ({ name, calls: 1, ms: 5 - at })),
  });
  const profiled = (at: string, names: readonly string[] = hot, given: lab.logbook.RunGiven = {}) => ({
    ...runEntry({ results: { profile: profileOf(names) }, ...given }),
    at,
    id: at,
  });
  const first = profiled("2026-11-01T00:00:00.000Z");

  it("stops where two profiles within two weeks have the same three operators on top", () => {
    const second = profiled("2026-11-09T00:00:00.000Z", [...hot.toReversed(), "aten::add"]);
    const verdict = lab.stoppingRule([second, first]);
    expect(verdict).toEqual({
      stop: true,
      because: `logbook runs ${first.id} and ${second.id}, 8 days apart, both spend most time in aten::gather, aten::index_put_, aten::scatter`,
      runs: [first.id, second.id],
      operators: ["aten::gather", "aten::index_put_", "aten::scatter"],
    });
    expect(lab.decide({ ...SOUND, logbook: [first, second] })).toMatchObject({
      lane: "remote",
      rule: "stopping rule",
    });
  });

  it("reads profiles as torch.profiler gives them and lab.logbook.record keeps them", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "logbook-"));
    const file = lab.logbook.use(path.join(folder, "a.jsonl"));
    const [x, w] = [torch.randn([64, 64]), torch.randn([64, 64])];
    const profile = torch.profiler.profile({}, () => x.matmul(w).softmax(-1).sort().values.sum().item());
    expect(lab.decide(SOUND).rule).toBe("faster than the CPU");
    const run = lab.logbook.record({ results: { hot: profile } });
    const before = new Date(Date.parse(run.at) - 9 * 24 * 3_600_000).toISOString();
    append(file, { ...run, at: before, id: "before" });
    const { rule, cites } = lab.decide(SOUND);
    expect(rule).toBe("stopping rule");
    expect(cites.at(-1)!.from).toContain(`logbook runs before and ${run.id}, 9 days apart`);
    lab.logbook.use(null);
    rmSync(folder, { recursive: true });
  });

  it.each([
    ["of one day", profiled("2026-11-01T20:00:00.000Z")],
    ["six days apart", profiled("2026-11-07T23:00:00.000Z")],
    ["three weeks apart", profiled("2026-11-22T00:00:00.000Z")],
    ["of other operators", profiled("2026-11-09T00:00:00.000Z", ["aten::mm", "aten::gather", "aten::add"])],
    ["of two operators", profiled("2026-11-09T00:00:00.000Z", hot.slice(1))],
    [
      "that are none",
      { ...first, at: "2026-11-09T00:00:00.000Z", results: { profile: { operators: [null] } } },
    ],
    [
      "of another device",
      { ...first, at: "2026-11-09T00:00:00.000Z", fields: { ...first.fields, device: "cuda" } },
    ],
  ])("goes on with profiles %s", (_, second) => {
    expect(lab.stoppingRule([first, second]).stop).toBe(false);
  });

  it("goes on where the data was loaded by other workers", () => {
    const runs = ([0, 4] as const).map((workers, at) =>
      profiled(`2026-11-0${1 + 3 * at}T00:00:00.000Z`, hot, { workers }),
    );
    expect(lab.stoppingRule(runs).stop).toBe(false);
  });

  it("goes on where a profile in between had other operators on top", () => {
    const between = profiled("2026-11-05T00:00:00.000Z", ["aten::mm", "aten::add", "aten::mul"]);
    expect(lab.stoppingRule([first, between, profiled("2026-11-09T00:00:00.000Z")]).stop).toBe(false);
  });
});

describe("misuse says what is wrong and the way out", () => {
  const decide = lab.decide as (evidence: unknown, options?: unknown) => unknown;
  it.each([
    [null, undefined, /takes evidence as \{ comparison, sweep \}/],
    [Promise.resolve(), undefined, /with await/],
    [{ comparisons: {} }, undefined, /unknown option "comparisons"/],
    [
      { comparison: Promise.resolve() },
      undefined,
      /comparison must be the result of its measurement \(await it\)/,
    ],
    [{ epochs: 12 }, undefined, /epochs must be a list, got/],
    [{ utilization: 0.4 }, undefined, /utilization must be \{ value, source \}/],
    [{ utilization: { value: 40, source: "x" } }, undefined, /a share from 0 to 1, got 40/],
    [{ mlxStepMs: { value: 0, source: "x" } }, undefined, /milliseconds above 0/],
    [{ buckets: { device: "mps", source: "x", buckets: 3 } }, undefined, /buckets\.buckets must be a list/],
    [{ buckets: Promise.resolve() }, undefined, /buckets must be the result of its measurement \(await it\)/],
    [
      { buckets: { device: "mps", source: "x", buckets: [{ ratio: "2" }] } },
      undefined,
      /buckets\[0\]\.ratio must be a number of at least 0, got "2"/,
    ],
    [
      { buckets: { device: "mps", source: "x", buckets: [] }, mlxStepMs: { value: 1, source: "x" } },
      undefined,
      /buckets and mlxStepMs both say .*: give one, and rather buckets/,
    ],
    [{ workload: "serving" }, undefined, /workload is "training", "llm inference" or "queue"/],
    [{ bitwiseParity: "yes" }, undefined, /bitwiseParity must be true or false/],
    [{}, { thresholds: { speed: 1 } }, /unknown option "speed"/],
    [{}, { thresholds: { growth: "26%" } }, /threshold growth must be a number/],
    [{}, { rules: [] }, /rules must be a list/],
    [{}, { rules: [{ name: "r", when: [], lane: "tpu" }] }, /the lane .* one of cpu, mps, mlx, remote/],
    [
      {},
      { rules: [{ name: "r", when: [{ fact: "mood", is: true }], lane: "cpu" }] },
      /facts are improvement/,
    ],
    [
      {},
      { rules: [{ name: "r", when: [{ fact: "improvement", above: "x" }], lane: "cpu" }] },
      /thresholds are improvement/,
    ],
  ])("lab.decide(%o, %o)", (evidence, options, message) => {
    expect(() => decide(evidence, options)).toThrow(message);
  });
});
