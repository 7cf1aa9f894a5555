// Sends questions of running cells to the clients that sent the cells, and returns the answers. An answer from another
// client, or to a question that was interrupted, is dropped.
import { newReply, type Message } from "../protocol/messages.ts";
import { readString } from "../protocol/requests.ts";

export interface InputQuestion {
  /** The cell that asks, by the id of its request. */
  readonly cell: string;
  readonly prompt: string;
  readonly password: boolean;
}

export class Input {
  /** Requests whose cells are running and whose clients take questions. */
  readonly #askable = new Map<string, Message>();
  /** The unanswered question. The session blocks while it asks, so there is at most one. */
  #asked: { readonly cell: string; readonly message: Message } | null = null;

  began(request: Message): void {
    this.#askable.set(request.header.msg_id, request);
  }

  ended(request: Message): void {
    const cell = request.header.msg_id;
    this.#askable.delete(cell);
    if (this.#asked?.cell === cell) this.#asked = null;
  }

  /**
   * The message to the client that sent the cell, or null if no client can be asked, for example because a timer asks
   * after its cell's end: no client expects a question then.
   */
  ask({ cell, prompt, password }: InputQuestion): Message | null {
    const request = this.#askable.get(cell);
    if (request === undefined) return null;
    const message = newReply(request, "input_request", { prompt, password });
    this.#asked = { cell, message };
    return message;
  }

  /**
   * Returns the answer; null if the message does not answer the present question.
   *
   * @throws ContentError if the answer has no value
   */
  answered(reply: Message): string | null {
    if (reply.header.msg_type !== "input_reply" || this.#asked === null) return null;
    const { message } = this.#asked;
    // Some clients do not say which question they are answering.
    const question = reply.parent_header.msg_id ?? message.header.msg_id;
    if (question !== message.header.msg_id || !sameIdentities(reply, message)) return null;
    const value = readString(reply.content, "value");
    this.#asked = null;
    return value;
  }
}

function sameIdentities({ identities: one }: Message, { identities: other }: Message): boolean {
  return one.length === other.length && one.every((frame, index) => frame.equals(other[index] as Buffer));
}
