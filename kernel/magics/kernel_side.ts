// Types of what a kernel magic receives before its cell runs, and of the effects that it returns. Plain data.
/** `error`: type errors stop the cell; `warn`: they are printed and it runs; `off`: types are not checked. */
export type CheckMode = "error" | "warn" | "off";

/** The notebook's switches. A change applies from the cell that makes it, including that cell. */
export interface Switches {
  readonly check: CheckMode;
  readonly flush: boolean;
  /** Whether the state at an error is kept for `%debug`. */
  readonly pdb: boolean;
  /** Whether stale cells are marked. */
  readonly stale: boolean;
}

export interface KernelState {
  readonly switches: Switches;
  /** The notebook's folder. */
  readonly directory: string;
  /** The numbers of the cells whose outputs are kept, oldest first. */
  keptOutputs(): readonly number[];
  /** The stale cells in the order to run them, as text. */
  staleList(): string;
  readonly ranks: RanksState;
  /** The printed types of the variables that earlier cells declared; empty unless a magic asks for them. */
  readonly types: ReadonlyMap<string, string>;
}

/** The processes of `%%ranks`. */
export interface RanksState {
  /** What `%ranks` prints. */
  describe(): string;
  /** Ends the processes. Resolves with what is to be printed. */
  stop(): Promise<string>;
}

export interface KernelEffects {
  readonly switches?: Partial<Switches>;
  readonly printed?: string;
  /** Text for a new cell below this one. */
  readonly nextInput?: string;
  /** Whether the cell is shown as compiled and not run. */
  readonly showsCompiled?: true;
  /** The number of the cell whose kept outputs are shown; null means the running cell, or else the latest. */
  readonly showsOutputs?: { readonly of: number | null };
}
