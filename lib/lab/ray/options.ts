// Reads and checks the options of a sweep on a Ray cluster: those of a sweep on remotes, and the resources that Ray
// reserves for a point.
import { checkNumber, describe } from "../../torch/vocabulary/arguments.ts";
import { type RemotePlan, readRemoteSweepOptions, type RemoteSweepOptions } from "../remote/options.ts";
import { isRayEngine, type RayEngine } from "./address.ts";
import type { ClusterOptions } from "./cluster.ts";

export interface RaySweepOptions extends RemoteSweepOptions {
  /**
   * The Ray cluster that takes the points: `ray://host:10001`, the address of its Ray Client server, or `ray` for the
   * cluster of this machine.
   */
  readonly engine: RayEngine;
  /** Cores that Ray reserves for a point; the point uses as many threads. Default: 1. */
  readonly numCpus?: number;
  /** GPUs that Ray reserves for a point. Default: 0. */
  readonly numGpus?: number;
}

const CALL = "lab.sweep";

export function readRaySweepOptions(options: RaySweepOptions): {
  readonly plan: RemotePlan;
  readonly cluster: ClusterOptions;
} {
  const { engine, numCpus, numGpus, ...others } = options;
  if (!isRayEngine(engine))
    throw new TypeError(
      `${CALL}: engine must be "ray" or an address as "ray://head:10001", got ${describe(engine)}.`,
    );
  const cluster = {
    engine,
    numCpus: checkNumber(CALL, "numCpus", numCpus ?? 1, { min: 0 }),
    numGpus: checkNumber(CALL, "numGpus", numGpus ?? 0, { min: 0 }),
  };
  return { plan: readRemoteSweepOptions(CALL, others), cluster };
}
