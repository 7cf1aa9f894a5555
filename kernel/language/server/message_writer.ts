// Writes messages to the TypeScript server with as few writes as possible. The library's own writer makes two writes
// for each message and waits between them. A cell sends eight to twelve messages, and a write costs as much as a small
// check.
import type { Writable } from "node:stream";
import { AbstractMessageWriter, type Message, type MessageWriter } from "vscode-jsonrpc/node";

export class WholeMessageWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    super();
    this.#stream = stream;
    stream.on("error", (error) => this.fireError(error));
    stream.on("close", () => this.fireClose());
  }

  /** Writes a message. The messages of one turn of the event loop are written together. */
  async write(message: Message): Promise<void> {
    const body = JSON.stringify(message);
    if (this.#stream.writableCorked === 0) {
      this.#stream.cork();
      process.nextTick(() => this.#stream.uncork());
    }
    this.#stream.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  end(): void {}
}
