// Whether memory grows from epoch to epoch: the runbook's threshold as data, and the verdict on a row of records.
// Measures nothing.
import { checkChoice, checkList } from "../torch/arguments.ts";
import type { EpochRecord } from "./ledger.ts";

/** "If unified memory rises more than 26 percent over ten epochs with empty_cache at boundaries, suspect retained tensors." */
export const GROWTH_THRESHOLD = { rise: 0.26, epochs: 10 } as const;

export type GrowthMetric = "allocatedBytes" | "driverBytes" | "footprintBytes";

/** An epoch, or as many steps as one: its memory after the flush at its end. */
export type FlushedEpoch = Pick<EpochRecord, "epoch" | "first" | "complete"> & {
  readonly cut?: boolean;
  readonly after: Pick<EpochRecord["after"], GrowthMetric>;
};

export interface Growth {
  readonly metric: GrowthMetric;
  /** `undecided` until there were ten complete flushes after the first steady one, and for ever without flushes. */
  readonly verdict: "growing" | "steady" | "undecided";
  /** Bytes after the flush at the two ends of the window; null where there are not two such flushes. */
  readonly fromBytes: number | null;
  readonly toBytes: number | null;
  /** `toBytes / fromBytes - 1`; Infinity from nothing to something. */
  readonly rise: number | null;
  /** Epochs from one end of the window to the other. */
  readonly epochs: number;
}

/**
 * Looks at the last ten epochs of one loop. Its first epoch is no measure (caches fill), and neither is one that a throw or
 * an interrupt cut, or that ended with an incomplete collection: what nobody holds any more may still be there.
 */
export function growth(records: readonly FlushedEpoch[], metric: GrowthMetric = "allocatedBytes"): Growth {
  checkList("lab.growth", "records", records);
  checkChoice("lab.growth", "metric", metric, ["allocatedBytes", "driverBytes", "footprintBytes"]);
  const flushed = records.filter((record) => !record.first && !isCut(record) && record.complete);
  const last = flushed.at(-1);
  const first =
    last &&
    (flushed.findLast((record) => last.epoch - record.epoch >= GROWTH_THRESHOLD.epochs) ?? flushed[0]);
  if (!last || !first || first === last) {
    return { metric, verdict: "undecided", fromBytes: null, toBytes: null, rise: null, epochs: 0 };
  }
  const fromBytes = first.after[metric];
  const toBytes = last.after[metric];
  const rise = toBytes === fromBytes ? 0 : toBytes / fromBytes - 1;
  const epochs = last.epoch - first.epoch;
  if (epochs < GROWTH_THRESHOLD.epochs)
    return { metric, verdict: "undecided", fromBytes, toBytes, rise, epochs };
  // Minor collections may have widened the window.
  const riseOverTen = rise * (GROWTH_THRESHOLD.epochs / epochs);
  const verdict = riseOverTen > GROWTH_THRESHOLD.rise ? "growing" : "steady";
  return { metric, verdict, fromBytes, toBytes, rise, epochs };
}

/** What to do where the verdict is undecided. */
export function growthRemedy(records: readonly FlushedEpoch[]): string {
  const wanted = GROWTH_THRESHOLD.epochs + 2;
  const whole = records.filter((record) => !isCut(record));
  if (whole.length < wanted) return `run an epoch loop of ${wanted} epochs or more`;
  const complete = whole.filter((record) => record.complete).length;
  return `run more epochs, or longer ones: ${complete} of ${whole.length} flushes were complete, and it takes two that are ${GROWTH_THRESHOLD.epochs} epochs apart`;
}

/** Records that an earlier version wrote do not say. */
function isCut({ cut = false }: FlushedEpoch): boolean {
  return cut;
}
