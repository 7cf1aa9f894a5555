// Reads arguments given by position, by name, or the first by position and the others by name, as Python does:
// `(optimizer, 30, 0.1)`, `(optimizer, { stepSize: 30, gamma: 0.1 })`, `(optimizer, 30, { gamma: 0.1 })`.
import { checkOptions, describe, isRecord } from "./arguments.ts";

/** How a function is called. */
export interface CallForm<Named> {
  /** The argument before the named ones, for messages: `optimizer`, `tensor`. */
  readonly first?: string;
  /** The arguments in the order of their positions. */
  readonly places: readonly (keyof Named & string)[];
  /** Arguments that can be given only by name. */
  readonly options?: readonly (keyof Named & string)[];
  /** Decides whether an object is the value of an argument, and not the options. Default: never. */
  readonly isValue?: (value: unknown) => boolean;
}

/**
 * Returns the arguments by name, without those that were not given. `given` holds the arguments after `first`,
 * unchanged.
 */
export function argumentsByName<Named extends object>(
  call: string,
  { first, places, options = [], isValue = () => false }: CallForm<Named>,
  given: readonly unknown[],
): Partial<Named> {
  const max = places.length + (options.length > 0 ? 1 : 0);
  const before = first === undefined ? [] : [first];
  if (given.length > max) {
    const shown = [...before, ...places, ...(options.length > 0 ? [`{ ${options.join(", ")} }`] : [])];
    const count = before.length + places.length;
    throw new TypeError(
      `${call} takes at most ${count} argument${count === 1 ? "" : "s"}${options.length > 0 ? " and options" : ""}, and got ${before.length + given.length}: (${shown.join(", ")}).`,
    );
  }
  const found = given.findIndex((value) => isRecord(value) && !isValue(value));
  // The argument in the options' position must be options.
  const at = found === -1 ? places.length : found;
  const byPlace = places
    .slice(0, at)
    .flatMap((name, i) => (given[i] === undefined ? [] : [[name, given[i]]]));
  const surplus = given.slice(at + 1).find((value) => value !== undefined);
  if (surplus !== undefined)
    throw new TypeError(
      `${call}: nothing may follow the options, got ${describe(surplus)}; name it among them.`,
    );
  const last = given[at] as Named | undefined;
  const twice = byPlace.find(([name]) => isRecord(last) && Object.hasOwn(last, name as string));
  if (twice !== undefined)
    throw new TypeError(`${call}: ${String(twice[0])} is given twice, by place and by name; leave one out.`);
  const named = checkOptions<Named>(call, last, [...places.slice(at), ...options]);
  return { ...(Object.fromEntries(byPlace) as Partial<Named>), ...named };
}

/**
 * Returns the options of a call whose optional arguments may be given by place, by name in a last object, or the first
 * by place and the others by name: `(1, 8, 3, 2, { bias: false })`. `given` holds what follows the needed arguments.
 * Whoever reads the options checks their names and values.
 */
export function optionsByPlace<Options extends object>(
  call: string,
  places: readonly (keyof Options & string)[],
  given: readonly unknown[],
  isValue: (value: unknown) => boolean = () => false,
): Options | undefined {
  const last = given.at(-1);
  const options = isRecord(last) && !isValue(last) ? last : undefined;
  // What is no options where nothing else may stand is refused by the one who reads them.
  if (given.length <= 1 && (last === undefined || options !== undefined || places.length === 0))
    return last as Options | undefined;
  const count = given.length - (options === undefined ? 0 : 1);
  if (count > places.length)
    throw new TypeError(
      `${call}: after the needed arguments it takes at most ${places.length} more and options, and got ${given.length}: (${places.join(", ")}, options).`,
    );
  const names = Object.keys(options ?? {}).filter((name) => !(places as readonly string[]).includes(name));
  const form = { places, options: names as (keyof Options & string)[], isValue };
  return argumentsByName<Options>(call, form, given) as Options;
}

/**
 * Returns the arguments of a call by place where the last ones that it needs, and its options, may stand in one object:
 * `(2, 3, { bias: false })`, `(2, { outFeatures: 3, bias: false })`, `({ inFeatures: 2, outFeatures: 3 })`. What is missing
 * is undefined, which the one who reads it refuses.
 */
export function neededByPlace<Needed extends readonly unknown[]>(
  names: readonly string[],
  given: readonly unknown[],
): [...Needed, ...others: unknown[]] {
  const at = given.length - 1;
  const last = given[at];
  const missing = names.slice(Math.max(at, 0));
  if (!isRecord(last) || !missing.some((name) => Object.hasOwn(last, name)))
    return [...given] as [...Needed, ...unknown[]];
  const others = Object.entries(last).filter(([name]) => !missing.includes(name));
  const options = others.length > 0 ? [Object.fromEntries(others)] : [];
  const placed = [...given.slice(0, at), ...missing.map((name) => last[name]), ...options];
  return placed as unknown[] as [...Needed, ...unknown[]];
}
