// Converts a rank's epoch loop to the bundle from which the kernel draws it together with those of the other ranks.
import type { MimeBundle } from "../../display.ts";
import type { EpochRecord } from "../../records/epochs.ts";
import { RANK_LOOP_MIME, type RankEpoch, type RankLoop } from "../../records/rank_loops.ts";
import type { LoopRecords } from "./epoch_loop.ts";
import { riseParts } from "./growth_text.ts";

export function rankLoopBundle(
  loop: string,
  run: number,
  { epochs, holders }: Pick<LoopRecords, "epochs" | "holders">,
  ended: boolean,
): MimeBundle {
  const whole = epochs.filter(({ cut }) => !cut);
  const told: RankLoop = {
    loop,
    run,
    epochs: whole.map(epochOf),
    cut: whole.length < epochs.length,
    growth: whole.length === 0 ? "" : (riseParts(epochs, holders)?.details.join(" ") ?? ""),
    ended,
  };
  return { [RANK_LOOP_MIME]: told };
}

function epochOf({ epoch, device, wallMs, flushMs, before, after, metrics }: EpochRecord): RankEpoch {
  const shown = Object.entries(metrics).map(([name, value]) => [name, Number.isFinite(value) ? value : null]);
  return {
    epoch,
    device,
    totalMs: wallMs + flushMs,
    flushMs,
    peakBytes: before.peakBytes,
    allocatedBytes: after.allocatedBytes,
    metrics: Object.fromEntries(shown) as RankEpoch["metrics"],
  };
}
