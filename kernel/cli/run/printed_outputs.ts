// Prints a cell's outputs to the terminal: text as it comes; a display that is updated only once, in its last state.
import type { Json, Message } from "../../protocol/messages.ts";

export class PrintedOutputs {
  /** The latest text of displays that may be updated, by id. */
  readonly #updated = new Map<string, string>();

  /** The reader of a pipe may close it early, as `head` does. The program then goes on, as with Node's `console`. */
  constructor() {
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  }

  /** Skips messages that are no output, and the value of the last line, because a program has no such value. */
  take({ header: { msg_type: type }, content }: Message): void {
    if (type === "stream") {
      const stream = content["name"] === "stderr" ? process.stderr : process.stdout;
      stream.write(content["text"] as string);
      return;
    }
    if (type !== "display_data" && type !== "update_display_data") return;
    const text = textOf(content);
    const id = (content["transient"] as { display_id?: string } | null | undefined)?.display_id;
    if (id !== undefined) this.#updated.set(id, text);
    else if (text !== "") process.stdout.write(`${text}\n`);
  }

  /** Prints the displays that were updated, in the order in which they came. */
  end(): void {
    for (const text of this.#updated.values()) if (text !== "") process.stdout.write(`${text}\n`);
  }
}

const textOf = (content: Json): string =>
  ((content["data"] as Readonly<Record<string, unknown>>)["text/plain"] as string | undefined) ?? "";
