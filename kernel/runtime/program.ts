// A file that `mpslab run` runs as one cell: it ends as under node, when nothing is left that it began, or at an error that
// nothing catches. Does not know how a cell is evaluated.
import type { Worker } from "node:worker_threads";
import type { Outcome } from "./evaluate.ts";

const NOTHING = (): void => {};

export class Program {
  readonly #requests: Worker;
  #fail: (error: unknown) => void = NOTHING;

  private constructor(requests: Worker) {
    this.#requests = requests;
  }

  /**
   * Null where this is a notebook's session. The words of the command are the file's, as node's are. What the file starts
   * inherits none.
   *
   * @param requests the thread of this process that listens, which would keep the event loop alive
   */
  static take(requests: Worker): Program | null {
    const program = process.env["MPSLAB_PROGRAM"];
    if (program === undefined) return null;
    delete process.env["MPSLAB_PROGRAM"];
    process.argv.splice(1, process.argv.length, ...(JSON.parse(program) as string[]));
    return new Program(requests);
  }

  /** Settles when the code has, and the event loop is empty; at once where the code fails, or what it began. */
  toItsEnd(code: Promise<Outcome>): Promise<Outcome> {
    return new Promise((resolve) => {
      let outcome: Outcome | null = null;
      const end = (last: Outcome): void => {
        process.off("beforeExit", emptied);
        this.#fail = NOTHING;
        this.#requests.ref();
        resolve(last);
      };
      const emptied = (): void => {
        if (outcome !== null) end(outcome);
      };
      this.#fail = (error) => end({ ok: false, error });
      const settles = (settled: Outcome): void => {
        if (!settled.ok) return end(settled);
        outcome = settled;
        process.on("beforeExit", emptied);
        this.#requests.unref();
      };
      void code.then(settles);
    });
  }

  /** @returns whether the error ends the program, which then tells it */
  escaped(error: unknown): boolean {
    const isRunning = this.#fail !== NOTHING;
    this.#fail(error);
    return isRunning;
  }
}
