// Results of measurements in the logbook: kept as what they are, or refused.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { lab, nn, torch } from "../../../../lib/index.ts";
import { sessionEvidence } from "../../../../lib/lab/runbook/session_evidence.ts";

const { logbook } = lab;
const folder = mkdtempSync(path.join(tmpdir(), "logbook-"));
let count = 0;

beforeEach(() => void logbook.use(path.join(folder, `${count++}.jsonl`)));
afterAll(() => {
  logbook.use(null);
  rmSync(folder, { recursive: true });
});

describe("lab.logbook.record({ results })", () => {
  it("of a profile keeps the hottest operators, under whatever name it was given", () => {
    const [x, w] = [torch.randn([64, 64]), torch.randn([64, 64])];
    const profile = torch.profiler.profile({}, () => {
      for (let i = 0; i < 3; i++) x.matmul(w).relu();
    });
    const { results } = logbook.record({ results: { profile, averages: profile.keyAverages() } });
    const total = profile.keyAverages().selfCpuTimeTotalMs;
    for (const kept of [results["profile"], results["averages"]]) {
      expect(kept).toMatchObject({ clock: "host", totalMs: expect.closeTo(total) });
      const { operators } = kept as { operators: { name: string; calls: number; ms: number }[] };
      expect(operators.map(({ name }) => name)).toContain("aten::mm");
      expect(operators.find(({ name }) => name === "aten::relu")).toMatchObject({ calls: 3 });
      expect(operators.map(({ ms }) => ms)).toEqual(operators.map(({ ms }) => ms).toSorted((a, b) => b - a));
    }
    expect(logbook.markdown()).toContain("Results in the JSON: profile, averages (profile).");
    const { evidence } = sessionEvidence("a test", {});
    expect(evidence.operators).toEqual((results["profile"] as { operators: unknown }).operators);
  });

  it("keeps a trace, a sweep and a parity as they are, and takes from them what fields ask for", async () => {
    const build = () => {
      const model = new nn.Sequential(new nn.Conv2d(1, 2, 3), new nn.BatchNorm2d(2));
      return { model, step: () => model.forward(torch.ones([2, 1, 4, 4])).sum() };
    };
    const parity = lab.parity({ devices: ["cpu", "cpu"], steps: 1, build });
    const trace = lab.trace(() => torch.ones([4]).sum().item());
    const sweep = await lab.sweep({
      batch: { from: 1, to: 2 },
      windows: 1,
      windowMs: 1,
      journal: null,
      setup: ({ batch }) => {
        const x = torch.randn([batch, 512]);
        return () => x.mul(2).sum();
      },
      device: "cpu",
    });
    const run = logbook.record({ results: { parity, trace, batches: sweep } });
    expect(run.results).toEqual(JSON.parse(JSON.stringify({ parity, trace, batches: sweep })));
    expect(run.fields).toMatchObject({
      peakBytes: Math.max(...sweep.points.map(({ memory }) => memory!.peakBytes)),
      convolutionWeightsDtype: "float32",
      normStatisticsDtype: "float32, int64",
      reductionsDtype: null,
    });
    expect(run.filledBy).toMatchObject({ peakBytes: "machine", normStatisticsDtype: "machine" });
    expect(logbook.markdown()).toContain("Results in the JSON: parity, trace, batches (sweep).");
    expect(sessionEvidence("a test", {}).evidence.sweep).toEqual(run.results["batches"]);
  });

  it.each<[string, unknown, string]>([
    ["a promise", { sweep: Promise.resolve(1) }, "results.sweep is a promise, which .*: await it"],
    ["a tensor", { loss: torch.ones([]) }, "results.loss is a tensor, which .*: give its numbers, with item"],
    ["a tensor deep inside", { a: [{ b: torch.ones([]) }] }, String.raw`results.a\[0\].b is a tensor`],
    ["a function", { step: () => 1 }, "results.step is the function step, which .*: give what it returns"],
    ["a map", { counts: new Map([["a", 1]]) }, "results.counts is a Map, which .*: give plain data"],
    ["an error", { failed: new Error("no") }, "results.failed is an error, which .*: give its message"],
    [
      "a result without a name",
      lab.trace(() => 1),
      "results must be named, as { sweep }, got the result of a trace",
    ],
    [
      "a profile without a name",
      torch.profiler.profile({}, () => torch.ones([1])),
      "results must be named, as { sweep }, got the result of a profile itself",
    ],
    ["a promise of results", Promise.resolve({}), "results must be named, .*; await it"],
  ])("refuses %s, of which the JSON would keep nothing", (_, results, message) => {
    expect(() => logbook.record({ results: results as never })).toThrow(new RegExp(message));
    expect(logbook.read().entries).toEqual([]);
  });
});
