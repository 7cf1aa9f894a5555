// Counts what a kernel answers: a request gets one reply and one idle, never a second.
import type { Message } from "../../../kernel/protocol/messages.ts";
import { holds } from "../violation.ts";

/** Requests that are remembered: a second answer comes soon after the first, or never. */
const REMEMBERED = 1_000;

interface Counts {
  replies: number;
  idles: number;
}

export class Answers {
  readonly #counts = new Map<string, Counts>();

  /** Every message that a client got, in its order. @throws Violation for a second answer */
  take({ header, parent_header, content }: Message): void {
    const id = parent_header.msg_id;
    if (id === undefined) return;
    const isReply = header.msg_type === "execute_reply";
    const isIdle = header.msg_type === "status" && content["execution_state"] === "idle";
    if (!isReply && !isIdle) return;
    const counts = this.#of(id);
    if (isReply) counts.replies++;
    else counts.idles++;
    holds(counts.replies <= 1, `The request ${id} was answered ${counts.replies} times.`);
    holds(counts.idles <= 1, `The request ${id} became idle ${counts.idles} times.`);
  }

  /** A request of which everything must have come. @throws Violation */
  settled(id: string): void {
    const { replies, idles } = this.#of(id);
    holds(replies === 1 && idles === 1, `The request ${id} got ${replies} replies and ${idles} idles.`);
  }

  #of(id: string): Counts {
    let counts = this.#counts.get(id);
    if (counts === undefined) {
      counts = { replies: 0, idles: 0 };
      this.#counts.set(id, counts);
      const [oldest] = this.#counts.keys();
      if (this.#counts.size > REMEMBERED) this.#counts.delete(oldest!);
    }
    return counts;
  }
}
