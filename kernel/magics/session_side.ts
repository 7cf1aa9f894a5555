// What the session lends to a magic that runs in it. Types alone: the kernel process reads the magics' grammar and must
// load neither the runtime nor the library.
import type { MimeBundle, NotebookName } from "../session/channel.ts";

export interface SessionSide {
  /** The notebook's folder. */
  readonly directory: string;
  /** Fires when the cell is interrupted. */
  readonly signal: AbortSignal;
  /** Values that were declared before the cell, in that order; empty unless the magic reads names. */
  readonly names: readonly NotebookName[];
  /** The value behind a name's `runtimeName`; null where it never got one. */
  valueOf(runtimeName: string): { readonly value: unknown } | null;
  print(text: string): void;
  printError(text: string): void;
  show(bundle: MimeBundle): void;
  /** The library's parts, loaded by whoever asks first; libtorch with them. */
  lab(): Promise<typeof import("../../lib/lab/index.ts")>;
  device(): Promise<typeof import("../../lib/torch/device.ts")>;
  units(): Promise<typeof import("../../lib/lab/units.ts")>;
}
