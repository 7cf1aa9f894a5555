// Runs one sweep on other machines, by whatever connection: opens the journal and the connection, and closes both,
// whichever way the cell ends.
import { outputSink } from "../../display.ts";
import { installedSession } from "../../session.ts";
import { openJournal } from "../sweep/journal.ts";
import { withJournalLock } from "../sweep/journal_lock.ts";
import { showSweep, SILENT } from "../sweep/show.ts";
import { journalFile, pointsIdentity } from "../sweep/sweep.ts";
import type { RemotePlan } from "./options.ts";
import type { RemoteSweepResult } from "./result.ts";
import { type WorkerPool, RemoteSweepRun } from "./run.ts";

export interface Connection {
  readonly pool: WorkerPool;
  /** Ends what runs on the other machines. Never throws, and settles within seconds. */
  close(): Promise<void>;
}

/** @param call the name of the public call, for errors */
export async function journaledSweep(
  call: string,
  plan: RemotePlan,
  connect: () => Connection,
): Promise<RemoteSweepResult> {
  const file = journalFile(plan);
  return await withJournalLock(file, async () => {
    const identity = { remote: true, device: plan.device, ...pointsIdentity(plan, plan.setup) };
    const opened = file === null ? null : openJournal(call, file, identity, plan.restart);
    const signal = installedSession()?.cellSignal();
    const sink = outputSink();
    const connection = connect();
    // The end of the cell waits until the other machines have stopped, which takes seconds.
    const stop = () => sink.pending(connection.close());
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const show = plan.show ? showSweep(sink) : SILENT;
      const run = new RemoteSweepRun(plan, connection.pool, opened?.records ?? [], file, show);
      return await run.toTheEnd({
        recorded: (record) => opened?.journal?.record(record),
        ended: (reasons) => opened?.journal?.end(reasons),
        throwIfInterrupted: () => signal?.throwIfAborted(),
      });
    } finally {
      signal?.removeEventListener("abort", stop);
      await connection.close();
    }
  });
}

/** Prints what cells on other machines print, each line with its machine's name. */
export function printFrom(name: string, text: string): void {
  const lines = text.replace(/\n$/, "").split("\n");
  process.stdout.write(lines.map((line) => `[${name}] ${line}\n`).join(""));
}
