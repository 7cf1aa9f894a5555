// Reduces a profile to its hottest operators with their times, for the logbook. `torch.profiler` keeps its events in
// private fields, which JSON omits.
import { averagesOf, type EventAverage, EventAverages } from "../../torch/profiler/averages.ts";
import { Profile } from "../../torch/profiler/profile.ts";

/** The form of a profile in `results`. */
export interface StoredProfile {
  /** Which time is given: the device's if it was recorded, otherwise the host's. */
  readonly clock: "device" | "host";
  /** The sum over all operators of their own time, without the operators that they called. */
  readonly totalMs: number;
  /** The operators with the most time of their own, largest first. */
  readonly operators: readonly { readonly name: string; readonly calls: number; readonly ms: number }[];
}

const MAX_OPERATORS = 20;

/** Returns null if the value is neither a profile nor its averages. */
export function storedProfile(result: unknown): StoredProfile | null {
  if (result instanceof Profile)
    return hotspotsOf(averagesOf(result.events().filter(({ scope }) => scope === "operator")));
  // Steps and named blocks are not operators, and backward nodes spend their time in the operators that they call.
  return result instanceof EventAverages ? hotspotsOf(result.filter(({ key }) => key.includes("::"))) : null;
}

function hotspotsOf(averages: readonly EventAverage[]): StoredProfile {
  const clock = averages.some(({ selfDeviceTimeMs }) => selfDeviceTimeMs > 0) ? "device" : "host";
  const column = clock === "device" ? "selfDeviceTimeMs" : "selfCpuTimeMs";
  // Averages may be grouped by shape or line as well; here an operator has one row.
  const operators = new Map<string, { name: string; calls: number; ms: number }>();
  for (const row of averages) {
    const { name, calls, ms } = operators.get(row.key) ?? { name: row.key, calls: 0, ms: 0 };
    operators.set(row.key, { name, calls: calls + row.count, ms: ms + row[column] });
  }
  const sorted = [...operators.values()].toSorted((a, b) => b.ms - a.ms);
  return {
    clock,
    totalMs: sorted.reduce((sum, { ms }) => sum + ms, 0),
    operators: sorted.slice(0, MAX_OPERATORS),
  };
}
