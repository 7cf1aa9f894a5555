// Finds what the gates judge: asks the session and the machine, runs a dummy product, and looks for results in this
// session's part of the logbook. Judges nothing.
import { native } from "../../torch/native.ts";
import { device as currentDevice } from "../../torch/device.ts";
import { torch } from "../../torch/torch.ts";
import { computer } from "../computer.ts";
import { currentAccelerator } from "../current_accelerator.ts";
import { decide } from "../decide/decide.ts";
import type { Evidence } from "../evidence.ts";
import type { Gates, MatmulProbe } from "./gate.ts";
import { judge } from "./judge.ts";
import { ledger } from "../ledger.ts";
import type { RunEntry } from "../logbook/entry.ts";
import { file } from "../logbook/logbook.ts";
import { read } from "../logbook/file.ts";
import { torchBuildOf } from "../logbook/origin.ts";
import { sampleMemory } from "../memory.ts";
import { readEvidence } from "../read_evidence.ts";

/** The product of two of this size sums 64 terms in float32, each rounded by 2^-24 at most. */
const PROBE_SIZE = 64;
const PROBE_TOLERANCE = 1e-5;

const FROM_LOGBOOK = ["sweep", "comparison", "parity", "syncs", "trace"] as const;

/**
 * Judges the runbook's five steps and this machine's conditions. Results that were recorded in this session
 * (`lab.logbook.record({ results: { sweep } })`) are found; others are given.
 *
 *     lab.gates({ comparison, workload: "training", bitwiseParity: false });
 *
 * @throws TypeError, RangeError for evidence that does not fit
 */
export function gates(given: Evidence = {}): Gates {
  const { evidence, origins } = withRecorded(readEvidence("lab.gates", given), read(file()).entries);
  const accelerator = currentAccelerator();
  const { built, available } = native.devices();
  return judge({
    computer: computer(),
    torchVersion: native.version,
    torchBuild: torchBuildOf(native.version),
    device: accelerator.label,
    mpsBuilt: built.includes("mps"),
    mpsAvailable: available.some((name) => name.startsWith("mps")) && native.simulatedMetal() === null,
    matmul: probe(),
    memory: sampleMemory(accelerator),
    evidence,
    origins,
    decision: decide(evidence),
  });
}

/** Adds the latest results of this session's runs to what was given. */
export function withRecorded(
  given: Evidence,
  entries: NonNullable<Evidence["logbook"]>,
  sinceMs: number = Date.now() - process.uptime() * 1000,
): { readonly evidence: Evidence; readonly origins: Readonly<Partial<Record<keyof Evidence, string>>> } {
  const runs = entries.filter(
    (entry): entry is RunEntry => entry.type === "run" && Date.parse(entry.at) >= sinceMs,
  );
  const found: Record<string, unknown> = {};
  const origins: Partial<Record<keyof Evidence, string>> = {};
  for (const name of FROM_LOGBOOK) {
    const run = runs.findLast(({ results }) => isResult(name, results[name]));
    if (run === undefined || given[name] !== undefined) continue;
    found[name] = run.results[name];
    origins[name] = `logbook run ${run.id}`;
  }
  return { evidence: { epochs: ledger.epochs, logbook: entries, ...(found as Evidence), ...given }, origins };
}

/** What each measurement's result cannot be without: under such a name a user may keep anything. */
const MARKS: Record<(typeof FROM_LOGBOOK)[number], string> = {
  sweep: "choices",
  comparison: "speedups",
  parity: "within",
  syncs: "sites",
  trace: "switches",
};

function isResult(name: (typeof FROM_LOGBOOK)[number], result: unknown): boolean {
  return typeof result === "object" && result !== null && MARKS[name] in result;
}

/** Numbers without a generator, whose state is the user's. */
function probe(): MatmulProbe {
  const name = currentDevice();
  return torch.tidy(() =>
    torch.noGrad(() => {
      const a = torch
        .arange(PROBE_SIZE ** 2, { dtype: "float32", device: "cpu" })
        .remainder(17)
        .sub(8)
        .reshape([PROBE_SIZE, PROBE_SIZE])
        .div(8);
      const expected = a.matmul(a.t());
      const there = a.to(name);
      const beganMs = performance.now();
      const product = there.matmul(there.t());
      native.synchronize(name);
      const wallMs = performance.now() - beganMs;
      const difference = product.to("cpu").sub(expected).abs().max().item() as number;
      const error = difference / (expected.abs().max().item() as number);
      return { device: name, resultDevice: product.device, error, tolerance: PROBE_TOLERANCE, wallMs };
    }),
  );
}
