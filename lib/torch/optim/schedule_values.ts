// Values that schedules keep in a parameter group beside its options, such as the initial learning rate. They are
// saved with the optimizer, as in PyTorch, so that schedules made after loading begin where the first ones did.
import { snakeCase } from "../vocabulary/spelling.ts";

const NAMES = ["initialLr", "maxLr", "minLr", "baseMomentum", "maxMomentum", "swaLr"] as const;

export type ScheduleValues = { [Name in (typeof NAMES)[number]]?: number };

const values = new WeakMap<object, ScheduleValues>();

/** Returns the values that are kept for a group. The caller may change the object. */
export function keptValues(group: object): ScheduleValues {
  let kept = values.get(group);
  if (!kept) values.set(group, (kept = {}));
  return kept;
}

/** Returns the values under PyTorch's names, as they stand in its groups: `{ initial_lr: 0.1 }`. */
export function scheduleValues(group: object): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values.get(group) ?? {}).map(([name, value]) => [snakeCase(name), value]),
  );
}

/** Takes the values that a saved group has. */
export function restoreScheduleValues(group: object, saved: Readonly<Record<string, unknown>>): void {
  for (const name of NAMES) {
    const value = saved[snakeCase(name)];
    if (typeof value === "number") keptValues(group)[name] = value;
  }
}
