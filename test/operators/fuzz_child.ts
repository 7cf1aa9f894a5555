// How a child process of the fuzzer ends: by itself, by a signal, or by us where it says nothing for too long.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { SILENCE_MS } from "./fuzz_limits.ts";

/** Ends the process where it has said nothing for so long; to be asked for when it has just begun. */
export class Watched {
  readonly #closed: Promise<[number | null, NodeJS.Signals | null]>;
  readonly #timer: NodeJS.Timeout;
  #hangs = false;

  constructor(child: ChildProcess) {
    this.#closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    this.#timer = setTimeout(() => {
      this.#hangs = true;
      child.kill("SIGKILL");
    }, SILENCE_MS);
  }

  /** The process has said something. */
  heard(): void {
    this.#timer.refresh();
  }

  /** `does not end`, `SIGSEGV`; else its status. */
  async ending(): Promise<string | number> {
    const [status, signal] = await this.#closed;
    clearTimeout(this.#timer);
    return this.#hangs ? "does not end" : (signal ?? status ?? 0);
  }
}
