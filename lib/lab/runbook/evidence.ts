// Declares the evidence for gates, decisions and diagnoses: results of the lab, and what only a person or another
// machine can supply. Everything is optional; what is missing is asked for.
import type { Comparison } from "../measures/benchmark/compare.ts";
import type { EpochRecord } from "../../records/epochs.ts";
import type { LogbookEntry } from "../../records/logbook/entry.ts";
import type { SweepResult } from "../../records/batch_sweeps/result.ts";
import { isWide, relativeSpread, type Spread } from "../../statistics/spread.ts";

/** A number that was measured outside this session, and its source. */
export interface ImportedNumber {
  readonly value: number;
  /** `powermetrics, 60 s`, `M2 Ultra, MLX 0.20, 2026-11-20`. */
  readonly source: string;
}

/** The part of `lab.parity`'s result that is needed here. */
export interface ParityEvidence {
  readonly device: string;
  readonly comparedWith: string | null;
  readonly within: boolean;
  readonly groups?: readonly {
    readonly group: string;
    readonly within: boolean;
    readonly worst?: { readonly name: string };
  }[];
  readonly metrics?: readonly { readonly name: string; readonly within: boolean }[];
}

/** The part of `lab.buckets`'s result that is needed here. */
export interface BucketsEvidence {
  readonly device: string;
  readonly source: string;
  readonly buckets: readonly { readonly ratio: number | null }[];
}

/** The part of `lab.syncs`'s result that is needed here. */
export interface SyncsEvidence {
  readonly device: string;
  readonly hostMsPerCall: number;
  readonly waitedMsPerCall: number;
  readonly sites: readonly {
    readonly line: string | null;
    readonly operation: string;
    readonly waitedMsPerCall: number;
  }[];
}

/** The part of `lab.trace`'s result that is needed here. */
export interface TraceEvidence {
  readonly device: string;
  readonly switches: readonly {
    readonly operator: string;
    readonly from: string;
    readonly to: string;
    readonly line: string | null;
    readonly cause?: "copy" | "fallback";
  }[];
}

export type Workload = "training" | "llm inference" | "queue";

export interface Evidence {
  /** Epoch records; only the last loop counts. Default: the ledger's. */
  readonly epochs?: readonly EpochRecord[];
  /** The variables that hold growing memory in that loop, as the ledger found them. */
  readonly holders?: readonly string[];
  /** `lab.compare` of the step on the CPU and on the device. */
  readonly comparison?: Comparison;
  /** `lab.sweep` of batch sizes. */
  readonly sweep?: SweepResult;
  /** `lab.parity` of the model on the CPU and on the device. */
  readonly parity?: ParityEvidence;
  /** `lab.syncs` of the step: where the host waits for the device. */
  readonly syncs?: SyncsEvidence;
  /** `lab.trace` of the step: where work changes the device. */
  readonly trace?: TraceEvidence;
  /** Operators of a profile, each with its own time. */
  readonly operators?: readonly { readonly name: string; readonly ms: number }[];
  /** Other processes that use the device. */
  readonly processes?: readonly { readonly pid: number; readonly name: string }[];
  /** Entries of the logbook, for the stopping rule. */
  readonly logbook?: readonly LogbookEntry[];
  /** Device-busy time divided by wall time, 0 to 1: `lab.utilization(step)`, or a number from NVML or powermetrics. */
  readonly utilization?: ImportedNumber & { readonly device?: string };
  /** Milliseconds of the same step under MLX, from a record. */
  readonly mlxStepMs?: ImportedNumber;
  /** `lab.buckets` with a record of MLX, in place of `mlxStepMs`: it compares the same shapes on both sides. */
  readonly buckets?: BucketsEvidence;
  /** What the device is used for, which the advice depends on. */
  readonly workload?: Workload;
  /** Whether losses must match those of another platform bit by bit. */
  readonly bitwiseParity?: boolean;
}

/** The allowed names of evidence. They are checked because a misspelt name would look like missing evidence. */
export const EVIDENCE_NAMES = [
  "epochs",
  "comparison",
  "sweep",
  "parity",
  "syncs",
  "trace",
  "operators",
  "processes",
  "logbook",
  "utilization",
  "mlxStepMs",
  "buckets",
  "workload",
  "bitwiseParity",
] as const satisfies readonly (keyof Evidence)[];

/** The epochs of the last loop: only epochs of one loop may be compared with each other. */
export function lastLoop(epochs: readonly EpochRecord[]): readonly EpochRecord[] {
  const last = epochs.at(-1);
  return last === undefined ? [] : epochs.filter((record) => record.loop === last.loop);
}

/** `ledger, loop 2, epochs 0 to 11 on mps`, and a remark if the last epoch was cut: how a finding cites a loop. */
export function citeLoop(epochs: readonly EpochRecord[]): string {
  const last = epochs.at(-1);
  if (last === undefined) return "ledger, no epochs";
  return `ledger, loop ${last.loop}, epochs ${epochs[0]!.epoch} to ${last.epoch}${last.cut ? " (the last one cut)" : ""} on ${last.device}`;
}

/** The times of one function on the CPU and on another device, if the comparison has both. */
export function cpuAndDevice(comparison: Comparison): {
  readonly name: string;
  readonly device: string;
  readonly cpuMs: number;
  readonly deviceMs: number;
  /** The times from the lower to the upper quartile; null where spreads are narrow. */
  readonly doubt: { readonly cpuMs: Range; readonly deviceMs: Range } | null;
} | null {
  const cpu = comparison.results.find(({ device }) => device === "cpu");
  const other = comparison.results.find(({ device, name }) => device !== "cpu" && name === cpu?.name);
  if (cpu === undefined || other === undefined) return null;
  return {
    name: cpu.name,
    device: other.device,
    cpuMs: cpu.finishedMs.median,
    deviceMs: other.finishedMs.median,
    doubt: [cpu, other].some(({ finishedMs }) => isWide(relativeSpread(finishedMs)))
      ? { cpuMs: quartiles(cpu.finishedMs), deviceMs: quartiles(other.finishedMs) }
      : null,
  };
}

/** From the least to the greatest. */
export type Range = readonly [low: number, high: number];

const quartiles = ({ lowerQuartile, upperQuartile }: Spread): Range => [lowerQuartile, upperQuartile];
