// Implements `lab.remote` and `lab.remotes`: runs this kernel's sweep on other Jupyter servers. It opens the agent and
// the journal, and closes both however the cell ends.
import { inspect } from "node:util";
import { outputSink } from "../../display.ts";
import { installedSession } from "../../session.ts";
import { withJournalLock } from "../sweep/journal_lock.ts";
import { openJournal } from "../sweep/journal.ts";
import { showSweep, SILENT } from "../sweep/show.ts";
import { journalFile, pointsIdentity } from "../sweep/sweep.ts";
import { readRemote, type RemoteAddress, type RemoteOptions } from "./address.ts";
import { RemoteAgent } from "./agent_process.ts";
import type { AgentOutput } from "./agent_messages.ts";
import { RemoteWorker, type RemoteWork } from "./remote_worker.ts";
import { readRemoteSweepOptions, type RemotePlan, type RemoteSweepOptions } from "./options.ts";
import type { RemoteSweepResult } from "./result.ts";
import { RemoteSweepRun, smallestPoint } from "./run.ts";

/**
 * Another Jupyter server with this kernel. It is not contacted before a sweep.
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
 * Several servers that share the points of a sweep. If one is lost, its points go to the others.
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

  /** The remotes' names in results. */
  get names(): readonly string[] {
    return this.#addresses.map(({ name }) => name);
  }

  /** `Remotes(studio at http://studio:8888/)`: without tokens. */
  [inspect.custom](): string {
    return `Remotes(${this.#addresses.map(({ name, url }) => `${name} at ${url}`).join(", ")})`;
  }

  /**
   * Runs the sweep on the remotes, after a smoke window and a memory plateau test on each. Points come back as they are
   * measured, into the same journal, charts and logbook as those of this machine. An interrupt stops the remote cells
   * and shuts their kernels down.
   *
   * @throws TypeError, RangeError for options that do not fit; RemoteError if no remote measured anything
   */
  async sweep(options: RemoteSweepOptions): Promise<RemoteSweepResult> {
    const plan = readRemoteSweepOptions("remote.sweep", options);
    const file = journalFile(plan);
    return await withJournalLock(file, () => this.#sweep(plan, file));
  }

  async #sweep(plan: RemotePlan, file: string | null): Promise<RemoteSweepResult> {
    const identity = { remote: true, device: plan.device, ...pointsIdentity(plan, plan.setup) };
    const opened = file === null ? null : openJournal("remote.sweep", file, identity, plan.restart);
    const signal = installedSession()?.cellSignal();
    const sink = outputSink();
    const agent = new RemoteAgent((output) => {
      if (plan.show) printFrom(this.#addresses[output.remote]!.name, output);
    });
    // The cell's end waits for the remote kernels; they take a second.
    const stop = () => sink.pending(agent.close());
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const work: RemoteWork = { ...plan, plan, smokePoint: smallestPoint(plan) };
      const workers = this.#addresses.map((address, at) => new RemoteWorker(address, at, agent, work));
      const run = new RemoteSweepRun(
        plan,
        workers,
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

/** Prints the output of remote cells, each line with its remote's name. */
function printFrom(name: string, { text }: AgentOutput): void {
  const lines = text.replace(/\n$/, "").split("\n");
  process.stdout.write(lines.map((line) => `[${name}] ${line}\n`).join(""));
}
