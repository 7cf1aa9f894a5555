// Asks the session about live values, for an editor that cannot wait. The session answers at once between cells and at
// awaits; in a loop it answers only when the loop ends.
import type { Session } from "../session/supervisor.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bindings } from "../cell/analyze.ts";
import type { Inspection, Question } from "../session/channel.ts";

/** `busy`: there is such a value, and the session cannot look at it now. */
export type LiveAnswer = Inspection | "busy" | null;

/** A timer of an earlier cell may keep the session from answering; the type alone is an answer too. */
const IDLE_WAIT_MS = 300;
/** A cell that awaits answers within a millisecond. */
const RUNNING_WAIT_MS = 8;

export class LiveValues {
  readonly #session: Session;
  /** The question that the session has not answered yet: it would answer no other before it. */
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
      // A cell that has just ended is about to answer; one that runs has had its time.
      if (running) return busy;
      await Promise.race([this.#unanswered, late]);
      if (this.#unanswered !== null) return busy;
    }
    const answer = this.#session.inspect({ path: [known?.runtimeName ?? root ?? "", ...keys], about });
    this.#unanswered = answer.finally(() => (this.#unanswered = null));
    return await Promise.race([answer, late]);
  }
}
