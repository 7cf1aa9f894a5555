// Defines the classes of errors that the addon throws beside JavaScript's TypeError and RangeError. `native.ts`
// passes them to the addon, and `index.ts` exports them, so that a cell can test for them with `instanceof`.
//
// An error from libtorch has a `cause`, an error named "libtorch" with libtorch's own text. Its `code` stays the same
// when a message changes (`native/addon/errors.cc`): ERR_TORCH_OUT_OF_MEMORY, ERR_TORCH_UNSUPPORTED_OPERATOR,
// ERR_TORCH_DEVICE_MISMATCH, ERR_TORCH_TYPE, ERR_TORCH_RANGE, ERR_TORCH_INTERNAL (an assertion inside libtorch
// failed), and ERR_TORCH for all others.

/** A tensor that held memory when an allocation failed. */
export interface MemoryHolder {
  /** Dtype, shape and device: `float32 [512, 784] on mps:0`. */
  readonly tensor: string;
  /** The size of its storage, which views share. */
  readonly bytes: number;
  /** The cell that made it, `Cell [3]`; empty outside of cells. */
  readonly cell: string;
  /** The variable that leads to it: `images`, `model.0.weight`; null where none does. */
  readonly variable: string | null;
}

/** A device or the host ran out of memory, even after a garbage collection and with an emptied cache. */
export class OutOfMemoryError extends Error {
  override readonly name = "OutOfMemoryError";
  /** The largest tensors, largest first. */
  declare readonly holders: readonly MemoryHolder[];

  constructor(message: string, holders: readonly MemoryHolder[] = []) {
    super(message);
    // Not enumerable: the message lists them already, and printing an error also prints its enumerable properties.
    Object.defineProperty(this, "holders", { value: holders });
  }
}

/** The operator exists, but not for this device, dtype or layout. */
export class UnsupportedOperatorError extends Error {
  override readonly name = "UnsupportedOperatorError";
}

/** Thrown for a feature of PyTorch that this library cannot have. The message says why, and what to use instead. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
}

/** Tensors of different devices met in one operator. */
export class DeviceMismatchError extends Error {
  override readonly name = "DeviceMismatchError";
}

/** A tensor was used after `dispose()`, or after the `tidy` that made it. */
export class UseAfterDisposeError extends Error {
  override readonly name = "UseAfterDisposeError";
}
