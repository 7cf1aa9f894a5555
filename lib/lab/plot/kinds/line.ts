// One line of `lab.plot` as it is drawn: its points in the order of x, with gaps for values that have no place on the
// axes; and the sentences about it.
import { countText, counted } from "../../../words.ts";
import type { Series } from "../series.ts";
import { shortened } from "../../../charts/plot_style.ts";
import type { Scale } from "../../../charts/ticks.ts";
import { timeText } from "../../../charts/words.ts";
import { numberText } from "../../../units.ts";

export interface Line {
  readonly name: string | null;
  readonly x: readonly (number | string)[];
  /** NaN stands for a gap. */
  readonly y: Float64Array;
  /** The lengths of the error bars. */
  readonly error?: Float64Array;
  readonly isTime: boolean;
  /** How many values are not finite. */
  readonly missing: number;
  /** How many values have no place on a logarithmic axis. */
  readonly notPositive: number;
  /** How many points have no position on the x axis. */
  readonly unplaced: number;
}

export function lineOf({ name, x, y, error }: Series, xScale: Scale, yScale: Scale): Line {
  const isPlaced = (at: number): boolean =>
    x.kind === "ordinal" || (Number.isFinite(x.values[at]) && (xScale === "linear" || x.values[at]! > 0));
  const rows = [...y.keys()].filter(isPlaced);
  // Sorted by x, because Vega draws a line in that order, and thinning relies on it.
  if (x.kind !== "ordinal") rows.sort((a, b) => x.values[a]! - x.values[b]!);
  let [missing, notPositive] = [0, 0];
  const values = Float64Array.from(rows, (at) => {
    const value = y[at]!;
    if (!Number.isFinite(value)) missing++;
    else if (yScale === "log" && value <= 0) notPositive++;
    else return value;
    return NaN;
  });
  return {
    name,
    x: rows.map((at) => x.values[at]!),
    y: values,
    ...(error && { error: Float64Array.from(rows, (at) => error[at]!) }),
    isTime: x.kind === "temporal",
    missing,
    notPositive,
    unplaced: y.length - rows.length,
  };
}

/** Whether a point has a gap on both sides: it is drawn as a dot. */
export function isAlone(y: Float64Array, at: number): boolean {
  const isGap = (index: number) => !Number.isFinite(y[index]);
  return !isGap(at) && isGap(at - 1) && isGap(at + 1);
}

/** `train 0.337`: its name, and its last value. */
export function endText({ name }: Line, last: number | null): string {
  const value = last === null ? "no numbers" : numberText(last);
  return name === null ? value : `${shortened(name, 18)} ${value}`;
}

/** The last value; null for a line without points. */
export function endOf({ y }: Line): number | null {
  return y.findLast(Number.isFinite) ?? null;
}

/** `lowest 0.29 at step 480, highest 2.31 at step 0` */
export function extremes({ x, y, isTime }: Line, axis: string): string {
  let [min, max] = [-1, -1];
  for (let at = 0; at < y.length; at++) {
    if (!Number.isFinite(y[at])) continue;
    if (min < 0 || y[at]! < y[min]!) min = at;
    if (max < 0 || y[at]! > y[max]!) max = at;
  }
  if (min < 0) return "no numbers";
  const place = (at: number) => {
    const position = x[at]!;
    const text = typeof position === "string" ? position : isTime ? timeText(position) : numberText(position);
    return `${numberText(y[at]!)} at ${axis} ${text}`;
  };
  return y[min] === y[max]
    ? `constant at ${numberText(y[min]!)}`
    : `lowest ${place(min)}, highest ${place(max)}`;
}

/** `train 2.31 to 0.306 over 500 values, lowest 0.29 at step 480, highest 2.31 at step 0` */
export function sentenceOf(line: Line, axis: string): string {
  const { name, y } = line;
  const lead = name === null ? "" : `${name} `;
  const [first, last] = [y.find(Number.isFinite), y.findLast(Number.isFinite)];
  if (first === undefined || last === undefined) return `${lead}has no numbers`;
  const span = y.length === 1 ? numberText(first) : `${numberText(first)} to ${numberText(last)}`;
  return `${lead}${span} over ${counted(y.length, "value")}, ${extremes(line, axis)}`;
}

/** `7 lines, ending from run 0 at 0.337 to run 6 at 0.54`: more than four are not read one by one. */
export function sentenceOfMany(all: readonly Line[]): string {
  const ends = all
    .map((line) => ({ text: `${line.name ?? "value"} at`, end: endOf(line) }))
    .filter((one): one is { text: string; end: number } => one.end !== null)
    .toSorted((a, b) => a.end - b.end);
  const told = ({ text, end }: { text: string; end: number }) => `${text} ${numberText(end)}`;
  return `${all.length} lines, ending from ${told(ends[0]!)} to ${told(ends.at(-1)!)}`;
}

/** Sentences on values that are not drawn as they were given. */
export function notesOf(all: readonly Line[], drawn: number): string[] {
  const sum = (of: (line: Line) => number) => all.reduce((total, line) => total + of(line), 0);
  const are = (count: number) => (count === 1 ? "is" : "are");
  const notes: string[] = [];
  const missing = sum((line) => line.missing);
  if (missing > 0)
    notes.push(
      `${counted(missing, "value")} ${are(missing)} not finite, drawn as ${missing === 1 ? "a gap" : "gaps"}`,
    );
  const notPositive = sum((line) => line.notPositive);
  if (notPositive > 0)
    notes.push(
      `${counted(notPositive, "value")} ${are(notPositive)} not positive and left out of the log scale`,
    );
  const unplaced = sum((line) => line.unplaced);
  if (unplaced > 0)
    notes.push(`${counted(unplaced, "point")} without a place on the x axis ${are(unplaced)} left out`);
  const total = sum(({ y }) => y.length);
  if (drawn < total)
    notes.push(
      `${countText(drawn)} of ${countText(total)} points drawn: the lowest and highest of each stretch`,
    );
  return notes;
}
