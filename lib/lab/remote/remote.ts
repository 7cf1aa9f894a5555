// `lab.remote` and `lab.remotes`: the same sweep in this kernel on other Jupyter servers. Joins the agent, the lanes, the
// sharing of points, the journal, the display and the logbook.
import { inspect } from "node:util";
import { outputSink } from "../../display.ts";
import { installedSession } from "../../session.ts";
import { append } from "../logbook/file.ts";
import { draft, file as logbookFile } from "../logbook/logbook.ts";
import { openJournal, recordFor } from "../sweep/journal.ts";
import { orderOf } from "../sweep/order.ts";
import { type Point, type PointRecord, pointText } from "../sweep/point.ts";
import { resultOf } from "../sweep/result.ts";
import { showSweep, SILENT, type SweepShow } from "../sweep/show.ts";
import { journalFile, pointsIdentity } from "../sweep/sweep.ts";
import { sweepTable } from "../sweep/view.ts";
import { shownAs } from "../table.ts";
import { readRemote, type RemoteAddress, type RemoteOptions } from "./address.ts";
import { RemoteAgent } from "./agent_process.ts";
import type { AgentOutput } from "./agent_messages.ts";
import { RemoteError } from "./errors.ts";
import { Lane, type LaneWork } from "./lane.ts";
import { readRemoteSweepOptions, type RemotePlan, type RemoteSweepOptions } from "./options.ts";
import { type LaneFacts, remoteResultOf, type RemoteSweepResult, reportOf, runOf } from "./result.ts";
import { piecesOf, share } from "./share.ts";

/**
 * Another Jupyter server with this kernel. Nothing is asked of it until a sweep is.
 *
 *     const studio = lab.remote({ url: "http://studio:8888/", token: process.env["STUDIO_TOKEN"] });
 *     await studio.sweep({ setup: In[3], batch: { from: 16 }, against: local });
 *
 * @throws TypeError, RangeError for an address or a token that is none
 */
export function remote(options: RemoteOptions): Remotes {
  return new Remotes([readRemote("lab.remote", options)]);
}

/**
 * Several servers that share the points of a sweep. One that dies gives its points back to the others.
 *
 * @throws TypeError, RangeError for an address or a token that is none, and for two of one name
 */
export function remotes(list: readonly RemoteOptions[]): Remotes {
  const call = "lab.remotes";
  if (!Array.isArray(list) || list.length === 0)
    throw new TypeError(`${call} takes a list of servers, as [{ url, token }], one at least.`);
  const addresses = (list as readonly RemoteOptions[]).map((one, at) => readRemote(`${call}: [${at}]`, one));
  const names = addresses.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new RangeError(`${call}: two servers are called ${twice}: give each a name of its own.`);
  return new Remotes(addresses);
}

export class Remotes {
  readonly #addresses: readonly RemoteAddress[];

  constructor(addresses: readonly RemoteAddress[]) {
    this.#addresses = addresses;
  }

  /** How results call them. */
  get names(): readonly string[] {
    return this.#addresses.map(({ name }) => name);
  }

  /** `Remotes(studio at http://studio:8888/)`: without tokens. */
  [inspect.custom](): string {
    return `Remotes(${this.#addresses.map(({ name, url }) => `${name} at ${url}`).join(", ")})`;
  }

  /**
   * Runs the sweep over there, after a smoke window and a memory plateau test on each remote. Points come back as they are
   * measured, into the same journal, charts and logbook as those of this machine; an interrupt stops the remote cells and
   * shuts their kernels down.
   *
   * @throws TypeError, RangeError for options that do not fit; RemoteError where no remote measured anything
   */
  async sweep(options: RemoteSweepOptions): Promise<RemoteSweepResult> {
    const plan = readRemoteSweepOptions("remote.sweep", options);
    const file = journalFile(plan);
    const identity = { remote: true, device: plan.device, ...pointsIdentity(plan, plan.setup) };
    const opened = file === null ? null : openJournal(file, identity, plan.restart);
    const signal = installedSession()?.cellSignal();
    const sink = outputSink();
    const agent = new RemoteAgent((output) => {
      if (plan.show) printFrom(this.#addresses[output.remote]!.name, output);
    });
    // The cell's end waits for the kernels over there; they take a second.
    const stop = () => sink.pending(agent.close());
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const work: LaneWork = { ...plan, plan, smokePoint: smallestPoint(plan) };
      const lanes = this.#addresses.map((address, at) => new Lane(address, at, agent, work));
      const run = new RemoteSweepRun(
        plan,
        lanes,
        opened?.records ?? [],
        file,
        plan.show ? showSweep(sink) : SILENT,
      );
      return await run.toTheEnd({
        recorded: (record) => opened?.journal?.record(record),
        ended: (reasons) => opened?.journal?.end(reasons),
        interrupted: () => signal?.aborted === true,
        throwIfInterrupted: () => signal?.throwIfAborted(),
      });
    } finally {
      signal?.removeEventListener("abort", stop);
      await agent.close();
    }
  }
}

interface RunEvents {
  recorded(record: PointRecord): void;
  ended(reasons: readonly string[]): void;
  interrupted(): boolean;
  throwIfInterrupted(): void;
}

class RemoteSweepRun {
  readonly #plan: RemotePlan;
  readonly #lanes: readonly Lane[];
  readonly #stored: readonly PointRecord[];
  readonly #file: string | null;
  readonly #show: SweepShow;
  readonly #records: PointRecord[] = [];
  readonly #ends: string[] = [];
  readonly #running = new Map<string, Point>();
  #resumed = 0;

  constructor(
    plan: RemotePlan,
    lanes: readonly Lane[],
    stored: readonly PointRecord[],
    file: string | null,
    show: SweepShow,
  ) {
    this.#plan = plan;
    this.#lanes = lanes;
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
        this.#running.set(name, point);
        this.#update(total);
      },
      recorded: (record: PointRecord) => {
        this.#records.push(record);
        if (stored(record.point) === undefined) events.recorded(record);
        else this.#resumed++;
        this.#running.delete(record.remote ?? "");
        this.#update(total);
      },
      ended: (reason: string) => void this.#ends.push(reason),
    };
    this.#update(total);
    const missing = await share(piecesOf(order, stored, sharing), this.#lanes, sharing);
    if (events.interrupted()) {
      this.#show.finish(this.#soFar());
      events.throwIfInterrupted();
    }
    if (missing.length === 0) events.ended(this.#ends);
    return this.#result(missing);
  }

  #result(missing: readonly Point[]): RemoteSweepResult {
    const { against, tolerance, explanation } = this.#plan;
    const here = against?.run ?? draft();
    const facts = this.#facts();
    const lanes = this.#lanes.map((lane): LaneFacts => {
      const { name, url, status, reason, roundTripMs, smoke, greeting, run, notes } = lane;
      const records = this.#records.filter(
        (one) => one.remote === name && recordFor(this.#stored, one.point) === undefined,
      );
      return { ...{ name, url, status, reason, roundTripMs, smoke, greeting, run, notes }, records };
    });
    const movement = { against: against?.sweep.points ?? null, tolerance, explanation, here };
    const reports = lanes.map((lane) => reportOf(lane, movement));
    const result = remoteResultOf(facts, lanes, reports, missing, here);
    this.#show.finish(result);
    if (this.#records.length === 0)
      throw new RemoteError(`No remote measured a point. ${lanes.map(whyText).join(" ")}`);
    for (const [at, lane] of lanes.entries()) {
      const run = runOf(lane, reports[at]!, facts);
      if (run !== null) append(logbookFile(), run);
    }
    return shownAs(result, sweepTable);
  }

  #update(total: number | null): void {
    const running = [...this.#running].map(([name, point]) => `${pointText(point)} on ${name}`);
    this.#show.update(this.#soFar(), { done: this.#records.length, total, running });
  }

  #soFar() {
    const devices = new Set(this.#lanes.flatMap(({ smoke }) => smoke?.device ?? []));
    return resultOf({ ...this.#facts(), device: [...devices].join(", ") || "remotes" });
  }

  #facts() {
    return {
      name: this.#plan.name,
      seed: this.#plan.seed,
      points: [...this.#records],
      ends: [...this.#ends],
      resumedPoints: this.#resumed,
      journal: this.#file,
    };
  }
}

/** Where the smoke window runs: what is too much for a remote there is too much everywhere. */
function smallestPoint(plan: RemotePlan): Point {
  const batch = "from" in plan.batch ? plan.batch.from : Math.min(...plan.batch);
  return {
    batch,
    ...Object.fromEntries(Object.entries(plan.grid).map(([name, values]) => [name, values[0]!])),
  };
}

function whyText({ name, url, reason }: LaneFacts): string {
  return `${name}, ${url}: ${reason ?? "nothing was asked of it"}.`;
}

/** What remote cells print, each line with its remote. */
function printFrom(name: string, { text }: AgentOutput): void {
  const lines = text.replace(/\n$/, "").split("\n");
  process.stdout.write(lines.map((line) => `[${name}] ${line}\n`).join(""));
}
