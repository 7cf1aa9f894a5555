// What `lab.search` gives: the trials and the best of them.
import type { Table } from "../../torch/data/tables/table.ts";
import type { TrialState } from "./optuna.ts";
import type { Chosen, Space } from "./space.ts";

/** A row of the trials: its parameters stand beside these. */
export interface TrialFigures {
  readonly trial: number;
  /** What the objective gave; NaN where that is no number. Of one that ended early the last that it reported. */
  readonly value: number;
  /** `complete`, `pruned` where it ended early, `fail` where it gave no number. */
  readonly state: TrialState;
  /** How many values it reported. */
  readonly steps: number;
  readonly seconds: number;
}

export interface Search<Searched extends Space = Space> {
  readonly name: string;
  readonly direction: "minimize" | "maximize";
  /** `Optuna 5.0.0, TPE` */
  readonly library: string;
  /** The best complete trial; null while there is none. */
  readonly best: (TrialFigures & { readonly parameters: Chosen<Searched> }) | null;
  /** A row for each trial, in their order. */
  readonly trials: Table<TrialFigures & Chosen<Searched>>;
}
