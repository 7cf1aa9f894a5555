// Runs each cell on several session processes at once, which are ranks of one process group. To its users they are one
// session: a cell ends when all ranks have ended it. When a rank fails, the other ranks' code is ended; when a rank
// dies, the whole group ends.
import { randomUUID } from "node:crypto";
import type { ErrorContent, FromSession, Inspection, Question, RunRequest, ToSession } from "../channel.ts";
import { errorOf } from "../crash.ts";
import { type Done, type Session, Supervisor, type SupervisorEvents } from "../supervisor.ts";
import { freePort, rankEnvironment } from "./rank_environment.ts";
import { describeFailures, type RankFailure } from "./rank_failures.ts";
import { RankOutputs } from "./rank_outputs.ts";

/**
 * How long the other ranks may go on after one has failed: they may be about to end by themselves, or to fail in the
 * same way.
 */
const FOLLOW_MS = 3_000;

interface RunningCell {
  /** Whether the user has stopped the cell. */
  stopped: boolean;
  follow: NodeJS.Timeout | undefined;
}

const ENDED: ErrorContent = errorOf({
  reason: "The ranks have ended.",
  lost: "The next %%ranks cell starts new ones.",
});

export class RankGroup implements Session {
  readonly size: number;
  readonly #ranks: readonly Supervisor[];
  readonly #pids: number[] = [];
  readonly #outputs: RankOutputs;
  readonly #events: SupervisorEvents;
  readonly #running = new Set<RunningCell>();
  /**
   * A prefix for the keys of the group's store. Every program of this machine can reach the store, but only the ranks
   * know the prefix.
   */
  readonly #token = randomUUID();
  /** Part of the process group's name. It changes after a cell that left the ranks at different places. */
  #attempt = 0;
  #ended = false;

  /** @param directory the notebook's folder */
  static async start(directory: string, size: number, events: SupervisorEvents): Promise<RankGroup> {
    return new RankGroup(directory, size, await freePort(), events);
  }

  private constructor(directory: string, size: number, port: number, events: SupervisorEvents) {
    this.size = size;
    this.#events = events;
    this.#outputs = new RankOutputs(size, (message) => events.message(message));
    this.#ranks = Array.from({ length: size }, (_, rank) => {
      const own = {
        message: (message: FromSession) => this.#take(rank, message),
        died: (reason: string, lost: string) => this.#died(rank, reason, lost),
      };
      return new Supervisor(directory, own, {
        rank: { rank, environment: rankEnvironment(rank, size, port) },
      });
    });
  }

  get pids(): readonly number[] {
    return this.#pids;
  }

  get ended(): boolean {
    return this.#ended;
  }

  async run(request: RunRequest): Promise<Done> {
    const { cell } = request;
    if (this.#ended) return { type: "done", cell, initialised: [], userExpressions: {}, error: ENDED };
    const running: RunningCell = { stopped: false, follow: undefined };
    this.#running.add(running);
    const failures: RankFailure[] = [];
    const group = `${this.#token}-${this.#attempt}`;
    const dones = await Promise.all(
      this.#ranks.map(async (session, rank) => {
        const done = await session.run({ ...request, group });
        if (done.error !== undefined) {
          failures.push({ rank, error: done.error });
          running.follow ??= setTimeout(() => this.#endOthers(), FOLLOW_MS);
        }
        return done;
      }),
    );
    clearTimeout(running.follow);
    this.#running.delete(running);
    await this.#outputs.ends(cell);
    const [first, ...others] = dones as [Done, ...Done[]];
    // Later cells have a name only if every rank has it.
    const initialised = first.initialised.filter((name) =>
      others.every((done) => done.initialised.includes(name)),
    );
    const done: Done = { type: "done", cell, initialised, userExpressions: first.userExpressions };
    if (failures.length === 0) return done;
    this.#attempt++;
    if (this.#ended) await this.close();
    return { ...done, error: describeFailures(failures, this.size, running.stopped) };
  }

  interrupt(): void {
    for (const running of this.#running) running.stopped = true;
    for (const rank of this.#ranks) rank.interrupt();
  }

  hold(held: boolean): void {
    for (const rank of this.#ranks) rank.hold(held);
  }

  /** Widgets belong to the notebook's own session, so their messages are dropped. */
  send(message: Exclude<ToSession, RunRequest>): void {
    if (message.type !== "inputReply") return;
    const rank = this.#outputs.answered();
    if (rank !== null) this.#ranks[rank]!.send(message);
  }

  /** Answers nothing, because the ranks may hold different values. */
  async inspect(_question: Question): Promise<Inspection | null> {
    return null;
  }

  async debug(method: string): Promise<unknown> {
    throw new Error(`${method}: the debugger is for the notebook's own session, and not for ranks.`);
  }

  async close(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#ranks.map((rank) => rank.close()));
  }

  #take(rank: number, message: FromSession): void {
    if (message.type === "ready") this.#pids[rank] = message.pid;
    else this.#outputs.take(rank, message);
  }

  /**
   * A rank has died. If a cell ran, it has failed with this error already; the other ranks learn of it from gloo, or
   * are ended a moment later.
   */
  #died(rank: number, reason: string, lost: string): void {
    this.#outputs.forget(rank);
    if (this.#ended) return;
    this.#ended = true;
    if (this.#running.size > 0) return;
    void this.close();
    this.#events.died(reason, lost);
  }

  /** One rank has failed, and others are still running. */
  #endOthers(): void {
    if (this.#ended) void this.close();
    else for (const rank of this.#ranks) rank.interrupt();
  }
}
