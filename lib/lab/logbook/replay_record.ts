// Answers `mpslab replay`: which machine computes, how many backward passes ran, and the first losses. If
// `MPSLAB_REPLAY` is set, as replay sets it, losses are kept from the first backward pass on. A change of the program
// shows in these losses; a different order of summation hardly does.
import { thisSystem } from "../../platform/system.ts";
import { installedSession } from "../../session.ts";
import { instructionSet, processor } from "../../torch/engine/instruction_sets.ts";
import { isCapturing } from "../../torch/engine/captured_effects.ts";
import { native, replaceNative, whenLoaded } from "../../torch/engine/native.ts";
import type { Tensor } from "../../torch/tensor/tensor.ts";
import { torch } from "../../torch/torch.ts";

/** Losses of steps 0 to 10. */
const EARLY_STEPS = 11;

/** Kept as tensors until replay asks: reading a value would make the host wait for the device during a step. */
const early: (number | Tensor)[] = [];
let steps = 0;

export interface ReplayRecord {
  /** Returns the properties of the machine on which the exact bits of a result depend, besides the program. */
  machine(): Readonly<Record<string, string>>;
  /** Backward passes so far. */
  steps(): number;
  /** The first losses; NaN for one whose tensor was disposed. */
  losses(): number[];
}

/** The machine on which a run computes, as a replay compares it. */
export function machine(): Readonly<Record<string, string>> {
  const { name, vectorFlags } = processor();
  const simulated = native.simulatedMetal() === null ? "" : " (simulated)";
  return {
    platform: `${thisSystem.name} ${thisSystem.architecture}`,
    processor: name,
    instructions: `${instructionSet()} of ${vectorFlags.join(" ")}`,
    device: `${torch.device()}${simulated}`,
    libtorch: native.version,
    // An operator's sums are split among the threads.
    threads: String(native.getNumThreads()),
  };
}

const record: ReplayRecord = {
  machine,
  steps: () => steps,
  losses: () =>
    early.map((loss) => {
      if (typeof loss === "number") return loss;
      return native.isDisposed(loss) ? Number.NaN : Number(native.item(loss));
    }),
};

function keepLosses(): void {
  replaceNative((own) => {
    const keep = (losses: readonly Tensor[]): void => {
      // A step that is being captured reads nothing on the host.
      if (isCapturing()) return;
      const [loss] = losses;
      if (steps++ >= EARLY_STEPS || loss === undefined || own.numel(loss) !== 1) return;
      // The loss is kept without its graph. On the CPU it is read at once: that waits for nothing, and observers see no
      // extra operator.
      early.push(own.device(loss) === "cpu" ? Number(own.item(loss)) : loss.detach());
    };
    return {
      backward(...args) {
        keep(args[0]);
        own.backward(...args);
      },
      gradients(...args) {
        keep(args[0]);
        return own.gradients(...args);
      },
      // What a captured step returns first is its loss, if it is a number.
      replay(...args) {
        const results = own.replay(...args);
        keep(results);
        return results;
      },
    };
  });
}

// Only a session is recorded, because a loader's workers train nothing.
if (process.env["MPSLAB_REPLAY"] && installedSession() !== null) {
  (globalThis as Record<symbol, unknown>)[Symbol.for("mpslab.replayRecord")] = record;
  whenLoaded(keepLosses);
}
