// Declares what `lab.tune` changes, as plain data: the knobs, and a setting of all of them. `training.ts` applies it.
import type { AutocastDType } from "../../torch/amp/autocast.ts";

/** In the order in which a table of settings names them. The order in which they are tried depends on the seed. */
export const KNOBS = [
  "threads",
  "channelsLast",
  "autocast",
  "batch",
  "numWorkers",
  "checkpoint",
  "capture",
] as const;

export type TuneKnob = (typeof KNOBS)[number];

/** One value of each knob. */
export type TuneSettings = {
  /** Items of one step. */
  readonly batch: number;
  /** The number of CPU threads that compute an operator: `torch.setNumThreads`. */
  readonly threads: number;
  /** Whether the weights of convolutions are in channels-last memory format. */
  readonly channelsLast: boolean;
  readonly autocast: "off" | AutocastDType;
  /** The workers of a `DataLoader`. */
  readonly numWorkers: number;
  readonly checkpoint: boolean;
  /** Whether the step is replayed by `torch.capture`. */
  readonly capture: boolean;
};

export type KnobValue = TuneSettings[TuneKnob];

/** `off`, `on`, `64`, `bfloat16` */
export function valueText(value: unknown): string {
  return typeof value === "boolean" ? (value ? "on" : "off") : String(value);
}
