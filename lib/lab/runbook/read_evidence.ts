// Reads and checks the evidence that a user passes: names, shapes and bounds.
import { checkOptions, describe } from "../../torch/vocabulary/arguments.ts";
import type { Comparison } from "../measures/benchmark/compare.ts";
import { type Evidence, EVIDENCE_NAMES } from "./evidence.ts";
import type { SweepResult } from "../sweep/result.ts";

/** A comparison or a sweep may be passed directly as evidence. */
export function readEvidence(call: string, given: unknown): Evidence {
  if (typeof given !== "object" || given === null || given instanceof Promise)
    throw new TypeError(
      `${call} takes evidence as { comparison, sweep }, with await where a measurement returns a promise, not ${describe(given)}.`,
    );
  if ("speedups" in given) return { comparison: given as unknown as Comparison };
  if ("choices" in given && "points" in given) return { sweep: given as unknown as SweepResult };
  const evidence = checkOptions<Evidence>(call, given, EVIDENCE_NAMES) as Evidence;
  for (const name of ["comparison", "sweep", "parity", "syncs", "trace"] as const) {
    const value = evidence[name] as unknown;
    if (value !== undefined && (typeof value !== "object" || value === null || value instanceof Promise))
      throw new TypeError(
        `${call}: ${name} must be the result of its measurement (await it), got ${describe(value)}.`,
      );
  }
  for (const name of ["epochs", "operators", "processes", "logbook"] as const) {
    if (evidence[name] !== undefined && !Array.isArray(evidence[name]))
      throw new TypeError(`${call}: ${name} must be a list, got ${describe(evidence[name])}.`);
  }
  for (const name of ["utilization", "mlxStepMs"] as const) {
    const number = evidence[name];
    if (number === undefined) continue;
    if (typeof number?.value !== "number" || typeof number.source !== "string" || number.source === "")
      throw new TypeError(
        `${call}: ${name} must be { value, source }, so that it can be cited, got ${describe(number)}.`,
      );
    const most = name === "utilization" ? 1 : Number.MAX_VALUE;
    if (!(number.value >= 0 && number.value <= most) || (name === "mlxStepMs" && number.value === 0))
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
