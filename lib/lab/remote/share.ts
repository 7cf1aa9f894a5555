// Shares the points of a sweep among remotes. Each takes the next piece of work when it is free. If a remote is lost,
// its piece returns to the queue with the points measured so far.
import { type NextBatch, nextBatch } from "../sweep/search.ts";
import type { Order } from "../sweep/order.ts";
import { type Point, type PointRecord, unmeasured } from "../../records/batch_sweeps/point.ts";
import { canonicalText, pointText } from "../../records/parameters.ts";
import { LostError } from "./errors.ts";

/**
 * Points that one remote runs in order. In a list of batches each point is a piece. A search over the batch is one
 * piece: each batch follows from the one before, and one curve must come from one machine.
 */
export interface Piece {
  next(): Point | null;
  add(record: PointRecord): void;
}

export interface ShareEvents {
  started(worker: string, point: Point): void;
  /** Called with a point that was measured or given up. */
  recorded(record: PointRecord): void;
  /** Called with the reason why a finished search tried no larger batch. */
  ended(reason: string): void;
}

/** The members of a worker that sharing needs. */
export interface ShareWorker {
  readonly name: string;
  /** Returns false if it cannot work; it has then recorded why. */
  prepare(): Promise<boolean>;
  /** @throws LostError if the remote is gone */
  measure(point: Point): Promise<PointRecord>;
  /** Tells the worker that it is lost. Its point returns to the queue. */
  lost(reason: LostError, point: Point): void;
}

/** A point during which this many remotes were lost is not given to another one. */
const MAX_LOST = 2;

/** @param stored records of a journal: their points are not measured again */
export function piecesOf(
  order: Order,
  stored: (point: Point) => PointRecord | undefined,
  events: Pick<ShareEvents, "recorded" | "ended">,
): Piece[] {
  if ("points" in order) {
    return order.points.flatMap((point) => {
      const known = stored(point);
      if (known !== undefined) events.recorded(known);
      return known === undefined ? [single(point)] : [];
    });
  }
  return order.combinations.map((combination) => {
    const records: PointRecord[] = [];
    let ended = false;
    const following = (): NextBatch => nextBatch(records, order.range);
    return {
      next() {
        for (let next = following(); ; next = following()) {
          if ("end" in next) {
            const names = pointText(combination as Point);
            if (!ended) events.ended(names === "" ? next.end : `${names}: ${next.end}`);
            ended = true;
            return null;
          }
          const point = { batch: next.batch, ...combination };
          const known = stored(point);
          if (known === undefined) return point;
          records.push(known);
          events.recorded(known);
        }
      },
      add: (record) => void records.push(record),
    };
  });
}

function single(point: Point): Piece {
  let done = false;
  return { next: () => (done ? null : point), add: () => void (done = true) };
}

/**
 * Runs all pieces on the workers that can. Settles when every piece is done, or no worker is left.
 *
 * @returns the points at which work stopped because no worker was left
 */
export async function share(
  pieces: readonly Piece[],
  workers: readonly ShareWorker[],
  events: ShareEvents,
): Promise<Point[]> {
  const queue = pieces.filter((piece) => piece.next() !== null);
  const losses = new Map<string, string[]>();
  /** Pieces that are neither in the queue nor done. */
  let taken = 0;
  let wake: (() => void)[] = [];
  const changed = () => {
    for (const resolve of wake) resolve();
    wake = [];
  };
  const allDone = () => queue.length === 0 && taken === 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  if (allDone()) finish();

  async function work(worker: ShareWorker): Promise<void> {
    if (!(await worker.prepare())) return;
    for (;;) {
      const piece = queue.shift();
      if (piece === undefined) {
        if (allDone()) return;
        // Waits, because a worker that measures one of the last pieces may still be lost.
        await new Promise<void>((resolve) => wake.push(resolve));
        continue;
      }
      taken++;
      const alive = await workOn(worker, piece);
      taken--;
      if (!alive && piece.next() !== null) queue.unshift(piece);
      if (allDone()) finish();
      changed();
      if (!alive) return;
    }
  }

  /** Whether the worker is still there. */
  async function workOn(worker: ShareWorker, piece: Piece): Promise<boolean> {
    for (let point = piece.next(); point !== null; point = piece.next()) {
      events.started(worker.name, point);
      let record: PointRecord;
      try {
        record = await worker.measure(point);
      } catch (thrown) {
        if (!(thrown instanceof LostError)) throw thrown;
        worker.lost(thrown, point);
        const names = [...(losses.get(canonicalText(point)) ?? []), worker.name];
        losses.set(canonicalText(point), names);
        if (names.length >= MAX_LOST) {
          const givenUp = crashed(point, names);
          piece.add(givenUp);
          events.recorded(givenUp);
        }
        return false;
      }
      piece.add(record);
      events.recorded(record);
    }
    return true;
  }

  // A worker that is still preparing is not waited for.
  await Promise.race([finished, Promise.all(workers.map(work))]);
  return queue.flatMap((piece) => piece.next() ?? []);
}

function crashed(point: Point, remotes: readonly string[]): PointRecord {
  const names = remotes.join(", ");
  const why = `${remotes.length} remotes were lost while it ran: ${names}.`;
  return { ...unmeasured(point, "crashed", why), remote: names };
}
