// A file that `mpslab run` runs as one cell. As under node, it ends when nothing that it started is left, or at an
// error that nothing catches. Does not know how a cell is evaluated.
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
   * Null in a notebook's session. `process.argv` becomes the arguments of the command, as under node. Processes that
   * the file starts do not inherit the variable that holds them.
   *
   * @param requests the thread that reads requests, which would keep the event loop alive
   */
  static take(requests: Worker): Program | null {
    const program = process.env["MPSLAB_PROGRAM"];
    if (program === undefined) return null;
    delete process.env["MPSLAB_PROGRAM"];
    process.argv.splice(1, process.argv.length, ...(JSON.parse(program) as string[]));
    return new Program(requests);
  }

  /**
   * Settles when the code has ended and the event loop is empty; at once if the code, or something that it started,
   * fails.
   */
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

  /** @returns whether the error ends the program, which then reports it */
  escaped(error: unknown): boolean {
    const isRunning = this.#fail !== NOTHING;
    this.#fail(error);
    return isRunning;
  }
}
