// Declares what `lab.tune` turns, as plain data: the knobs, and one setting of all of them. `training.ts` applies it.
import type { AutocastDType } from "../../torch/amp/autocast.ts";

/** In the order in which a table of settings names them; the seed orders the tries. */
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
  /** Threads in which the processor computes an operator: `torch.setNumThreads`. */
  readonly threads: number;
  /** Whether the weights of convolutions lie with their channels last. */
  readonly channelsLast: boolean;
  readonly autocast: "off" | AutocastDType;
  /** Threads of a `DataLoader`. */
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
