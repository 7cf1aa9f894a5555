// Arguments of schedules by place, by name, or the first by place and the others by name, as Python takes them:
// `(optimizer, 30, 0.1)`, `(optimizer, { stepSize: 30, gamma: 0.1 })`, `(optimizer, 30, { gamma: 0.1 })`.
import { checkOptions, describe, isRecord } from "../../arguments.ts";

/** By name, without those that were not given. `placed` are the arguments as they stand, of which one may be the options. */
export function readArguments<T extends object>(
  call: string,
  names: readonly (keyof T & string)[],
  placed: readonly unknown[],
): Partial<T> {
  if (placed.length > names.length) {
    const most = `${names.length} argument${names.length === 1 ? "" : "s"}`;
    throw new TypeError(
      `${call}: it takes at most ${most} behind the optimizer, ${names.join(", ")}, got ${placed.length}.`,
    );
  }
  const at = placed.findIndex(isRecord);
  const end = at === -1 ? placed.length : at;
  const byPlace = names
    .slice(0, end)
    .flatMap((name, i) => (placed[i] === undefined ? [] : [[name, placed[i]]]));
  const given = Object.fromEntries(byPlace) as Partial<T>;
  if (at === -1) return given;
  const surplus = placed.slice(at + 1).find((value) => value !== undefined);
  if (surplus !== undefined)
    throw new TypeError(
      `${call}: nothing may follow the options, got ${describe(surplus)}; name it among them.`,
    );
  return { ...given, ...checkOptions<T>(call, placed[at] as T, names.slice(at)) };
}
