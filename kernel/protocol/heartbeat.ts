// The heartbeat socket: sends back every frame, so that a client sees that the kernel is alive.
import { Context, Dealer, Proxy, Router } from "zeromq";
import { bind } from "./bind.ts";

/** The size of libuv's thread pool if `UV_THREADPOOL_SIZE` is not set. */
const POOL_THREADS = 4;

/**
 * Echoes in a thread and a ZeroMQ context of its own, so that it answers while the kernel's thread is busy. ZeroMQ's
 * proxy needs a second socket: a dealer that is connected to itself hands every message straight back.
 *
 * It occupies one thread of Node's pool for good. If the pool has only one thread, no file could be read any more; then
 * the kernel's own thread echoes, which runs none of the user's code.
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
    // If the process exits while the proxy runs, the context's destructor hangs.
    process.once("exit", this.#terminate);
    this.#proxy = new Proxy(this.#router, echo);
    this.#echoing = this.#proxy.run();
  }

  /**
   * Resolves when the thread has released its sockets. An exit before that would close them while they are used, and
   * may hang.
   */
  async stop(): Promise<void> {
    if (this.#proxy === null) return this.#router.close();
    process.off("exit", this.#terminate);
    this.#terminate();
    await this.#echoing;
    // Only now: the thread uses the proxy until its end, and its reference does not keep the proxy alive.
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
