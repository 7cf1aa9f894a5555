// Runs one sweep on remotes from its first point to its result: shares the points, shows progress, and records the runs
// in the logbook.
import { append } from "../../records/logbook/file.ts";
import { draft, file as logbookFile } from "../logbook/logbook.ts";
import { recordFor } from "../sweep/journal.ts";
import { orderOf } from "../sweep/order.ts";
import type { Point, PointRecord } from "../../records/batch_sweeps/point.ts";
import { canonicalText, pointText } from "../../records/parameters.ts";
import { resultOf, type SweepResult } from "../../records/batch_sweeps/result.ts";
import type { SweepShow } from "../sweep/show.ts";
import { sweepTable } from "../../records/batch_sweeps/table.ts";
import { shownAs } from "../../views/shown_as.ts";
import { RemoteError } from "./errors.ts";
import type { RemotePlan } from "./options.ts";
import {
  devicesOf,
  type WorkerFacts,
  remoteResultOf,
  type RemoteSweepResult,
  reportOf,
  runOf,
} from "./result.ts";
import { piecesOf, share, type ShareWorker } from "./share.ts";

/** Through these a run reports to its caller, and asks whether it was interrupted. */
export interface RunEvents {
  recorded(record: PointRecord): void;
  ended(reasons: readonly string[]): void;
  throwIfInterrupted(): void;
}

/** The workers that measure the points of a sweep, and the machines that the result describes. */
export interface WorkerPool {
  /**
   * @param pieces how many pieces of work there are
   */
  workersFor(pieces: number): readonly ShareWorker[];
  machines(): readonly Omit<WorkerFacts, "records">[];
}

/** The progress line has no room for more. */
const MOST_RUNNING = 4;

export class RemoteSweepRun {
  readonly #plan: RemotePlan;
  readonly #pool: WorkerPool;
  readonly #stored: readonly PointRecord[];
  readonly #file: string | null;
  readonly #show: SweepShow;
  readonly #records: PointRecord[] = [];
  readonly #ends: string[] = [];
  /** The running points, as `batch 64 on studio`, by their keys. */
  readonly #running = new Map<string, string>();
  #resumed = 0;

  constructor(
    plan: RemotePlan,
    pool: WorkerPool,
    stored: readonly PointRecord[],
    file: string | null,
    show: SweepShow,
  ) {
    this.#plan = plan;
    this.#pool = pool;
    this.#stored = stored;
    this.#file = file;
    this.#show = show;
  }

  async toTheEnd(events: RunEvents): Promise<RemoteSweepResult> {
    const order = orderOf(this.#plan);
    const total = "points" in order ? order.points.length : null;
    const stored = (point: Point) => recordFor(this.#stored, point);
    const sharing = {
      started: (name: string, point: Point) => {
        this.#running.set(canonicalText(point), `${pointText(point)} on ${name}`);
        this.#update(total);
      },
      recorded: (record: PointRecord) => {
        this.#records.push(record);
        if (stored(record.point) === undefined) events.recorded(record);
        else this.#resumed++;
        this.#running.delete(canonicalText(record.point));
        this.#update(total);
      },
      ended: (reason: string) => void this.#ends.push(reason),
    };
    this.#update(total);
    let missing: Point[];
    try {
      const pieces = piecesOf(order, stored, sharing);
      missing = await share(pieces, this.#pool.workersFor(pieces.length), sharing);
      events.throwIfInterrupted();
    } catch (thrown) {
      this.#show.finish(this.#soFar());
      events.throwIfInterrupted();
      throw thrown;
    }
    if (missing.length === 0) events.ended(this.#ends);
    return this.#result(missing);
  }

  #result(missing: readonly Point[]): RemoteSweepResult {
    const { against, tolerance, explanation } = this.#plan;
    const here = against?.run ?? draft();
    const facts = this.#facts();
    const workers = this.#pool.machines().map((machine): WorkerFacts => {
      const { name, url, status, reason, roundTripMs, smoke, greeting, run, notes } = machine;
      const records = this.#records.filter(
        (one) => one.remote === name && recordFor(this.#stored, one.point) === undefined,
      );
      return { ...{ name, url, status, reason, roundTripMs, smoke, greeting, run, notes }, records };
    });
    const movement = { against: against?.sweep.points ?? null, tolerance, explanation, here };
    const reports = workers.map((worker) => reportOf(worker, movement));
    const result = remoteResultOf(facts, workers, reports, missing, here);
    this.#show.finish(result);
    if (this.#records.length === 0)
      throw new RemoteError(`No remote measured a point. ${workers.map(whyText).join(" ")}`);
    for (const [at, worker] of workers.entries()) {
      const run = runOf(worker, reports[at]!, facts);
      if (run !== null) append(logbookFile(), run);
    }
    return shownAs(result, sweepTable);
  }

  #update(total: number | null): void {
    const all = [...this.#running.values()];
    const more = all.length - MOST_RUNNING;
    const running = [...all.slice(0, MOST_RUNNING), ...(more > 0 ? [`${more} more`] : [])];
    this.#show.update(this.#soFar(), { done: this.#records.length, total, running });
  }

  #soFar(): SweepResult {
    return resultOf({ ...this.#facts(), device: devicesOf(this.#pool.machines()) });
  }

  #facts(): Omit<SweepResult, "choices" | "notes" | "device"> {
    return {
      name: this.#plan.name,
      seed: this.#plan.seed,
      points: [...this.#records],
      ends: [...this.#ends],
      resumedPoints: this.#resumed,
      // A remote that was lost has returned its points to the others.
      cutOffPoints: [],
      journal: this.#file,
    };
  }
}

/** The smallest point, for the smoke window: a remote that fails it would fail every point. */
export function smallestPoint(plan: RemotePlan): Point {
  const batch = "from" in plan.batch ? plan.batch.from : Math.min(...plan.batch);
  return {
    batch,
    ...Object.fromEntries(Object.entries(plan.grid).map(([name, values]) => [name, values[0]!])),
  };
}

function whyText({ name, url, reason }: WorkerFacts): string {
  return `${name}, ${url}: ${reason ?? "nothing was asked of it"}.`;
}
