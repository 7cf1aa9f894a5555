// Types of what the session provides to a magic that runs in it. Types only: the kernel process loads the handlers
// too, and must load neither the runtime nor the library.
import type { DeviceInterface } from "../../lib/lab/core/device_interface.ts";
import type { MimeBundle, NotebookName } from "../session/channel.ts";

export type { DeviceInterface } from "../../lib/lab/core/device_interface.ts";

export interface SessionSide {
  /** The notebook's folder. */
  readonly directory: string;
  /** Fires when the cell is interrupted. */
  readonly signal: AbortSignal;
  /** Values that were declared before the cell, in that order; empty unless the magic reads names. */
  readonly names: readonly NotebookName[];
  /** The value behind a name's `runtimeName`; null if it never got one. */
  valueOf(runtimeName: string): { readonly value: unknown } | null;
  /** Forgets all names, and `In`, `Out` and `_`. */
  forget(): void;
  readonly snapshots: SnapshotSide;
  readonly thrown: ThrownSide;
  print(text: string): void;
  printError(text: string): void;
  show(bundle: MimeBundle): void;
  /** Asks the user a yes-or-no question. @throws if the front end takes no input */
  confirm(question: string): boolean;
  /** Waits as `await` in a cell does: an interrupt rejects it. */
  awaiting(value: unknown): Promise<unknown>;
  /**
   * Runs a program in the notebook's folder, its output in the cell. `errors`: the end of its stderr.
   *
   * @throws Error if it cannot be started
   */
  execute(
    command: string,
    args: readonly string[],
  ): Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly errors: string;
  }>;
  /** The device, or null if the library is not loaded: then no code has used it. */
  accelerator(): Promise<DeviceInterface | null>;
  /** Collects garbage and empties the cache. Bytes of tensors that it freed; null if the library is not loaded. */
  collect(): Promise<number | null>;
  /** Parts of the library. Each is loaded when it is first called; most of them load libtorch. */
  lab(): Promise<typeof import("../../lib/lab/index.ts")>;
  device(): Promise<typeof import("../../lib/torch/engine/device.ts")>;
  mps(): Promise<typeof import("../../lib/torch/devices/mps/mps.ts")>;
  /** Before libtorch is loaded: it then leaves CUDA out, beside which it simulates no Metal. @param simulation `simulated 4GB` */
  leaveCudaOut(simulation: string): void;
  simulatedMetal(): Promise<typeof import("../../lib/torch/devices/mps/simulated_metal.ts")>;
  simulationOptions(): Promise<typeof import("../../lib/torch/vocabulary/simulation_options.ts")>;
  /** The variables that PyTorch reads for mps. Loads nothing else. */
  environmentVariables(): Promise<typeof import("../../lib/torch/devices/mps/environment_variables.ts")>;
  units(): Promise<typeof import("../../lib/units.ts")>;
  /** How tables show themselves. Loads nothing else. */
  views(): Promise<typeof import("../../lib/views/shown_as.ts")>;
}

/** The state at the last error, which `%pdb on` has kept. */
export interface ThrownSide {
  /** The error's call stack with the variables of one frame, counted from 1; null if nothing was kept. */
  describe(frame: number): string | null;
  /**
   * Evaluates an expression in a frame, and resolves with the MIME bundle of its value. @throws what the expression
   * throws
   */
  evaluate(frame: number, expression: string): Promise<MimeBundle>;
}

export interface SnapshotSide {
  /** Whether snapshots are taken after cells and epochs. */
  setAutomatic(on: boolean): Promise<void>;
  /** Resolves with what is to be printed. @param names null: every variable */
  save(names: readonly string[] | null): Promise<string>;
}
