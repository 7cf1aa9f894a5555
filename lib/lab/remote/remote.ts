// Implements `lab.remote` and `lab.remotes`: runs this kernel's sweep on other Jupyter servers, through the agent.
import { inspect } from "node:util";
import { readRemote, type RemoteAddress, type RemoteOptions } from "./address.ts";
import { RemoteAgent } from "./agent_process.ts";
import { RemoteWorker, type RemoteWork } from "./remote_worker.ts";
import { readRemoteSweepOptions, type RemoteSweepOptions } from "./options.ts";
import type { RemoteSweepResult } from "./result.ts";
import { journaledSweep, printFrom } from "./journaled_sweep.ts";
import { smallestPoint } from "./run.ts";

/**
 * Another Jupyter server with this kernel. It is not contacted before a sweep.
 *
 *     const studio = lab.remote({ url: "http://studio:8888/", token: process.env["STUDIO_TOKEN"] });
 *     await studio.sweep({ setup: In[3], batch: { from: 16 }, against: local });
 *
 * @throws TypeError, RangeError for an invalid address or token
 */
export function remote(options: RemoteOptions): Remotes {
  return new Remotes([readRemote("lab.remote", options)]);
}

/**
 * Several servers that share the points of a sweep. If one is lost, its points go to the others.
 *
 * @throws TypeError, RangeError for an invalid address or token, and for two remotes of one name
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

  /** The text shows no tokens: `Remotes(studio at http://studio:8888/)`. */
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
    const call = "remote.sweep";
    const plan = readRemoteSweepOptions(call, options);
    return await journaledSweep(call, plan, () => {
      const agent = new RemoteAgent(({ remote, text }) => {
        if (plan.show) printFrom(this.#addresses[remote]!.name, text);
      });
      const work: RemoteWork = { ...plan, plan, smokePoint: smallestPoint(plan) };
      const workers = this.#addresses.map((address, at) => new RemoteWorker(address, at, agent, work));
      const pool = { workersFor: () => workers, machines: () => workers };
      return { pool, close: () => agent.close() };
    });
  }
}
