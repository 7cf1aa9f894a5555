// Answers `mpslab papermill` at the end of a point: the run that `lab.logbook.record` would write, and the peak of memory.
// A global function, because a session that has not imported the library shall not load it to be asked.
import { installedSession } from "../../session.ts";
import { nativeDevice } from "../core/native_device.ts";
import { draft } from "./logbook.ts";

/** JSON of the run and of the most bytes of live tensors that the session has seen. */
function sessionRun(name: string): string {
  const run = draft({ name });
  const peakBytes = Math.max(nativeDevice().memoryStats().peakBytes, Number(run.fields.peakBytes ?? 0));
  return JSON.stringify({ run, peakBytes });
}

if (installedSession() !== null)
  (globalThis as Record<symbol, unknown>)[Symbol.for("mpslab.sessionRun")] = sessionRun;
