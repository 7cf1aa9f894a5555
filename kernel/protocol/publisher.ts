// The iopub socket: sends each message to every subscriber, in order. A slow subscriber slows the others and the
// session down, so that nothing is lost. A subscriber that does not read at all is skipped after a moment, as in
// ZeroMQ, which bounds memory and waiting.
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { XPublisher } from "zeromq";

export interface PublisherEvents {
  /** A client has just subscribed to this topic. */
  subscribed(topic: Buffer): void;
  /** Whether the queue is too long. While it is, producers of output should wait. */
  congested(congested: boolean): void;
}

/**
 * How long everyone waits for one subscriber that reads nothing. On a busy machine, a subscriber may get no processor
 * time for a second, and messages that it is not sent are lost.
 */
const PATIENCE_MS = 3000;
const RETRY_MS = 2;
/**
 * How many messages ZeroMQ holds for one subscriber before it reports congestion. ipykernel has the same limit. ZeroMQ
 * counts messages, not bytes.
 */
const MAX_MESSAGES = 1000;
const CONGESTED_BYTES = 16 << 20;
const RELIEVED_BYTES = 4 << 20;
/** After this many messages or bytes the event loop gets a turn, and ZeroMQ's thread time to pass them on. */
const STRETCH_MESSAGES = 64;
const STRETCH_BYTES = 4 << 20;

export class Publisher {
  /**
   * `allSubs`: a second client with the same subscription gets its welcome message too. `noDrop`: when too many
   * messages wait for a subscriber, ZeroMQ reports it and does not silently drop them.
   */
  readonly #socket = new XPublisher({
    verbosity: "allSubs",
    linger: 1000,
    noDrop: true,
    sendHighWaterMark: MAX_MESSAGES,
    sendTimeout: 0,
  });
  readonly #waiting: Buffer[][] = [];
  #waitingBytes = 0;
  #sending: Promise<void> | null = null;
  /** Since when a subscriber has not read anything; null while all keep up. */
  #stuckSinceMs: number | null = null;
  #congested = false;
  #events: PublisherEvents | null = null;

  bind(address: string): Promise<void> {
    return this.#socket.bind(address);
  }

  /** Listens until `close`. */
  async listen(events: PublisherEvents): Promise<void> {
    this.#events = events;
    const SUBSCRIBED = 1;
    for await (const [event] of this.#socket) {
      if (event?.[0] === SUBSCRIBED) events.subscribed(event.subarray(1));
    }
  }

  send(frames: Buffer[]): void {
    this.#waiting.push(frames);
    this.#waitingBytes += sizeOf(frames);
    this.#tellCongestion();
    this.#sending ??= this.#sendAll();
  }

  /** Closes the socket when all waiting messages have been sent or given up. */
  async close(): Promise<void> {
    await this.#sending;
    this.#socket.close();
  }

  async #sendAll(): Promise<void> {
    let messages = 0;
    let bytes = 0;
    for (let frames = this.#waiting.shift(); frames !== undefined; frames = this.#waiting.shift()) {
      const size = sizeOf(frames);
      await this.#sendOne(frames);
      this.#waitingBytes -= size;
      this.#tellCongestion();
      messages += 1;
      bytes += size;
      if (messages >= STRETCH_MESSAGES || bytes >= STRETCH_BYTES) {
        messages = bytes = 0;
        await (this.#stuckSinceMs === null ? nextTurn() : sleep(RETRY_MS));
      }
    }
    this.#sending = null;
  }

  /** Never rejects: after the socket is closed, messages are dropped. */
  async #sendOne(frames: Buffer[]): Promise<void> {
    for (;;) {
      try {
        await this.#socket.send(frames);
        this.#stuckSinceMs = null;
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      }
      this.#stuckSinceMs ??= performance.now();
      if (performance.now() - this.#stuckSinceMs > PATIENCE_MS) return await this.#sendWithoutWaiting(frames);
      await sleep(RETRY_MS);
    }
  }

  async #sendWithoutWaiting(frames: Buffer[]): Promise<void> {
    this.#setNoDrop(false);
    await this.#socket.send(frames).catch(() => {});
    this.#setNoDrop(true);
  }

  /** zeromq.js warns that the option takes effect only at the next `bind`; libzmq applies this one at once. */
  #setNoDrop(noDrop: boolean): void {
    if (this.#socket.closed) return;
    const { emitWarning } = process;
    process.emitWarning = () => {};
    try {
      this.#socket.noDrop = noDrop;
    } finally {
      process.emitWarning = emitWarning;
    }
  }

  #tellCongestion(): void {
    const congested = this.#waitingBytes > (this.#congested ? RELIEVED_BYTES : CONGESTED_BYTES);
    if (congested === this.#congested) return;
    this.#congested = congested;
    this.#events?.congested(congested);
  }
}

function sizeOf(frames: readonly Buffer[]): number {
  return frames.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
