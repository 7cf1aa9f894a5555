// Answers `mpslab papermill` at the end of a point, and `mpslab smoke`: the run that `lab.logbook.record` would write,
// the peak of memory, and the verdict on its growth. It is a global function, so that asking does not load the library
// into a session that has not imported it.
import { installedSession } from "../../session.ts";
import { ledger } from "../core/ledger.ts";
import { growthRemedy, memoryGrowth } from "../epochs/growth.ts";
import { quotedGrowth } from "../epochs/growth_text.ts";
import { nativeDevice } from "../core/native_device.ts";
import { draft } from "../logbook/logbook.ts";

/** The JSON of: the run, the most bytes of live tensors that the session has seen, and the verdict on the last loop. */
function sessionRun(name: string): string {
  const run = draft({ name });
  const peakBytes = Math.max(nativeDevice().memoryStats().peakBytes, Number(run.fields.peakBytes ?? 0));
  const { epochs } = ledger;
  const loop = epochs.filter((record) => record.loop === epochs.at(-1)?.loop);
  const growth = memoryGrowth(loop);
  const { verdict } = growth;
  const text = verdict === "undecided" ? growthRemedy(loop) : quotedGrowth(growth);
  return JSON.stringify({ run, peakBytes, memory: { verdict, text } });
}

if (installedSession() !== null)
  (globalThis as Record<symbol, unknown>)[Symbol.for("mpslab.sessionRun")] = sessionRun;
