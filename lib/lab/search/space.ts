// The space that a search looks through: what each parameter may be. Knows no library.
import {
  checkBoolean,
  checkNumber,
  checkOptions,
  describe,
  isRecord,
} from "../../torch/vocabulary/arguments.ts";

/** A number from `low` to `high`, both possible. */
export interface Range {
  readonly low: number;
  readonly high: number;
  /** Whether 0.001 to 0.01 is as wide as 0.01 to 0.1, as for a learning rate. Default: false. */
  readonly log?: boolean;
  /** The distance of neighbours: 0.1 of 0, 0.1, 0.2. Default: any number; of whole numbers 1. */
  readonly step?: number;
  /** Whether only whole numbers are tried. Default: false. */
  readonly integer?: boolean;
}

/** By name a range, or a list of choices that have no order. */
export type Space = Readonly<Record<string, Range | readonly (string | number | boolean | null)[]>>;

/** One value of each parameter. */
export type Chosen<Searched extends Space> = {
  readonly [Name in keyof Searched]: Searched[Name] extends readonly (infer Choice)[] ? Choice : number;
};

/** A parameter as the process of the library gets it. */
export type Distribution =
  | { readonly choices: readonly unknown[] }
  | {
      readonly low: number;
      readonly high: number;
      readonly log: boolean;
      readonly step: number | null;
      readonly integer: boolean;
    };

/** @throws TypeError, RangeError for what is no space */
export function distributionsOf(
  call: string,
  space: unknown,
  taken: readonly string[],
): Record<string, Distribution> {
  if (!isRecord(space) || Object.keys(space).length === 0)
    throw new TypeError(
      `${call} takes parameters by name, as { rate: { low: 1e-4, high: 0.1, log: true }, width: [32, 64] }, got ${describe(space)}.`,
    );
  return Object.fromEntries(
    Object.entries(space).map(([name, given]) => {
      if (taken.includes(name))
        throw new RangeError(
          `${call}: a parameter cannot be called ${name}, which is a column of the trials.`,
        );
      return [name, Array.isArray(given) ? choices(call, name, given) : range(call, name, given)];
    }),
  );
}

function choices(call: string, name: string, given: readonly unknown[]): Distribution {
  if (given.length === 0) throw new RangeError(`${call}: ${name} has no choices: give one at least.`);
  const odd = given.find((one) => one !== null && !["string", "number", "boolean"].includes(typeof one));
  if (odd !== undefined)
    throw new TypeError(
      `${call}: choices of ${name} must be numbers, texts, booleans or null, got ${describe(odd)}.`,
    );
  return { choices: given };
}

const RANGE = ["low", "high", "log", "step", "integer"] as const;

function range(call: string, name: string, given: unknown): Distribution {
  if (!isRecord(given))
    throw new TypeError(
      `${call}: ${name} must be a range, as { low: 0, high: 1 }, or a list of choices, got ${describe(given)}.`,
    );
  const read = checkOptions<Range>(`${call}: ${name}`, given as unknown as Range, RANGE);
  const { log = false, step, integer = false } = read;
  const bound = (end: "low" | "high"): number => {
    const value = checkNumber(call, `${name}.${end}`, read[end]);
    if (Number.isSafeInteger(value) || (!integer && Number.isFinite(value))) return value;
    throw new RangeError(
      `${call}: ${name}.${end} must be a ${integer ? "whole" : "finite"} number, got ${value}.`,
    );
  };
  const [low, high] = [bound("low"), bound("high")];
  if (!(low <= high)) throw new RangeError(`${call}: ${name}.low, ${low}, must not be above high, ${high}.`);
  if (checkBoolean(call, `${name}.log`, log) && low <= 0)
    throw new RangeError(`${call}: ${name}.low must be positive on a logarithmic scale, got ${low}.`);
  if (log && step !== undefined)
    throw new RangeError(
      `${call}: ${name} cannot have a step on a logarithmic scale: leave one of both out.`,
    );
  return {
    low,
    high,
    log,
    step: step === undefined ? null : checkNumber(call, `${name}.step`, step, { min: Number.MIN_VALUE }),
    integer: checkBoolean(call, `${name}.integer`, integer),
  };
}
