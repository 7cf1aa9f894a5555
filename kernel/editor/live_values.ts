// Asks the session about live values, for an editor that cannot wait. The session answers at once between cells and at
// awaits; in a loop it answers only when the loop ends.
import type { Session } from "../session/supervisor.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bindings } from "../cell/analyze.ts";
import type { Inspection, Question } from "../session/channel.ts";

/** `busy`: there is such a value, but the session cannot describe it now. */
export type LiveAnswer = Inspection | "busy" | null;

/**
 * How long to wait while no cell runs. A timer of an earlier cell may keep the session from answering; then the editor
 * shows only the type.
 */
const IDLE_WAIT_MS = 300;
/** How long to wait while a cell runs: one that awaits answers within a millisecond. */
const RUNNING_WAIT_MS = 8;

export class LiveValues {
  readonly #session: Session;
  /**
   * The question that the session has not answered yet. It answers questions in order, so no other is sent meanwhile.
   */
  #unanswered: Promise<unknown> | null = null;

  constructor(session: Session) {
    this.#session = session;
  }

  async ask(
    { path: [root, ...keys], about }: Question,
    bindings: Bindings,
    running: boolean,
  ): Promise<LiveAnswer> {
    const known = bindings.names.get(String(root));
    const busy: LiveAnswer = known === undefined ? null : "busy";
    const late = sleep(running ? RUNNING_WAIT_MS : IDLE_WAIT_MS, busy, { ref: false });
    if (this.#unanswered !== null) {
      // If a cell has just ended, the answer is about to come. While a cell runs, another wait would bring nothing.
      if (running) return busy;
      await Promise.race([this.#unanswered, late]);
      if (this.#unanswered !== null) return busy;
    }
    const answer = this.#session.inspect({ path: [known?.runtimeName ?? root ?? "", ...keys], about });
    this.#unanswered = answer.finally(() => (this.#unanswered = null));
    return await Promise.race([answer, late]);
  }
}
