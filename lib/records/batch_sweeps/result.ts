// Makes the result of a sweep, as plain data, from the records of its points.
import { type Choice, chooseBatch } from "./knee.ts";
import type { ParameterValue, Point, PointRecord } from "./point.ts";
import { pointText } from "../parameters.ts";

export interface SweepResult {
  readonly name: string;
  readonly device: string;
  readonly seed: number;
  /** The points in the order in which they ran. */
  readonly points: readonly PointRecord[];
  /** The choice for each combination of the grid's parameters that has a point to choose. */
  readonly choices: readonly (Choice & { readonly parameters: Readonly<Record<string, ParameterValue>> })[];
  /** Why no larger batch was tried, for each combination. */
  readonly ends: readonly string[];
  /** Number of points taken from the journal instead of measured again. */
  readonly resumedPoints: number;
  /** Points that an earlier session had begun when it ended; they were measured again. */
  readonly cutOffPoints: readonly Point[];
  readonly journal: string | null;
  readonly notes: readonly string[];
}

export interface Series {
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** The records, sorted by batch. */
  readonly records: readonly PointRecord[];
}

/**
 * Groups records that differ only in the batch, and sorts the groups by their parameters, because points run in random
 * order.
 */
export function seriesOf(records: readonly PointRecord[]): Series[] {
  const series = new Map<string, { parameters: Record<string, ParameterValue>; records: PointRecord[] }>();
  for (const record of records) {
    const { batch: _, ...parameters } = record.point;
    const key = JSON.stringify(Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const found = series.get(key) ?? { parameters, records: [] };
    found.records.push(record);
    series.set(key, found);
  }
  return [...series.values()]
    .map((one) => ({ ...one, records: one.records.toSorted((a, b) => a.point.batch - b.point.batch) }))
    .toSorted((a, b) => compareParameters(a.parameters, b.parameters));
}

/** Numbers by size, all else as text. */
function compareParameters(a: Series["parameters"], b: Series["parameters"]): number {
  for (const [name, value] of Object.entries(a)) {
    const other = b[name];
    if (value === other) continue;
    if (typeof value === "number" && typeof other === "number") return value - other;
    return String(value) < String(other) ? -1 : 1;
  }
  return 0;
}

export function resultOf(facts: Omit<SweepResult, "choices" | "notes">): SweepResult {
  const choices = seriesOf(facts.points).flatMap(({ parameters, records }) => {
    const choice = chooseBatch(records);
    return choice === null ? [] : [{ ...choice, parameters }];
  });
  const notes: string[] = [];
  if (facts.device.includes("simulated"))
    notes.push("The device is simulated by this machine's processor: no time here is a GPU's.");
  if (facts.resumedPoints > 0)
    notes.push(
      `${facts.resumedPoints === 1 ? "1 point comes" : `${facts.resumedPoints} points come`} from the journal ${facts.journal}.`,
    );
  if (facts.cutOffPoints.length > 0)
    notes.push(
      `An earlier session ended while this ran, before it was measured, and it ran again: ${facts.cutOffPoints.map(pointText).join("; ")}.`,
    );
  return { ...facts, choices, notes };
}
