// The results of measurements are evidence as they come: made here, recorded, and read by gates, decisions and diagnoses.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { lab, nn, torch } from "../../../../lib/index.ts";
import { epochRecords } from "../epoch_records.ts";

const folder = mkdtempSync(path.join(tmpdir(), "evidence-"));
beforeAll(() => void lab.logbook.use(path.join(folder, "log.jsonl")));
afterAll(() => {
  lab.logbook.use(null);
  rmSync(folder, { recursive: true });
});

const w = torch.randn([16, 16]);
const step = () => w.matmul(w).sum().item();

it("of lab.syncs, lab.trace and lab.parity say what they take", () => {
  const syncs = lab.syncs(step, { calls: 1 });
  const trace = lab.trace(step);
  const parity = lab.parity({
    devices: ["cpu", "cpu"],
    steps: 1,
    build: () => {
      const model = new nn.Linear(4, 2);
      return { model, step: () => model.forward(torch.ones([1, 4])).sum() };
    },
  });
  const { found, absent } = lab.diagnose({ syncs, trace, parity });
  expect(absent).toEqual(expect.arrayContaining(["one slow layer", "loss drift"]));
  expect(found.map(({ symptom }) => symptom)).not.toContain("loss drift");
});

it("of lab.compare and lab.sweep pass through the logbook into the gates", async () => {
  const comparison = lab.compare(() => () => step(), {
    devices: ["cpu"],
    warmup: 1,
    repeats: 1,
    repeatMs: 0,
  });
  const sweep = await lab.sweep({
    batch: { from: 1, to: 4 },
    windows: 3,
    windowMs: 1,
    setup: ({ batch }) => {
      const x = torch.randn([batch, 16], { device: "cpu" });
      return () => x.matmul(w).sum();
    },
    device: "cpu",
  });
  const run = lab.logbook.record({ workers: 0, results: { comparison, sweep } });
  const gate = lab.gates().gates.find(({ name }) => name === "batch sweep")!;
  expect(gate.evidence[0]).toContain(`logbook run ${run.id}: ${sweep.name} on cpu, 3 of 3 points measured`);
  // With one device there is nothing to decide.
  expect(lab.decide({ comparison, epochs: [] }).lane).toBeNull();
  expect(lab.diagnose().open.map(({ symptom }) => symptom)).toContain("speedup near 1");
});

it("of an epoch that was cut is none of a steady epoch", () => {
  const openOf = (cut: boolean) =>
    lab.diagnose({ epochs: epochRecords(7, (epoch) => ({ cut: cut && epoch === 6 })) }).open;
  expect(openOf(false).map(({ symptom }) => symptom)).not.toContain("fast start then cliff");
  expect(openOf(true).map(({ symptom }) => symptom)).toContain("fast start then cliff");
});
