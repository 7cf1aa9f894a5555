// Ctrl-C and the signals that end a program: the first one ends the run of a notebook in order, a second one ends this
// process at once. Does not know what runs.
import { constants } from "node:os";
import { UnfinishedRun } from "./unfinished_run.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A shell adds a signal's number to this: 130 after Ctrl-C. */
const SIGNAL_STATUS = 128;

let interruption: Promise<never> | null = null;

/** Never resolves; rejects with an `UnfinishedRun` at the first signal, also at one that came before. */
export function interrupted(): Promise<never> {
  return (interruption ??= untilSignal());
}

function untilSignal(): Promise<never> {
  const signalled = new Promise<never>((_, reject) => {
    let isSecond = false;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        const status = SIGNAL_STATUS + constants.signals[signal];
        // The kernel notices that its parent is gone, and ends.
        if (isSecond) process.exit(status);
        isSecond = true;
        reject(new UnfinishedRun("interrupted", status));
      });
    }
  });
  // This avoids an unhandled rejection when no caller waits.
  signalled.catch(() => {});
  return signalled;
}
