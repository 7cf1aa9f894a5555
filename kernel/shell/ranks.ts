// Keeps the ranks of `%%ranks` from one cell to the next: starts them where there are none of that number, and says what
// was lost where they have ended.
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
  /** The start that is under way: two cells of different subshells may ask at the same time. */
  #starting: Promise<Started> | null = null;

  /** @param events what the ranks report, and that they have ended */
  constructor(dependencies: KernelDependencies, events: SupervisorEvents) {
    this.#dependencies = dependencies;
    this.#events = events;
  }

  /**
   * The namespace of so many ranks. Where there are none of that number, new ones start; where there were others, `note`
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

  /** The namespace of the ranks that there are, for an editor; null where there are none. */
  get namespace(): Namespace | null {
    return this.#started?.namespace ?? null;
  }

  /** The ids of those of their processes that have said theirs. */
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

  /** The imports that the ranks do not have yet, of those that the notebook's own session has. */
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
