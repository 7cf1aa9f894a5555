// Declares the state of a session after its notebook ran, in the form in which `session_questions.ts` prints it and a
// notebook's metadata keeps it.
import { counted } from "../../../lib/words.ts";

export interface TensorSummary {
  readonly shape: string;
  readonly dtype: string;
  readonly sha256: string;
  /**
   * The sums of the values, of their absolute values (`size`), and of the values weighted by position (`order`); null
   * for complex numbers.
   */
  readonly sum: string | null;
  readonly size: string | null;
  /** Earlier versions did not store it. */
  readonly order?: string | null;
}

export interface EpochSummary {
  readonly loop: number;
  readonly epoch: number;
  readonly fallbacks: number | null;
  readonly allocatedBytes: number | null;
}

/** The session's answer. JSON has no NaN, so null stands for it. */
export interface SessionFingerprint {
  readonly machine: Readonly<Record<string, string>>;
  readonly losses: readonly (number | null)[];
  readonly heldBytes: number;
  readonly tensors: Readonly<Record<string, TensorSummary>>;
  readonly epochs: readonly EpochSummary[];
}

export interface Fingerprint extends SessionFingerprint {
  /** How many backward passes there were after each code cell. */
  readonly steps: readonly number[];
}

/**
 * The fingerprint of an earlier version, which stored the machine as one line of text, and neither steps nor losses.
 */
export type StoredFingerprint = Omit<Fingerprint, "machine" | "steps" | "losses"> & {
  readonly machine: Readonly<Record<string, string>> | string;
} & Partial<Pick<Fingerprint, "steps" | "losses">>;

/** `3 tensors, 1 epoch` */
export function fingerprintText({ tensors, epochs }: Pick<Fingerprint, "tensors" | "epochs">): string {
  return `${counted(Object.keys(tensors).length, "tensor")}, ${counted(epochs.length, "epoch")}`;
}
