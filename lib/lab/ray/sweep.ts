// Implements `lab.sweep`, which either runs here or hands its points to a Ray cluster.
import { journaledSweep } from "../remote/journaled_sweep.ts";
import type { RemoteSweepResult } from "../remote/result.ts";
import type { Grid, SweepOptions } from "../sweep/options.ts";
import type { SweepResult } from "../../records/batch_sweeps/result.ts";
import { sweep as sweepHere } from "../sweep/sweep.ts";
import { type RaySweepOptions, readRaySweepOptions } from "./options.ts";
import { RayWorkerPool } from "./ray_workers.ts";

/**
 * Runs the sweep on a Ray cluster: each point is a task with the given resources, and runs in a kernel of its own on a
 * node that Ray chooses. `setup` is the text of a cell, as for `lab.remote`. If a node is lost, other nodes measure its
 * points.
 *
 *     await lab.sweep({ engine: "ray://head:10001", numCpus: 4, setup: In[3], batch: [32, 64] });
 *
 * @throws TypeError, RangeError for options that do not fit; RayError without Ray, a cluster, or a node with the
 *   resources
 */
export function sweep(options: RaySweepOptions): Promise<RemoteSweepResult>;
/**
 * Measures a step over its batch, and over any other parameters: throughput with its spread, where the time goes,
 * memory. The batch is doubled until the next one would pass the watermark, runs out of memory or makes the machine
 * swap; then the boundary is refined. A point that fails is recorded, and what was measured is kept: after an interrupt
 * or a crash the same call goes on from its journal. A point that does not end within its deadline is stopped. If a
 * step catches that error and cannot be held, such as one that runs in timers, the points after it are left out,
 * because their times would be wrong while it runs.
 *
 *     await lab.sweep({
 *       batch: { from: 16 },
 *       setup({ batch }) {
 *         const x = torch.randn([batch, 784], { device });
 *         return () => step(x);
 *       },
 *     });
 *
 * @throws TypeError, RangeError for options that do not fit; Error for a journal of another model or other options, or
 *   that a sweep is writing, and while a step that an earlier sweep gave up still runs
 */
export function sweep<Batch = unknown, const Parameters extends Grid = Grid>(
  options: SweepOptions<Batch, Parameters>,
): Promise<SweepResult>;
export async function sweep(options: SweepOptions | RaySweepOptions): Promise<SweepResult> {
  if (typeof options !== "object" || options === null || !("engine" in options))
    return await sweepHere(options as SweepOptions);
  const { plan, cluster } = readRaySweepOptions(options);
  return await journaledSweep("lab.sweep", plan, () => {
    const pool = new RayWorkerPool(plan, cluster);
    return { pool, close: () => pool.close() };
  });
}
