// The parameters with which code runs now, where `lab.search` runs it: what the logbook records with a run.
import { AsyncLocalStorage } from "node:async_hooks";

const trials = new AsyncLocalStorage<Readonly<Record<string, unknown>>>();

/** Calls a trial. Code that runs beside it, as another cell, does not see its parameters. */
export function withTrialParameters<Result>(
  parameters: Readonly<Record<string, unknown>>,
  trial: () => Result,
): Result {
  return trials.run(parameters, trial);
}

/** Those of the trial that runs; none outside of one. */
export const trialParameters = (): Readonly<Record<string, unknown>> => trials.getStore() ?? {};
