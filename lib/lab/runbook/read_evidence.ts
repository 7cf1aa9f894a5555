// Reads and checks the evidence that a user passes: names, shapes and bounds.
import { checkOptions, describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import type { Comparison } from "../measures/benchmark/compare.ts";
import { type Evidence, EVIDENCE_NAMES } from "./evidence.ts";
import type { SweepResult } from "../../records/batch_sweeps/result.ts";

type Kind = "list" | "boolean" | "number" | "text" | "object";

/**
 * The fields that are read from each measurement's result. They are checked, because an absent field would otherwise
 * count as a finding.
 */
const RESULTS: Readonly<
  Record<"comparison" | "sweep" | "parity" | "syncs" | "trace" | "buckets", Record<string, Kind>>
> = {
  comparison: { results: "list" },
  sweep: { points: "list" },
  parity: { device: "text", within: "boolean" },
  syncs: { sites: "list" },
  trace: { switches: "list" },
  buckets: { device: "text", source: "text", buckets: "list" },
};
const ELEMENTS: Readonly<Record<"epochs" | "operators" | "processes" | "logbook", Record<string, Kind>>> = {
  epochs: { loop: "number", epoch: "number", wallMs: "number", before: "object" },
  operators: { name: "text", ms: "number" },
  processes: { pid: "number", name: "text" },
  logbook: { type: "text" },
};

const entriesOf = <Name extends string, Value>(record: Readonly<Record<Name, Value>>) =>
  Object.entries(record) as [Name, Value][];

function isOf(kind: Kind, value: unknown): boolean {
  if (kind === "list") return Array.isArray(value);
  if (kind === "text") return typeof value === "string" && value !== "";
  if (kind === "number") return Number.isFinite(value) && Number(value) >= 0;
  return kind === "object" ? isRecord(value) : typeof value === "boolean";
}

function requireFields(call: string, name: string, value: unknown, fields: Record<string, Kind>): void {
  const given = isRecord(value) ? value : {};
  for (const [field, kind] of Object.entries(fields)) {
    if (isOf(kind, given[field])) continue;
    const wanted =
      kind === "number" ? "a number of at least 0" : `a ${kind}`.replace("a object", "an object");
    throw new TypeError(`${call}: ${name}.${field} must be ${wanted}, got ${describe(given[field])}.`);
  }
}

/** A comparison or a sweep may be passed as evidence without a name. */
export function readEvidence(call: string, given: unknown): Evidence {
  if (typeof given !== "object" || given === null || given instanceof Promise)
    throw new TypeError(
      `${call} takes evidence as { comparison, sweep }, with await where a measurement returns a promise, not ${describe(given)}.`,
    );
  if ("speedups" in given) return { comparison: given as unknown as Comparison };
  if ("choices" in given && "points" in given) return { sweep: given as unknown as SweepResult };
  const evidence = checkOptions<Evidence>(call, given, EVIDENCE_NAMES) as Evidence;
  for (const [name, fields] of entriesOf(RESULTS)) {
    const value = evidence[name] as unknown;
    if (value !== undefined && (typeof value !== "object" || value === null || value instanceof Promise))
      throw new TypeError(
        `${call}: ${name} must be the result of its measurement (await it), got ${describe(value)}.`,
      );
    if (value !== undefined) requireFields(call, name, value, fields);
  }
  // Null in a bucket whose step failed.
  for (const [at, one] of (evidence.buckets?.buckets ?? []).entries())
    if (one?.ratio !== null) requireFields(call, `buckets.buckets[${at}]`, one, { ratio: "number" });
  if (evidence.buckets !== undefined && evidence.mlxStepMs !== undefined)
    throw new TypeError(
      `${call}: buckets and mlxStepMs both say how long a step takes under MLX: give one, and rather buckets, whose shapes are the same on both sides.`,
    );
  for (const [name, fields] of entriesOf(ELEMENTS)) {
    const list = evidence[name] as unknown;
    if (list === undefined) continue;
    if (!Array.isArray(list)) throw new TypeError(`${call}: ${name} must be a list, got ${describe(list)}.`);
    for (const [at, one] of list.entries()) requireFields(call, `${name}[${at}]`, one, fields);
  }
  for (const name of ["utilization", "mlxStepMs"] as const) {
    const number = evidence[name];
    if (number === undefined) continue;
    if (typeof number?.value !== "number" || typeof number.source !== "string" || number.source === "")
      throw new TypeError(
        `${call}: ${name} must be { value, source }, so that it can be cited${name === "utilization" ? ", as lab.utilization(step) returns it" : ""}, got ${describe(number)}.`,
      );
    const max = name === "utilization" ? 1 : Number.MAX_VALUE;
    if (!(number.value >= 0 && number.value <= max) || (name === "mlxStepMs" && number.value === 0))
      throw new RangeError(
        `${call}: ${name} must be ${name === "utilization" ? "a share from 0 to 1" : "milliseconds above 0"}, got ${number.value}.`,
      );
  }
  const { workload, bitwiseParity } = evidence;
  if (workload !== undefined && !["training", "llm inference", "queue"].includes(workload))
    throw new RangeError(
      `${call}: workload is "training", "llm inference" or "queue", not ${describe(workload)}.`,
    );
  if (bitwiseParity !== undefined && typeof bitwiseParity !== "boolean")
    throw new TypeError(`${call}: bitwiseParity must be true or false, got ${describe(bitwiseParity)}.`);
  return evidence;
}
