// Reads options by a table of rules: for each option its default and its check. A function, its layer and an
// optimizer's groups share one table, so each default and each refusal is written once.
//
// A layer with parameters uses `readLayerOptions` (nn/factory.ts), which also reads `device` and `dtype`. `checkOptions`
// (arguments.ts) checks names only: it says when it is right.
import {
  checkBoolean,
  checkChoice,
  checkFunction,
  checkInteger,
  checkNumber,
  checkOptions,
  checkSizes,
  describe,
  type Interval,
} from "./arguments.ts";

/** One option: its default and its check, which returns the value or throws. */
export interface Rule<Value> {
  readonly fallback: Value;
  readonly check: Check<Value>;
}

type Check<Value> = (call: string, name: string, value: unknown) => Value;

/** A rule for each option of `Options`. */
export type Rules<Options extends object> = {
  readonly [Name in keyof Options]-?: Rule<Exclude<Options[Name], undefined>>;
};

/**
 * A table in which options may have no default (`optional`), or be read as something else than what is written:
 * `const RULES = { size: optional(checkSize) } satisfies OpenRules<ResizeOptions>`.
 */
export type OpenRules<Options extends object> = { readonly [Name in keyof Options]-?: Rule<unknown> };

/** The type that `readOptions` returns for a table. */
export type Read<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Rule<infer Value> ? Value : never;
};

/** An option without a default: undefined if it is not given. */
export function optional<Value>(check: Check<Value>): Rule<Value | undefined> {
  return { fallback: undefined, check };
}

/** An option whose value is checked later, by the function that receives it or together with other arguments. */
export function checkedLater<Value>(fallback: Value): Rule<Value> {
  return { fallback, check: (_call, _name, value) => value as Value };
}

/** A function without a default; its parameters are those that the option's type names. */
export function callback<Callback>(): Rule<Callback | undefined> {
  return optional((call, name, value) => checkFunction(call, name, value as Callback));
}

export function number(fallback: number, within?: Interval): Rule<number> {
  return { fallback, check: (call, name, value) => checkNumber(call, name, value, within) };
}

export function integer(fallback: number, min: number): Rule<number> {
  return { fallback, check: (call, name, value) => checkInteger(call, name, value, min) };
}

export function boolean(fallback: boolean): Rule<boolean> {
  return { fallback, check: checkBoolean };
}

export function choice<const Choice extends string>(
  fallback: Choice,
  choices: readonly Choice[],
): Rule<Choice> {
  return { fallback, check: (call, name, value) => checkChoice(call, name, value, choices) };
}

/** One size for every dimension, or one a dimension: `3` is read as `[3, 3]`. */
export function sizes(dimensions: number, fallback: number, min: number): Rule<readonly number[]> {
  return {
    // Frozen, because every layer that is made by the table shares it.
    fallback: Object.freeze(Array<number>(dimensions).fill(fallback)),
    check: (call, name, value) => checkSizes(call, name, value, dimensions, min),
  };
}

/** Two numbers, each within its own interval: Adam's betas. */
export function pair(
  fallback: readonly [number, number],
  within: readonly [Interval, Interval],
): Rule<readonly [number, number]> {
  return {
    fallback,
    check(call, name, value) {
      if (!Array.isArray(value) || value.length !== 2) {
        throw new TypeError(`${call}: ${name} must be two numbers, got ${describe(value)}.`);
      }
      for (const [i, interval] of within.entries()) checkNumber(call, `${name}[${i}]`, value[i], interval);
      return value as unknown as readonly [number, number];
    },
  };
}

/** Null, which is the default, or a value that the given rule accepts. */
export function nullable<Value>(rule: Rule<Value>): Rule<Value | null> {
  return {
    fallback: null,
    check: (call, name, value) => (value === null ? null : rule.check(call, name, value)),
  };
}

const fallbacks = new WeakMap<object, object>();

/** All defaults of a table, as one frozen object that is made once. */
function fallbacksOf(rules: Rules<object>): object {
  let made = fallbacks.get(rules);
  if (!made) {
    const entries = Object.entries(rules as Record<string, Rule<unknown>>);
    made = Object.freeze(Object.fromEntries(entries.map(([name, rule]) => [name, rule.fallback])));
    fallbacks.set(rules, made);
  }
  return made;
}

/** Returns all options: the given ones after their checks, defaults for the others. Refuses unknown names. */
export function readOptions<const Table extends Readonly<Record<string, Rule<unknown>>>>(
  call: string,
  given: object | undefined,
  rules: Table,
): Read<Table>;
export function readOptions<Options extends object>(
  call: string,
  given: Partial<Options> | undefined,
  rules: Rules<Options>,
): Required<Options>;
export function readOptions(call: string, given: object | undefined, rules: Rules<object>): object {
  const complete = fallbacksOf(rules);
  if (given === undefined) return complete;
  const table = rules as Readonly<Record<string, Rule<unknown>>>;
  const known = checkOptions<Record<string, unknown>>(
    call,
    given as Record<string, unknown>,
    Object.keys(table),
  );
  const read: Record<string, unknown> = { ...complete };
  for (const [name, value] of Object.entries(known)) read[name] = table[name]!.check(call, name, value);
  return read;
}

/** Checks a complete set of options, such as an optimizer's parameter group. */
export function checkRules<Options extends object>(
  call: string,
  options: Options,
  rules: Rules<Options>,
): void {
  for (const name of Object.keys(rules) as (keyof Options & string)[]) {
    const rule: Rule<unknown> = rules[name];
    rule.check(call, name, options[name]);
  }
}
