// Implements `prompt` and `confirm`: they block until the front end answers or an interrupt comes. The worker thread
// reads the answer meanwhile.
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { ARRIVED, STOP } from "./control.ts";
import { outputCell } from "./cells.ts";
import { report } from "./output/report.ts";

export interface PromptOptions {
  /** The answer is not shown while it is typed. */
  readonly password?: boolean;
  /** The value of an empty answer. */
  readonly default?: string;
}

export class Prompter {
  readonly #words: Int32Array;
  readonly #replies: MessagePort;
  readonly #interrupted: () => void;

  constructor(words: Int32Array, replies: MessagePort, interrupted: () => void) {
    this.#words = words;
    this.#replies = replies;
    this.#interrupted = interrupted;
  }

  /** @param given options or, as in browsers, the value of an empty answer */
  readonly prompt = (message = "", given: PromptOptions | string = {}): string => {
    const options = typeof given === "object" ? given : { default: String(given) };
    const { default: otherwise = "" } = options;
    const cell = outputCell();
    if (cell === null) throw new Error("prompt() works in a cell only: no cell has run yet.");
    // An answer to a question that was interrupted is dropped.
    while (receiveMessageOnPort(this.#replies) !== undefined);
    report({
      type: "inputRequest",
      cell: cell.id,
      prompt: otherwise === "" ? String(message) : `${message} [${otherwise}] `,
      password: options.password ?? false,
    });
    return this.#waitForReply() || otherwise;
  };

  /** True if the answer begins with y. An empty answer means no. */
  readonly confirm = (message = "Continue?"): boolean => /^\s*y/i.test(this.prompt(`${message} [y/N] `));

  #waitForReply(): string {
    for (;;) {
      const arrived = Atomics.load(this.#words, ARRIVED);
      const reply = receiveMessageOnPort(this.#replies) as { message: string | null } | undefined;
      if (reply?.message === null)
        throw new Error("This front end takes no input: pass the value in the cell instead.");
      if (reply !== undefined) return reply.message;
      if (Atomics.load(this.#words, STOP) !== 0) this.#interrupted();
      Atomics.wait(this.#words, ARRIVED, arrived);
    }
  }
}
