// Takes one remote through a sweep: connects, sets up, compares it with this machine, tries a smoke window, then
// measures points. A failure in a cell becomes the point's record; a lost remote throws. share.ts distributes the
// points.
import type { RunEntry } from "../../records/logbook/entry.ts";
import type { RunGiven } from "../logbook/run.ts";
import type { Smoke } from "../sweep/smoke.ts";
import { RUNS_ON } from "../sweep/abandoned_work.ts";
import type { PointsPlan } from "../sweep/options.ts";
import { type Point, type PointRecord, unmeasured } from "../../records/batch_sweeps/point.ts";
import { type Spread, spreadOf, withCurrentSpreadKeys } from "../../statistics/spread.ts";
import { migratedRun } from "./migrated_run.ts";
import type { RemoteAddress } from "./address.ts";
import type { RemoteAgent } from "./agent_process.ts";
import type { CellEnd, Greeting } from "./agent_messages.ts";
import { declaredCell, draftCell, pointCell, smokeCell, smokeDeadlineMs } from "./cells.ts";
import { LostError, RefusedError } from "./errors.ts";
import { type Ended, endText, failureOf } from "./failed_cell.ts";
import type { ShareWorker } from "./share.ts";

export interface RemoteWork {
  readonly plan: PointsPlan;
  /** Text of the cell that declares `setup`. */
  readonly setup: string;
  /** Fields of the run that only a person knows, for the logbook. */
  readonly given: RunGiven;
  /** The point that is measured in the smoke window. */
  readonly smokePoint: Point;
}

export type WorkerStatus = "ready" | "refused" | "lost";

/**
 * How long the first cells may take: a starting kernel loads its compiler, its type checker and libtorch, and the
 * set-up cell may read data.
 */
export const FIRST_CELLS_MS = 120_000;
/** Extra time for a cell beyond its point's deadline, which the remote's sweep enforces itself. */
export const SLACK_MS = 5_000;
/**
 * How long the remote may take to stop after an interrupt: its kernel gives native code ten seconds before it ends its
 * session.
 */
const INTERRUPTED_MS = 20_000;

export class RemoteWorker implements ShareWorker {
  readonly name: string;
  readonly url: string;
  status: WorkerStatus = "ready";
  /** Why it is no longer ready; null while it is. */
  reason: string | null = null;
  greeting: Greeting | null = null;
  roundTripMs: Spread | null = null;
  run: RunEntry | null = null;
  smoke: Smoke | null = null;
  readonly notes: string[] = [];
  readonly #address: RemoteAddress;
  readonly #agent: RemoteAgent;
  readonly #index: number;
  readonly #work: RemoteWork;

  constructor(address: RemoteAddress, index: number, agent: RemoteAgent, work: RemoteWork) {
    this.name = address.name;
    this.url = address.url;
    this.#address = address;
    this.#index = index;
    this.#agent = agent;
    this.#work = work;
  }

  async prepare(): Promise<boolean> {
    try {
      this.greeting = await this.#agent.connect(this.#index, this.#address.server);
      if (this.greeting.implementation !== "mpslab")
        throw new RefusedError(`its kernel is ${this.greeting.implementation}, not mpslab`);
      this.roundTripMs = spreadOf(this.greeting.roundTripsMs);
      await this.#setUp();
      const given = { ...this.#work.given, networkRttMs: this.roundTripMs.median };
      const { run, notes } = migratedRun(await this.#value(draftCell(given), FIRST_CELLS_MS));
      this.run = run;
      this.notes.push(...notes);
      const { plan, smokePoint } = this.#work;
      const smokeMs = 2 * smokeDeadlineMs(plan) + FIRST_CELLS_MS;
      this.smoke = (await this.#value(smokeCell(smokePoint, plan), smokeMs)) as Smoke;
      if (this.smoke.passed) return true;
      throw new RefusedError(`its smoke window failed: ${this.smoke.failures.join(" ").replace(/\.$/, "")}`);
    } catch (thrown) {
      if (!(thrown instanceof RefusedError) && !(thrown instanceof LostError)) throw thrown;
      this.status = thrown instanceof LostError ? "lost" : "refused";
      this.reason = thrown.message;
      return false;
    }
  }

  async measure(point: Point): Promise<PointRecord> {
    const { plan } = this.#work;
    const startedAt = new Date().toISOString();
    const beganMs = performance.now();
    const end = await this.#runCell(pointCell(point, plan), plan.deadlineMs + SLACK_MS);
    if (end.status === "ok") {
      const record = end.payloads[0] as PointRecord;
      if (record.notes.includes(RUNS_ON)) await this.#startAnew();
      return { ...record, remote: this.name };
    }
    const [status, error] = failureOf(end, plan.deadlineMs);
    const wallMs = performance.now() - beganMs;
    // A step that threw is recorded as such; other failures may have cost the session its variables.
    await this.#setUpAgain();
    return { ...unmeasured(point, status, error), remote: this.name, startedAt, wallMs };
  }

  lost(reason: LostError): void {
    this.status = "lost";
    this.reason = reason.message;
  }

  async #setUp(): Promise<void> {
    const end = await this.#runCell(this.#work.setup, FIRST_CELLS_MS);
    if (end.status !== "ok") throw new RefusedError(`the set-up cell failed there: ${endText(end)}`);
    const why = "the set-up cell declares no setup as a sweep takes it";
    const declared = await this.#value(declaredCell(), FIRST_CELLS_MS, why);
    if (declared !== "function") throw new RefusedError(`${why}, but a value of type ${String(declared)}`);
  }

  /** The remote kernel belongs to this sweep only, so it may be restarted. */
  async #startAnew(): Promise<void> {
    try {
      await this.#agent.restart(this.#index);
    } catch (thrown) {
      if (!(thrown instanceof RefusedError)) throw thrown;
      throw new LostError(`it could not be restarted: ${thrown.message}`);
    }
    await this.#setUpAgain();
  }

  async #setUpAgain(): Promise<void> {
    try {
      await this.#setUp();
    } catch (thrown) {
      if (!(thrown instanceof RefusedError)) throw thrown;
      throw new LostError(`after a point that failed, ${thrown.message}`);
    }
  }

  /**
   * Returns the payload of one of our cells. @throws RefusedError if the cell fails; by default the message names the
   * remote's version
   */
  async #value(code: string, deadlineMs: number, failure = this.#unable()): Promise<unknown> {
    const end = await this.#runCell(code, deadlineMs);
    if (end.status === "ok" && end.payloads.length > 0) return end.payloads[0];
    throw new RefusedError(`${failure}: ${endText(end)}`);
  }

  #unable(): string {
    return `mpslab ${this.greeting?.version} there cannot do that`;
  }

  /** @throws LostError if the kernel responds neither to an interrupt nor to a restart */
  async #runCell(code: string, deadlineMs: number): Promise<Ended> {
    const running = this.#agent.run(this.#index, code);
    const ended = await within(running, deadlineMs);
    if (ended !== null) return withCurrentSpreadKeys(ended) as CellEnd;
    try {
      await this.#agent.interrupt(this.#index);
      if ((await within(running, INTERRUPTED_MS)) === null) await this.#agent.restart(this.#index);
    } catch (thrown) {
      if (thrown instanceof RefusedError)
        throw new LostError(`it could not be interrupted: ${thrown.message}`);
      throw thrown;
    }
    return { status: "deadline" };
  }
}

async function within<Value>(work: Promise<Value>, deadlineMs: number): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), deadlineMs)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
