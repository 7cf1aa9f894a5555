// Keeps the ranks of `%%ranks` from one cell to the next: starts them if there are none of that number, and says what
// was lost if they have ended.
import { counted } from "../../lib/words.ts";
import type { ImportedName } from "../cell/imported_names.ts";
import type { RanksState } from "../magics/kernel_side.ts";
import type { SupervisorEvents } from "../session/supervisor.ts";
import type { KernelDependencies, RankSession } from "./dependencies.ts";
import { Namespace } from "./namespace.ts";

interface Started {
  readonly session: RankSession;
  readonly namespace: Namespace;
}

export class Ranks implements RanksState {
  readonly #dependencies: KernelDependencies;
  readonly #events: SupervisorEvents;
  #started: Started | null = null;
  /** The start that is in progress, because two cells of different subshells may ask for ranks at the same time. */
  #starting: Promise<Started> | null = null;

  /** @param events gets what the ranks report, and that they have ended */
  constructor(dependencies: KernelDependencies, events: SupervisorEvents) {
    this.#dependencies = dependencies;
    this.#events = events;
  }

  /**
   * The namespace of a group of that many ranks. If there is none, new ranks start. If there were other ranks, `note`
   * says what ended with them.
   */
  async of(size: number): Promise<{ readonly namespace: Namespace; readonly note: string }> {
    await this.#starting;
    const before = this.#started;
    if (before !== null && before.session.size === size && !before.session.ended)
      return { namespace: before.namespace, note: "" };
    const note = before === null ? "" : await this.#end(before);
    const { namespace } = await this.#start(size);
    return { namespace, note: note === "" ? "" : `${note} These are new ones.\n` };
  }

  /** The namespace of the present ranks, for an editor; null if there are none. */
  get namespace(): Namespace | null {
    return this.#started?.namespace ?? null;
  }

  /** The process ids of those ranks that have reported them. */
  get pids(): readonly number[] {
    return Object.values(this.#started?.session.pids ?? []);
  }

  describe(): string {
    const started = this.#started;
    if (started === null || started.session.ended) return "No ranks run: a %%ranks cell starts them.";
    const { size, pids } = started.session;
    const processes = pids.map((pid, rank) => `rank ${rank}: process ${pid}`).join(", ");
    return `${counted(size, "rank")} (${processes}). ${heldText(started)} %ranks stop ends them.`;
  }

  async stop(): Promise<string> {
    const started = this.#started;
    if (started === null || started.session.ended) return "No ranks run.";
    return await this.#end(started);
  }

  interrupt(): void {
    this.#started?.session.interrupt();
  }

  hold(held: boolean): void {
    this.#started?.session.hold(held);
  }

  async close(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    await this.#started?.namespace.close();
    this.#started = null;
  }

  /** The imports of the notebook's own session that the ranks do not have yet. */
  missing(own: readonly ImportedName[]): readonly ImportedName[] {
    const names = this.#started?.namespace.bindings.names;
    return own.filter(({ name }) => names?.has(name) === false);
  }

  async #start(size: number): Promise<Started> {
    const { ranks } = this.#dependencies;
    this.#starting = (async () => {
      const ended = this.#started;
      this.#started = null;
      await ended?.namespace.close();
      const session = await ranks(size, this.#events);
      this.#started = { session, namespace: new Namespace(this.#dependencies, session) };
      return this.#started;
    })();
    try {
      return await this.#starting;
    } finally {
      this.#starting = null;
    }
  }

  /** Resolves with a sentence about what was ended. */
  async #end(started: Started): Promise<string> {
    const lost = namesOf(started);
    this.#started = null;
    await started.namespace.close();
    const names = lost.length === 0 ? "" : `, and their variables with them: ${lost.join(", ")}`;
    return `${counted(started.session.size, "rank")} ended${names}.`;
  }
}

function namesOf({ namespace }: Started): readonly string[] {
  const held = [...namespace.bindings.names.values()];
  return held.filter(({ kind, typeOnly }) => !typeOnly && kind !== "import").map(({ name }) => name);
}

function heldText(started: Started): string {
  const names = namesOf(started);
  return names.length === 0 ? "They hold no variables." : `They hold ${names.join(", ")}.`;
}
