// The heartbeat socket: sends back every frame, so that a client sees that the kernel lives.
import { Context, Dealer, Proxy, Router } from "zeromq";
import { bind } from "./bind.ts";

/** libuv's default if `UV_THREADPOOL_SIZE` is not set. */
const POOL_THREADS = 4;

/**
 * Echoes in a thread and a context of its own, so that it beats while the kernel's thread is busy. ZeroMQ's proxy
 * needs a second socket: a dealer that is connected to itself hands every message straight back.
 *
 * The thread is one of Node's pool, for good. Where the pool has no other, files would never be read again: then the
 * kernel's own thread echoes, which runs nothing of the user's.
 */
export class Heartbeat {
  readonly #context = new Context();
  readonly #router = new Router({ context: this.#context, handover: true, linger: 0 });
  #proxy: Proxy<Router, Dealer> | null = null;
  #echoing: Promise<void> = Promise.resolve();

  /** @throws when the address is taken */
  async start(address: string): Promise<void> {
    await bind(this.#router, address);
    if (poolThreads() === 1) return void this.#answer();
    const echo = new Dealer({ context: this.#context, linger: 0 });
    await echo.bind("inproc://heartbeat");
    echo.connect("inproc://heartbeat");
    // A process that exits while the proxy runs hangs in the context's destructor.
    process.once("exit", this.#terminate);
    this.#proxy = new Proxy(this.#router, echo);
    this.#echoing = this.#proxy.run();
  }

  /** Resolves when the thread has let go of its sockets: an exit would close them under it, and may hang. */
  async stop(): Promise<void> {
    if (this.#proxy === null) return this.#router.close();
    process.off("exit", this.#terminate);
    this.#terminate();
    await this.#echoing;
    // Not before: what the thread does last is done with the proxy, and the thread alone does not keep it.
    this.#proxy = null;
  }

  readonly #terminate = (): void => {
    this.#proxy?.terminate();
  };

  async #answer(): Promise<void> {
    for await (const frames of this.#router) await this.#router.send(frames).catch(() => {});
  }
}

/** Reads the number of threads as libuv does: text that is not a number counts as 0, and 0 as 1. */
function poolThreads(): number {
  const set = process.env["UV_THREADPOOL_SIZE"];
  return set === undefined ? POOL_THREADS : Math.max(1, Number.parseInt(set, 10) || 0);
}
