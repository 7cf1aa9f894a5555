// The momentum that cyclic schedules move opposite to the learning rate: `momentum`, or the first of Adam's betas.
import { checkNumber } from "../../vocabulary/arguments.ts";
import { keptValues } from "../schedule_values.ts";
import { perGroup, type Scheduled, type ScheduledGroup } from "./scheduler.ts";

export interface MomentumRange {
  readonly base: number[];
  readonly max: number[];
}

const atLeast0 = (call: string, name: string, value: unknown) => checkNumber(call, name, value, { min: 0 });

export function setMomentum(group: ScheduledGroup, momentum: number): void {
  if (group.betas) group.betas = [momentum, group.betas[1]];
  else group.momentum = momentum;
}

/** The range for each group; every group starts at its highest. */
export function momentumRange(
  call: string,
  optimizer: Scheduled,
  base: number | readonly number[],
  max: number | readonly number[],
): MomentumRange {
  for (const group of optimizer.paramGroups) {
    if (group.betas !== undefined || group.momentum !== undefined) continue;
    throw new TypeError(
      `${call}: the optimizer has neither momentum nor betas to move; pass { cycleMomentum: false }.`,
    );
  }
  const range = {
    base: perGroup(call, "baseMomentum", optimizer, base, atLeast0),
    max: perGroup(call, "maxMomentum", optimizer, max, atLeast0),
  };
  for (const [i, group] of optimizer.paramGroups.entries()) {
    Object.assign(keptValues(group), { baseMomentum: range.base[i]!, maxMomentum: range.max[i]! });
    setMomentum(group, range.max[i]!);
  }
  return range;
}
