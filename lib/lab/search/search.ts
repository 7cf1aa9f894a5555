// Implements `lab.search`: runs an objective for parameters that Optuna chooses, one trial after the other, and ends early those
// that it takes for hopeless.
import type { CellValue } from "../../torch/data/tables/kinds.ts";
import type { ColumnValues } from "../../torch/data/tables/given.ts";
import { Table } from "../../torch/data/tables/table.ts";
import { requireFunction } from "../../torch/vocabulary/arguments.ts";
import {
  boolean,
  choice,
  integer,
  type OpenRules,
  optional,
  readOptions,
} from "../../torch/vocabulary/options.ts";
import type { Tensor } from "../../torch/tensor/tensor.ts";
import { shownAs } from "../../views/shown_as.ts";
import { runSteps, settled, type Steps } from "../core/run_steps.ts";
import { withTrialParameters } from "../core/trial_parameters.ts";
import { numberOf } from "../plot/numbers.ts";
import { checkJournal, checkName } from "../sweep/options.ts";
import { showResult, SILENT } from "../sweep/show.ts";
import { type FinishedTrial, Study, type TrialState } from "./optuna.ts";
import type { Search, TrialFigures } from "./result.ts";
import { type Chosen, distributionsOf, type Space } from "./space.ts";
import { searchTable } from "./view.ts";

export interface SearchOptions {
  /** How many trials there shall be, those of a journal included. Default: 20. */
  readonly trials?: number;
  /** Whether the lowest or the highest value is the best. Default: "minimize". */
  readonly direction?: "minimize" | "maximize";
  /** How parameters are chosen: by the trials so far (TPE, a Bayesian search), or at random. Default: "tpe". */
  readonly sampler?: "tpe" | "random";
  /**
   * Which trials end early: those below the median of the others at the same step, from the sixth trial on; those that
   * Hyperband drops; none. Default: "median".
   */
  readonly pruner?: "median" | "hyperband" | "none";
  /** Fixes what is chosen. Default: 0. */
  readonly seed?: number;
  /** Names the study. Default: "search". */
  readonly name?: string;
  /** A file of Optuna's that keeps the trials: the same call goes on from it, and optuna-dashboard shows it. Default: none. */
  readonly journal?: string | null;
  /** Whether the trials are shown while they run. Default: true. */
  readonly show?: boolean;
}

/** One trial, as its objective sees it. */
export interface Trial {
  readonly number: number;
  /**
   * Tells a value on the way, as the loss of an epoch. The promise is true where the trial should end here:
   * `if (await trial.report(loss)) break;` Each call is a step, 0, 1, and so on, unless `step` counts otherwise.
   */
  report(value: number | Tensor, step?: number): Promise<boolean>;
}

const FIGURES: readonly (keyof TrialFigures)[] = ["trial", "value", "state", "steps", "seconds"];
const CALL = "lab.search";
const RULES = {
  trials: integer(20, 1),
  direction: choice("minimize", ["minimize", "maximize"]),
  sampler: choice("tpe", ["tpe", "random"]),
  pruner: choice("median", ["median", "hyperband", "none"]),
  seed: integer(0, 0),
  name: { fallback: "search", check: checkName },
  journal: optional(checkJournal),
  show: boolean(true),
} satisfies OpenRules<SearchOptions>;

/**
 * Looks for the parameters with which an objective is lowest, or highest. Optuna chooses them (`pip install optuna` in an
 * environment of yours, or in the one that opens notebooks).
 *
 *     const found = await lab.search(
 *       { rate: { low: 1e-4, high: 1, log: true }, width: [16, 32, 64] },
 *       async ({ rate, width }, trial) => {
 *         const { step, validate } = makeTraining(width, rate);
 *         let loss = NaN;
 *         for (let epoch = 0; epoch < 20; epoch++) {
 *           step();
 *           loss = validate();
 *           if (await trial.report(loss)) break;
 *         }
 *         return loss;
 *       },
 *     );
 *     found.best
 *
 * A run that the objective records in the logbook has the trial's parameters. The generators are not seeded: do so in the
 * objective where trials shall differ in their parameters alone.
 *
 * @throws TypeError, RangeError for a space or options that do not fit; Error where no Python has Optuna; what the
 *   objective throws, which ends the search
 */
export async function search<const Searched extends Space>(
  space: Searched,
  objective: (parameters: Chosen<Searched>, trial: Trial) => number | Tensor | Promise<number | Tensor>,
  options?: SearchOptions,
): Promise<Search<Searched>> {
  const distributions = distributionsOf(CALL, space, FIGURES);
  requireFunction(CALL, objective);
  const { trials: wanted, show: isShown, journal = null, ...plan } = readOptions(CALL, options, RULES);
  const study = new Study(CALL);
  const show = isShown ? showResult<Search>({ table: searchTable, charts: [], noun: "trials" }) : SILENT;
  const finished: FinishedTrial[] = [];
  let version = "";
  const result = (): Search<Searched> => resultOf(Object.keys(space), plan, version, finished);
  const update = (running: readonly string[]): void =>
    show.update(result() as unknown as Search, { done: finished.length, total: wanted, running });

  function* trialSteps(): Steps<void> {
    const { number, parameters } = (yield study.ask()) as Awaited<ReturnType<Study["ask"]>>;
    update([`trial ${number}`]);
    const beganMs = performance.now();
    const reported: number[] = [];
    let isPruned = false;
    const trial: Trial = {
      number,
      report: async (given, step = reported.length) => {
        const value = numberOf(`${CALL}: trial.report`, "the value", given);
        reported.push(value);
        // A loss that is not finite says nothing of the next parameters, and Optuna takes no infinite one.
        isPruned = !Number.isFinite(value) || (await study.report(number, value, step)) || isPruned;
        return isPruned;
      },
    };
    let state: TrialState = "fail";
    let value: number | null = null;
    try {
      const given = yield* settled(
        withTrialParameters(parameters, () => objective(parameters as never, trial)),
      );
      const last = isPruned ? (reported.at(-1) ?? NaN) : numberOf(CALL, "what the objective returns", given);
      value = Number.isFinite(last) ? last : null;
      state = value === null ? "fail" : isPruned ? "pruned" : "complete";
    } finally {
      // After an error or Stop too: a journal shall not hold a trial that seems to run for ever.
      void study.tell(number, value, state).catch(() => {});
    }
    const seconds = (performance.now() - beganMs) / 1000;
    finished.push({ number, parameters, state, value, steps: reported.length, seconds });
  }

  function* allSteps(): Steps<void> {
    const opened = study.open(distributions, { ...plan, journal });
    const { version: found, before } = (yield opened) as Awaited<typeof opened>;
    version = found;
    finished.push(...before);
    while (finished.length < wanted) yield* trialSteps();
  }

  try {
    await runSteps(allSteps());
  } finally {
    study.close();
  }
  const whole = result();
  show.finish(whole as unknown as Search);
  return whole;
}

function resultOf<Searched extends Space>(
  names: readonly string[],
  {
    name,
    direction,
    sampler,
  }: { readonly name: string; readonly direction: "minimize" | "maximize"; readonly sampler: string },
  version: string,
  finished: readonly FinishedTrial[],
): Search<Searched> {
  const figures = finished.map(({ number, state, value, steps, seconds }): TrialFigures => ({
    trial: number,
    value: value ?? NaN,
    state,
    steps,
    seconds,
  }));
  const chosen = (at: number) => finished[at]!.parameters as Chosen<Searched>;
  const sign = direction === "minimize" ? 1 : -1;
  const best = figures
    .map((one, at) => ({ ...one, parameters: chosen(at) }))
    .filter(({ state }) => state === "complete")
    .reduce<Search<Searched>["best"]>(
      (lowest, one) => (lowest === null || sign * one.value < sign * lowest.value ? one : lowest),
      null,
    );
  const values = Object.fromEntries([
    ["trial", figures.map(({ trial }) => trial)],
    ...names.map((column) => [
      column,
      valuesOf(finished.map(({ parameters }) => parameters[column] ?? null)),
    ]),
    ...FIGURES.slice(1).map((column) => [column, figures.map((one) => one[column])]),
  ]) as ColumnValues;
  const trials = new Table<TrialFigures & Chosen<Searched>>(values);
  const library = `Optuna ${version}, ${sampler === "tpe" ? "TPE" : "random"}`;
  return shownAs({ name, direction, library, best, trials }, searchTable as never);
}

/** A column has values of one kind; choices may be of several. */
function valuesOf(choices: readonly CellValue[]): readonly CellValue[] {
  const kinds = new Set(choices.filter((choice) => choice !== null).map((choice) => typeof choice));
  return kinds.size > 1 ? choices.map((choice) => (choice === null ? null : String(choice))) : choices;
}
