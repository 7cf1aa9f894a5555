// `lab.check(...)`: tries a learner's answer to an exercise by named conditions, and says which of them hold.
import { checkBoolean, checkText, describe, isRecord, isThenable } from "../../torch/vocabulary/arguments.ts";
import { type OpenRules, optional, readOptions } from "../../torch/vocabulary/options.ts";
import { isInterruption } from "../../session.ts";
import { runSteps, type Steps } from "../core/run_steps.ts";
import { shownAs } from "../../views/shown_as.ts";
import { columns } from "../../views/table.ts";
import { keepAnswer } from "./answers.ts";

export interface CheckOptions {
  /**
   * Whether a condition that does not hold throws an error that names it. Default: true while nbgrader runs the notebook,
   * because nbgrader gives all points to a cell that does not throw; otherwise false, so that the whole notebook runs.
   */
  readonly throws?: boolean;
}

/** One condition of an exercise. */
export interface CheckedCondition {
  readonly condition: string;
  readonly holds: boolean;
  /** The message of the error that the condition threw; null where it returned. */
  readonly error: string | null;
}

export interface CheckResult {
  readonly exercise: string;
  /** Whether every condition holds. */
  readonly passed: boolean;
  readonly conditions: readonly CheckedCondition[];
}

/** Conditions by name. Each returns true or false, nothing, or a promise of one of these. */
export type Conditions = Readonly<Record<string, () => unknown>>;

type AwaitedCondition<Returned> = [Returned] extends [never]
  ? never
  : Returned extends PromiseLike<unknown>
    ? true
    : never;

/** The result, or a promise of it if a condition returns a promise. */
export type Checked<Given extends Conditions> = [
  { [Name in keyof Given]: AwaitedCondition<ReturnType<Given[Name]>> }[keyof Given],
] extends [never]
  ? CheckResult
  : Promise<CheckResult>;

const OPTIONS = { throws: optional(checkBoolean) } satisfies OpenRules<CheckOptions>;

/** nbgrader sets this variable to "autograde" or "validate" for the programs that it starts. */
const nbgraderRuns = (): boolean => Boolean(process.env["NBGRADER_EXECUTION"]);

/** The error that names the conditions that do not hold. */
export class CheckError extends Error {
  override readonly name = "CheckError";
}

/**
 * Tries an answer by conditions, each a sentence with a function: it holds if the function returns true, or nothing, and
 * does not hold if it returns false or throws. Conditions run in their order, all of them. The result is kept in a file
 * beside the notebook.
 *
 * @returns the result, which shows itself; a promise of it if a condition returns a promise
 * @throws CheckError if a condition does not hold, and `throws` is true or nbgrader runs the notebook
 * @throws TypeError for a condition that is no function, or that returns something else
 * @example
 * lab.check("half", {
 *   "it keeps the shape": () => half(x).shape.join() === x.shape.join(),
 *   "its sum is half the sum": () => half(x).sum().item() === x.sum().item() / 2,
 * })
 */
export function check<const Given extends Conditions>(
  exercise: string,
  conditions: Given,
  options?: CheckOptions,
): Checked<Given> {
  const call = "lab.check";
  checkText(call, "exercise", exercise);
  const count = isRecord(conditions) ? Object.keys(conditions).length : 0;
  if (count === 0)
    throw new TypeError(
      `${call}: conditions must be an object such as { "it is positive": () => x > 0 }, got ${isRecord(conditions) ? "none" : describe(conditions)}.`,
    );
  for (const [condition, holds] of Object.entries(conditions)) {
    if (typeof holds !== "function")
      throw new TypeError(
        `${call}: the condition ${JSON.stringify(condition)} must be a function, got ${describe(holds)}.`,
      );
  }
  const { throws = nbgraderRuns() } = readOptions(call, options, OPTIONS);
  return runSteps(steps(exercise, conditions, throws)) as Checked<Given>;
}

function* steps(exercise: string, conditions: Conditions, throws: boolean): Steps<CheckResult> {
  const checked: CheckedCondition[] = [];
  for (const [condition, holds] of Object.entries(conditions)) {
    checked.push({ condition, ...(yield* outcomeOf(condition, holds)) });
  }
  const failed = checked.filter(({ holds }) => !holds);
  const passed = failed.length === 0;
  keepAnswer("check", exercise, { passed, right: checked.length - failed.length, of: checked.length });
  if (throws && !passed)
    throw new CheckError(
      `${exercise}: ${failed.length} of ${checked.length} conditions do not hold: ${failed.map(sentence).join("; ")}.`,
    );
  return shownAs({ exercise, passed, conditions: checked }, resultTable);
}

function* outcomeOf(
  condition: string,
  holds: () => unknown,
): Generator<PromiseLike<unknown>, Omit<CheckedCondition, "condition">, unknown> {
  let returned: unknown;
  try {
    returned = holds();
    if (isThenable(returned)) returned = yield returned;
  } catch (error) {
    if (isInterruption(error)) throw error;
    return { holds: false, error: error instanceof Error ? error.message : String(error) };
  }
  if (returned === undefined || typeof returned === "boolean")
    return { holds: returned !== false, error: null };
  throw new TypeError(
    `lab.check: the condition ${JSON.stringify(condition)} must return true, false or nothing, got ${describe(returned)}.`,
  );
}

const sentence = ({ condition, error }: CheckedCondition): string =>
  error === null ? condition : `${condition} (${error})`;

const resultTable = ({ exercise, passed, conditions }: CheckResult) => ({
  caption: passed
    ? `${exercise}: right. All ${conditions.length} conditions hold.`
    : `${exercise}: not yet. ${conditions.filter(({ holds }) => holds).length} of ${conditions.length} conditions hold.`,
  columns: columns("<", "<<condition"),
  rows: conditions.map((one) => [one.holds ? "✓" : "✗", sentence(one)]),
});
