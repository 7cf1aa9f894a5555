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
  /** Of the kernel's own thread, if that echoes. */
  #router: Router | null = null;
  #proxy: Proxy<Router, Dealer> | null = null;
  #echoing: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** @throws when the address is taken */
  async start(address: string): Promise<void> {
    const context = new Context();
    const router = new Router({ context, handover: true, linger: 0 });
    await bind(router, address);
    if (poolThreads() === 1) {
      this.#router = router;
      return void this.#answer(router);
    }
    const echo = new Dealer({ context, linger: 0 });
    await echo.bind("inproc://heartbeat");
    echo.connect("inproc://heartbeat");
    // If the process exits while the proxy runs, the context's destructor hangs.
    process.once("exit", this.#terminate);
    this.#proxy = new Proxy(router, echo);
    this.#echoing = this.#proxy.run().catch((error: unknown) => this.#goOn(error, address));
  }

  /**
   * A signal interrupts the proxy, which closes its sockets then. Node handles SIGCHLD, and the system may choose this thread for
   * it: when a child ends, and after Ctrl-Z and `fg`.
   */
  async #goOn(error: unknown, address: string): Promise<void> {
    process.off("exit", this.#terminate);
    this.#proxy = null;
    if ((error as NodeJS.ErrnoException).code !== "EINTR") throw error;
    if (!this.#isStopped) await this.start(address);
  }

  /**
   * Resolves when the thread has released its sockets. An exit before that would close them while they are used, and
   * may hang.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#proxy === null) return this.#router?.close();
    process.off("exit", this.#terminate);
    this.#terminate();
    await this.#echoing;
    // Only now: the thread uses the proxy until its end, and its reference does not keep the proxy alive.
    this.#proxy = null;
  }

  readonly #terminate = (): void => {
    this.#proxy?.terminate();
  };

  async #answer(router: Router): Promise<void> {
    for await (const frames of router) await router.send(frames).catch(() => {});
  }
}

/** Reads the number of threads as libuv does: text that is not a number counts as 0, and 0 as 1. */
function poolThreads(): number {
  const set = process.env["UV_THREADPOOL_SIZE"];
  return set === undefined ? POOL_THREADS : Math.max(1, Number.parseInt(set, 10) || 0);
}
