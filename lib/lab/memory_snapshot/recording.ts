// Starts and stops the addon's recording of allocations, and notes where epochs end.
import { observeCells } from "../../session.ts";
import { collectGarbage } from "../../torch/engine/garbage.ts";
import { native } from "../../torch/engine/native.ts";
import type { NativeHistory } from "../../torch/engine/native_memory_history.ts";
import { nativeDevice } from "../core/native_device.ts";
import { Places } from "./places.ts";

export interface RecordingSettings {
  readonly maxEvents: number;
  readonly everyLine: boolean;
}

export interface Recording {
  readonly settings: RecordingSettings;
  readonly places: Places;
  /** Microseconds since 1970. */
  readonly beganUs: number;
  /** How many events had been recorded at the end of each epoch. */
  readonly epochEnds: readonly number[];
  /** How many events there were so far, or when the recording was stopped. */
  countEvents(): number;
  /** @throws Error after `stop` */
  read(call: string): NativeHistory;
  stop(): void;
}

const MICROSECONDS = 1000;

let markEpoch: (() => void) | null = null;
observeCells({ epochEnded: () => markEpoch?.() });

/** Waits for the device, and frees unreachable tensors. */
export function settleMemory(): void {
  const device = nativeDevice();
  device.synchronize();
  collectGarbage("full");
  device.synchronize();
}

/** @throws Error if another recording is running */
export function startRecording(settings: RecordingSettings): Recording {
  // Unreachable tensors must not count as memory from before the recording.
  settleMemory();
  const places = new Places();
  const epochEnds: number[] = [];
  const beganUs = (performance.timeOrigin + performance.now()) * MICROSECONDS;
  // Whether mps must be recorded by operators: PyTorch's Metal allocator reports nothing, the simulated one does. It
  // matters even if the session's device is another, because a tensor may still be on mps.
  const isSilent = native.devices().available.includes("mps") && native.simulatedMetal() === null;
  native.startMemoryHistory({ ...settings, ...(isSilent && { resultsOf: "mps" }) }, places.here);
  const mark = (): void => void epochEnds.push(native.memoryHistoryEvents());
  markEpoch = mark;
  let runs = true;
  let lastCount = 0;
  return {
    settings,
    places,
    beganUs,
    epochEnds,
    countEvents: () => (runs ? native.memoryHistoryEvents() : lastCount),
    read(call) {
      if (!runs) throw new Error(`${call}: the recording was stopped. Take the snapshot before stop().`);
      return native.memoryHistory();
    },
    stop() {
      if (!runs) return;
      lastCount = native.memoryHistoryEvents();
      runs = false;
      if (markEpoch === mark) markEpoch = null;
      native.stopMemoryHistory();
    },
  };
}
