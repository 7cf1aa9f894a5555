// `lab.gates`: each gate's four answers from facts of machines that are not here, and once on this one.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab, torch } from "../../../../../lib/index.ts";
import type { Computer } from "../../../../../lib/lab/core/system_info.ts";
import type { GateFacts } from "../../../../../lib/lab/runbook/gates/gate.ts";
import { withRecorded } from "../../../../../lib/lab/runbook/session_evidence.ts";
import { judge } from "../../../../../lib/lab/runbook/gates/judge.ts";
import { runEntry } from "../../../../../lib/lab/logbook/run.ts";
import { epochRecords } from "../../epoch_records.ts";
import { comparisonOf, sweepOf } from "../../results.ts";

const MAC: Computer = {
  platform: "darwin",
  architecture: "arm64",
  rosetta: false,
  osRelease: "25.0.0",
  processor: "Apple M4",
  cores: 10,
  memoryBytes: 16 * 2 ** 30,
  powerAdapter: true,
  lowPowerMode: false,
  thermalState: "nominal",
  loadPerCore: 0.2,
};
const LINUX = {
  ...MAC,
  platform: "linux",
  architecture: "x64",
  powerAdapter: null,
  lowPowerMode: null,
  thermalState: null,
};

const run = { ...runEntry({ workers: 0 }), id: "run-1" };
const evidence = {
  sweep: sweepOf("mps", [
    { batch: 16, samplesPerSecond: 100 },
    { batch: 32, samplesPerSecond: 180 },
    { batch: 64, samplesPerSecond: 200 },
  ]),
  comparison: comparisonOf(100, 50),
  epochs: epochRecords(12),
  logbook: [run],
  workload: "training",
  bitwiseParity: false,
} as const;

/** A Mac on which everything is as it should be. */
const SOUND: GateFacts = {
  computer: MAC,
  torchVersion: "2.15.0",
  torchBuild: "stable",
  device: "mps",
  mpsBuilt: true,
  mpsAvailable: true,
  matmul: { device: "mps", resultDevice: "mps:0", error: 1e-7, tolerance: 1e-5, wallMs: 1 },
  memory: epochRecords(1)[0]!.after,
  evidence,
  origins: { sweep: "logbook run run-1" },
  decision: lab.decide(evidence),
};
const gateOf = (name: string, change: Partial<GateFacts>) =>
  judge({ ...SOUND, ...change }).gates.find((gate) => gate.name === name)!;

describe("a Mac on which all is well", () => {
  const found = judge(SOUND);

  it("passes every gate, and its throughput may be quoted", () => {
    expect(found.gates.map(({ step, name, status }) => [step, name, status])).toEqual([
      [1, "architecture", "pass"],
      [2, "device", "pass"],
      [3, "batch sweep", "pass"],
      [4, "allocator discipline", "pass"],
      [5, "split decision", "pass"],
      [null, "memory limits", "pass"],
      [null, "power", "pass"],
      [null, "thermals", "pass"],
      [null, "background load", "pass"],
    ]);
    expect(found).toMatchObject({ quotable: true, notQuotableFor: [] });
  });

  it("each with evidence of this run", () => {
    expect(found.gates.every((gate) => gate.evidence.length > 0)).toBe(true);
    expect(found.gates[2]!.evidence).toEqual([
      "logbook run run-1: sweep on mps, 3 of 3 points measured, best batch 64",
      "the next batch would pass the watermark",
      "workers: 0",
    ]);
    expect(found.gates[3]!.evidence[0]).toBe("ledger, loop 0, epochs 0 to 11 on cpu: 12 of 12 flushed");
  });
});

describe("each gate answers by its facts", () => {
  const { sweep: _, ...withoutSweep } = evidence;
  it.each<[string, string, Partial<GateFacts>, string, RegExp]>([
    [
      "architecture",
      "Rosetta",
      { computer: { ...MAC, architecture: "x64", rosetta: true } },
      "fail",
      /Install Node for arm64/,
    ],
    [
      "architecture",
      "an Intel Mac",
      { computer: { ...MAC, architecture: "x64" } },
      "fail",
      /Go to Apple silicon/,
    ],
    ["architecture", "a nightly build", { torchBuild: "nightly" }, "fail", /Pin a stable/],
    ["architecture", "sysctl silent", { computer: { ...MAC, rosetta: null } }, "not run", /proc_translated/],
    ["architecture", "Linux", { computer: LINUX }, "not applicable", /repeat on a Mac/],
    [
      "device",
      "a wrong product",
      { matmul: { ...SOUND.matmul, error: 0.1 } },
      "fail",
      /a plain product is wrong/,
    ],
    [
      "device",
      "a product of NaN",
      { matmul: { ...SOUND.matmul, error: Number.NaN } },
      "fail",
      /a plain product is wrong/,
    ],
    [
      "device",
      "a product elsewhere",
      { matmul: { ...SOUND.matmul, resultDevice: "cpu" } },
      "fail",
      /did not run on mps/,
    ],
    ["device", "simulated Metal", { device: "mps (simulated)" }, "not applicable", /simulated/],
    [
      "device",
      "a Mac on its CPU",
      { device: "cpu", matmul: { ...SOUND.matmul, device: "cpu", resultDevice: "cpu" } },
      "fail",
      /%device mps/,
    ],
    [
      "device",
      "Linux on its CPU",
      { computer: LINUX, device: "cpu", matmul: { ...SOUND.matmul, device: "cpu", resultDevice: "cpu" } },
      "not applicable",
      /no accelerator/,
    ],
    ["batch sweep", "none", { evidence: withoutSweep }, "not run", /Run lab\.sweep/],
    ["batch sweep", "one of another device", { device: "cuda" }, "fail", /Sweep on cuda: this one is of mps/],
    [
      "batch sweep",
      "two points",
      {
        evidence: {
          ...evidence,
          sweep: sweepOf("mps", [
            { batch: 1, samplesPerSecond: 1 },
            { batch: 2, samplesPerSecond: 2 },
          ]),
        },
      },
      "fail",
      /3 batches at least/,
    ],
    [
      "batch sweep",
      "a spread of a third",
      {
        evidence: {
          ...evidence,
          sweep: {
            ...evidence.sweep,
            choices: evidence.sweep.choices.map((choice) => ({ ...choice, uncertain: true })),
          },
        },
      },
      "fail",
      /Sweep again on a quiet machine/,
    ],
    [
      "batch sweep",
      "workers not written down",
      { evidence: { ...evidence, logbook: [] } },
      "fail",
      /workers: 0/,
    ],
    [
      "allocator discipline",
      "no epochs",
      { evidence: { ...evidence, epochs: [] } },
      "not run",
      /4 epochs or more/,
    ],
    [
      "allocator discipline",
      "three epochs",
      { evidence: { ...evidence, epochs: epochRecords(3) } },
      "not run",
      /4 epochs or more/,
    ],
    [
      "allocator discipline",
      "flush off",
      { evidence: { ...evidence, epochs: epochRecords(12, () => ({ collection: "none" })) } },
      "fail",
      /%flush on/,
    ],
    [
      "allocator discipline",
      "flush off for one epoch",
      {
        evidence: {
          ...evidence,
          epochs: epochRecords(12, (epoch) => (epoch === 7 ? { collection: "none" } : {})),
        },
      },
      "fail",
      /%flush on/,
    ],
    [
      "allocator discipline",
      "growth",
      {
        evidence: {
          ...evidence,
          epochs: epochRecords(12, (epoch) => ({ after: { allocatedBytes: (100 + 10 * epoch) * 2 ** 20 } })),
        },
      },
      "fail",
      /lab\.diagnose/,
    ],
    [
      "split decision",
      "undecided",
      { decision: lab.decide({ ...evidence, comparison: comparisonOf(100, 90) }) },
      "not run",
      /utilization/,
    ],
    [
      "memory limits",
      "over the limit",
      { memory: { ...SOUND.memory, driverBytes: 2 ** 30 + 1, recommendedBytes: 2 ** 30 } },
      "fail",
      /Lower the batch/,
    ],
    [
      "memory limits",
      "pressure",
      { memory: { ...SOUND.memory, pressure: "warning" } },
      "fail",
      /Close programs/,
    ],
    [
      "memory limits",
      "more pressure",
      { memory: { ...SOUND.memory, pressure: "critical" } },
      "fail",
      /Close programs/,
    ],
    [
      "memory limits",
      "nothing told",
      { memory: { ...SOUND.memory, recommendedBytes: 0, pressure: null } },
      "not run",
      /neither a limit/,
    ],
    [
      "power",
      "a battery",
      { computer: { ...MAC, powerAdapter: false } },
      "fail",
      /Connect the power adapter/,
    ],
    ["power", "Low Power Mode", { computer: { ...MAC, lowPowerMode: true } }, "fail", /Low Power Mode off/],
    ["power", "nothing told", { computer: LINUX }, "not run", /powerAdapter: true/],
    ["thermals", "throttled", { computer: { ...MAC, thermalState: "speed limit 80%" } }, "fail", /cool down/],
    ["thermals", "nothing told", { computer: LINUX }, "not run", /thermalState/],
    [
      "background load",
      "a busy machine",
      { computer: { ...MAC, loadPerCore: 1.5 } },
      "fail",
      /Close other programs/,
    ],
  ])("%s: %s", (name, _case, change, status, action) => {
    const gate = gateOf(name, change);
    expect(gate.status).toBe(status);
    expect(gate.action).toMatch(action);
  });

  it("memory up to the recommended limit passes", () => {
    const memory = { ...SOUND.memory, driverBytes: 2 ** 30, recommendedBytes: 2 ** 30 };
    expect(gateOf("memory limits", { memory })).toMatchObject({ status: "pass", action: null });
  });

  it("a simulated device is never told as built or available", () => {
    expect(gateOf("device", { device: "mps (simulated)" }).evidence[0]).toBe(
      "mps: simulated by this machine's processor; the session works on mps (simulated)",
    );
    expect(gateOf("device", {}).evidence[0]).toBe("mps: built, available; the session works on mps");
  });

  it("a Mac's system stands beside what mps needs, and an older one is told to be updated", () => {
    expect(gateOf("device", {}).evidence.at(-1)).toBe("macOS 26: mps needs 15 or newer");
    const without = {
      device: "cpu",
      mpsAvailable: false,
      matmul: { ...SOUND.matmul, device: "cpu", resultDevice: "cpu" },
    };
    expect(gateOf("device", { ...without, computer: { ...MAC, osRelease: "23.6.0" } })).toMatchObject({
      status: "fail",
      action: "Update macOS 14: mps needs 15 or newer.",
    });
    expect(gateOf("device", without).action).toBe(
      "macOS shows no GPU, as in a virtual machine: run on the Mac itself.",
    );
  });

  it("what sensors do not tell, the logbook's last run may", () => {
    const told = {
      ...run,
      fields: { ...run.fields, powerAdapter: true, lowPowerMode: false, thermalState: "nominal" },
    };
    const facts = { computer: LINUX, evidence: { ...evidence, logbook: [told] } };
    expect(gateOf("thermals", facts)).toMatchObject({
      status: "pass",
      evidence: ["logbook run run-1: thermal state nominal"],
    });
    expect(gateOf("power", facts).status).toBe("pass");
  });

  it("throughput is not quotable without its four proofs", () => {
    const found = judge({ ...SOUND, computer: LINUX, evidence: { ...withoutSweep, epochs: [] } });
    expect(found.notQuotableFor).toEqual(["proof of arm64", "a batch sweep", "a memory curve"]);
    expect(inspect(found)).toContain(
      "Throughput is not quotable: what is missing is proof of arm64, a batch sweep, a memory curve.",
    );
  });
});

describe("on this machine", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "gates-"));
  beforeAll(() => void lab.logbook.use(path.join(folder, "log.jsonl")));
  afterAll(() => {
    lab.logbook.use(null);
    rmSync(folder, { recursive: true });
  });

  it("the dummy product is right, and leaves the random numbers alone", () => {
    torch.manualSeed(1);
    const expected = torch.rand([2]).tolist();
    torch.manualSeed(1);
    const found = lab.gates();
    expect(torch.rand([2]).tolist()).toEqual(expected);
    expect(found.gates[1]!.evidence[1]).toMatch(/^matmul: ran on cpu in .*, error against the CPU 0 /);
    expect(found.gates[2]).toMatchObject({ status: "not run", evidence: [] });
  });

  it("finds results that were recorded in this session, and cites the run", () => {
    const { id } = lab.logbook.record({
      workers: 0,
      results: { sweep: { ...evidence.sweep, device: torch.device() } },
    });
    expect(lab.gates().gates[2]).toMatchObject({ status: "pass" });
    expect(lab.gates().gates[2]!.evidence[0]).toMatch(
      `logbook run ${id}: sweep on ${torch.device()}, 3 of 3`,
    );
  });

  it("but none of an earlier session, and nothing that only has the name", () => {
    const old = { ...runEntry({ results: { sweep: evidence.sweep } }), at: "2020-01-01T00:00:00.000Z" };
    const odd = runEntry({ results: { sweep: "done", parity: { close: true } } });
    expect(withRecorded({}, [old, odd]).origins).toEqual({});
  });
});
