// Reads and checks the options of `lab.budget`.
import { checkInteger, checkOptions, describe } from "../../../torch/vocabulary/arguments.ts";
import type { Module } from "../../../torch/nn/module/module.ts";

/**
 * The model and optimizer that the probes run. They run on the CPU, with batches far smaller than the one asked about.
 */
export interface BudgetSubject {
  readonly model: Module;
  /** Any optimizer of `optim`; its state counts. */
  readonly optimizer?: { readonly state: ReadonlyMap<unknown, Readonly<Record<string, unknown>>> };
  /** Runs one whole training step on a batch that it makes itself. */
  step(batch: number, sequence: number | undefined): unknown;
}

export interface BudgetOptions {
  /** Makes the model, on the CPU; called once. */
  readonly build: () => BudgetSubject;
  /** Items of one step. */
  readonly batch: number;
  /** Length of the sequences, for models whose memory grows with it; passed on to the step. Default: none. */
  readonly sequence?: number;
  /** Batches of the two probes. Default: an eighth and a quarter of the batch. */
  readonly probes?: readonly [number, number];
}

export interface BudgetPlan extends Omit<BudgetOptions, "probes"> {
  readonly probes: readonly [number, number];
}

export function readBudgetOptions(options: BudgetOptions): BudgetPlan {
  const call = "lab.budget";
  const given = checkOptions<BudgetOptions>(call, options, ["build", "batch", "sequence", "probes"]);
  if (typeof given.build !== "function")
    throw new TypeError(
      `${call}: build must be a function that returns { model, optimizer, step }, got ${describe(given.build)}.`,
    );
  const batch = checkInteger(call, "batch", given.batch, 1);
  const sequence =
    given.sequence === undefined ? undefined : checkInteger(call, "sequence", given.sequence, 1);
  const usual = Math.max(2, Math.floor(batch / 8));
  if (given.probes !== undefined && !(Array.isArray(given.probes) && given.probes.length === 2))
    throw new TypeError(`${call}: probes must be two batches, as [2, 4], got ${describe(given.probes)}.`);
  const [small, large] = given.probes ?? [usual, 2 * usual];
  checkInteger(call, "probes[0]", small, 1);
  checkInteger(call, "probes[1]", large, 1);
  if (large <= small)
    throw new RangeError(
      `${call}: the second probe must be larger than the first, got ${small} and ${large}.`,
    );
  const plan = { build: given.build, batch, probes: [small, large] as const };
  return sequence === undefined ? plan : { ...plan, sequence };
}
