// Declares the result of `lab.parity` as plain data.
import type { TensorDelta } from "./tensors.ts";
import type { ParityGroup } from "./tolerance.ts";

export interface GroupDelta {
  readonly group: ParityGroup;
  readonly tensors: number;
  readonly worst: TensorDelta;
  readonly within: boolean;
}

export interface ValueDelta {
  /** `loss of step 3`, `accuracy`. */
  readonly name: string;
  readonly value: number | null;
  readonly other: number | null;
  readonly delta: number | null;
  readonly within: boolean;
}

export interface Parity {
  readonly device: string;
  /** The other device; null if only a record is compared with. */
  readonly comparedWith: string | null;
  readonly steps: number;
  readonly seed: number;
  readonly groups: readonly GroupDelta[];
  /** Tensors beyond their tolerance come first, then the others by the share of their tolerance that they use. */
  readonly tensors: readonly TensorDelta[];
  /** Losses of each step beside the other device's. */
  readonly losses: readonly ValueDelta[];
  /** Metrics after the last step beside the other device's. */
  readonly metrics: readonly ValueDelta[];
  /** Losses and metrics beside the record's. */
  readonly record: { readonly source: string; readonly deltas: readonly ValueDelta[] } | null;
  readonly within: boolean;
  /** A note if random numbers came from the devices' own generators, which draw different ones from one seed. */
  readonly notes: readonly string[];
}
