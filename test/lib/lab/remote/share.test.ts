// Tests how scripted remotes share the points of a sweep: none idles, no point is lost or measured twice. A point that
// takes remotes down is not passed on for ever.
import { describe, expect, it } from "vitest";
import { LostError } from "../../../../lib/lab/remote/errors.ts";
import { piecesOf, share, type ShareEvents, type ShareWorker } from "../../../../lib/lab/remote/share.ts";
import { orderOf } from "../../../../lib/lab/sweep/order.ts";
import { type Point, type PointRecord, unmeasured } from "../../../../lib/records/batch_sweeps/point.ts";
import { record } from "../sweep/records.ts";

const measured = (point: Point, remote?: string): PointRecord => ({
  ...record(point.batch),
  point,
  ...(remote === undefined ? {} : { remote }),
});

interface Script {
  /** Points at which it dies. */
  readonly diesAt?: (point: Point) => boolean;
  readonly prepared?: Promise<boolean>;
  /** Resolves before each of its points is done. */
  readonly turn?: () => Promise<void>;
}

class ScriptedWorker implements ShareWorker {
  readonly ran: number[] = [];
  readonly losses: [string, number][] = [];
  readonly name: string;
  readonly #script: Script;
  constructor(name: string, script: Script = {}) {
    this.name = name;
    this.#script = script;
  }
  prepare(): Promise<boolean> {
    return this.#script.prepared ?? Promise.resolve(true);
  }
  async measure(point: Point): Promise<PointRecord> {
    this.ran.push(point.batch);
    await this.#script.turn?.();
    if (this.#script.diesAt?.(point)) throw new LostError("it was silent for 1 s");
    return measured(point, this.name);
  }
  lost(reason: LostError, point: Point): void {
    this.losses.push([reason.message, point.batch]);
  }
}

async function shared(
  batch: readonly number[] | { from: number; to: number },
  workers: readonly ScriptedWorker[],
  stored: readonly PointRecord[] = [],
  grid = {},
) {
  const records: PointRecord[] = [];
  const ends: string[] = [];
  const events: ShareEvents = {
    started() {},
    recorded: (one) => void records.push(one),
    ended: (reason) => void ends.push(reason),
  };
  const range = Array.isArray(batch) ? batch : { samples: null, ...(batch as { from: number; to: number }) };
  const order = orderOf({ batch: range as readonly number[], grid, seed: 0 });
  const known = (point: Point) => stored.find((one) => JSON.stringify(one.point) === JSON.stringify(point));
  const missing = await share(piecesOf(order, known, events), workers, events);
  return {
    records,
    ends,
    missing,
    batches: records.map(({ point }) => point.batch).toSorted((a, b) => a - b),
  };
}

describe("points of a list", () => {
  it("go to whoever is free", async () => {
    const fast = new ScriptedWorker("fast");
    const slow = new ScriptedWorker("slow", {
      turn: () => new Promise((resolve) => setTimeout(resolve, 50)),
    });
    const { batches, missing } = await shared([1, 2, 3, 4, 5, 6], [slow, fast]);
    expect(batches).toEqual([1, 2, 3, 4, 5, 6]);
    expect(slow.ran).toHaveLength(1);
    expect(fast.ran).toHaveLength(5);
    expect(missing).toEqual([]);
  });

  it("of a remote that dies are measured by one that had nothing left to do", async () => {
    const idle = new ScriptedWorker("idle");
    const dying = new ScriptedWorker("dying", {
      turn: () => new Promise((resolve) => setTimeout(resolve, 50)),
      diesAt: () => true,
    });
    const { records, missing } = await shared([1, 2], [dying, idle]);
    expect(records.map(({ remote, status }) => [remote, status])).toEqual([
      ["idle", "measured"],
      ["idle", "measured"],
    ]);
    expect(dying.losses).toEqual([["it was silent for 1 s", dying.ran[0]]]);
    expect(missing).toEqual([]);
  });

  it("that a remote gave back come first: the next that is free has them", async () => {
    const lasting = new ScriptedWorker("lasting", {
      turn: () => new Promise((resolve) => setTimeout(resolve, 20)),
    });
    const dying = new ScriptedWorker("dying", { diesAt: () => true });
    await shared([1, 2, 3, 4, 5, 6], [lasting, dying]);
    expect(lasting.ran[1]).toBe(dying.ran[0]);
  });

  it("that take two remotes with them are given up, and the third lives", async () => {
    const diesAt = ({ batch }: Point) => batch === 2;
    const workers = ["a", "b", "c"].map((name) => new ScriptedWorker(name, { diesAt }));
    const { records, batches, missing } = await shared([1, 2, 3], workers);
    expect(batches).toEqual([1, 2, 3]);
    expect(records.find(({ point }) => point.batch === 2)).toMatchObject({
      status: "crashed",
      error: expect.stringMatching(/^2 remotes were lost while it ran: \w, \w\.$/),
    });
    expect(workers.filter(({ losses }) => losses.length === 0)).toHaveLength(1);
    expect(missing).toEqual([]);
  });

  it("that no remote is left for are told", async () => {
    const dying = new ScriptedWorker("dying", { diesAt: ({ batch }) => batch === 3 });
    const refused = new ScriptedWorker("refused", { prepared: Promise.resolve(false) });
    const { batches, missing } = await shared([1, 2, 3, 4], [dying, refused]);
    expect([...batches, ...missing.map(({ batch }) => batch)].toSorted()).toEqual([1, 2, 3, 4]);
    expect(missing).toContainEqual({ batch: 3 });
    expect(refused.ran).toEqual([]);
  });

  it("do not wait for a remote that is still getting ready when they are done", async () => {
    const late = new ScriptedWorker("late", { prepared: new Promise(() => {}) });
    const { batches } = await shared([1, 2], [late, new ScriptedWorker("ready")]);
    expect(batches).toEqual([1, 2]);
  });

  it("that all come from the journal ask nothing of a remote", async () => {
    const stored = [measured({ batch: 1 }), measured({ batch: 2 })];
    const { batches } = await shared(
      [1, 2],
      [new ScriptedWorker("a", { prepared: new Promise(() => {}) })],
      stored,
    );
    expect(batches).toEqual([1, 2]);
  });

  it("of the journal are not measured again", async () => {
    const worker = new ScriptedWorker("a");
    const { batches } = await shared([1, 2], [worker], [measured({ batch: 2 })]);
    expect(worker.ran).toEqual([1]);
    expect(batches).toEqual([1, 2]);
  });
});

describe("a search over the batch", () => {
  it("stays on one remote for each combination of the grid", async () => {
    const workers = [new ScriptedWorker("a"), new ScriptedWorker("b")];
    const { records, ends } = await shared({ from: 1, to: 4 }, workers, [], {
      dtype: ["float32", "float16"],
    });
    const remotesOf = (dtype: string) =>
      new Set(records.filter(({ point }) => point["dtype"] === dtype).map(({ remote }) => remote));
    expect(remotesOf("float32").size).toBe(1);
    expect(remotesOf("float16").size).toBe(1);
    expect(workers.map(({ ran }) => ran)).toEqual([
      [1, 2, 4],
      [1, 2, 4],
    ]);
    expect(ends).toHaveLength(2);
  });

  it("goes on where its remote died", async () => {
    const dying = new ScriptedWorker("dying", { diesAt: ({ batch }) => batch === 4 });
    const other = new ScriptedWorker("other", {
      prepared: new Promise((resolve) => setTimeout(() => resolve(true), 50)),
    });
    const { records, ends } = await shared({ from: 1, to: 8 }, [dying, other]);
    expect(records.map(({ point, remote }) => [point.batch, remote])).toEqual([
      [1, "dying"],
      [2, "dying"],
      [4, "other"],
      [8, "other"],
    ]);
    expect(ends).toEqual(["The largest batch is 8: no larger one was asked for."]);
  });

  it("ends at a point that failed, as on this machine", async () => {
    const worker = new ScriptedWorker("a");
    worker.measure = async (point) =>
      point.batch === 2 ? unmeasured(point, "failed", "RangeError: no") : measured(point, "a");
    const { batches, ends } = await shared({ from: 1, to: 8 }, [worker]);
    expect(batches).toEqual([1, 2]);
    expect(ends).toEqual(["Batch 2 failed: RangeError: no"]);
  });
});
