// Compares two parameter sweeps at the points that both have run: each figure, with the spread of points that differ in
// their seed only. Does not know on which machines they ran: whoever shows the table says that.
import { grouped } from "../../grouped.ts";
import { formatBytes, formatTime, numberText } from "../../units.ts";
import { columns, type Table } from "../../views/table.ts";
import { spreadOf, type Spread } from "../../statistics/spread.ts";
import { type FiguredSweep, isRepetition, PEAK_BYTES, WALL_MS } from "./figured_points.ts";

interface Measured {
  readonly spread: Spread;
  readonly count: number;
}

/** Figures of the points that are alike but for their seed, by figure and then by parameters. */
type Measurements = Map<string, Map<string, Measured>>;

/** Null where no point has run in both. */
export function parameterDifferences(a: FiguredSweep, b: FiguredSweep): Table | null {
  const [ours, theirs] = [measurements(a), measurements(b)];
  const rows = [...ours].flatMap(([figure, points]) =>
    [...points].flatMap(([where, one]) => {
      const other = theirs.get(figure)?.get(where);
      return other === undefined ? [] : [rowOf(figure, where, one, other)];
    }),
  );
  if (rows.length === 0) return null;
  return {
    caption: `Each figure of ${a.name} and of ${b.name} at the points that both have run`,
    columns: columns("<figure", "<<point", a.name, b.name, "ratio", "<difference"),
    rows,
    notes: [
      "Of points that differ in their seed alone the table has the median, and the range from the lowest to the highest. Of single points no spread is known: run the sweep with several seeds.",
    ],
  };
}

function measurements({ points }: FiguredSweep): Measurements {
  const figured = points.flatMap(({ parameters, figures }) => {
    const where = Object.entries(parameters)
      .filter(([name]) => !isRepetition(name))
      .map(([name, value]) => `${name} ${value}`)
      .join(", ");
    return Object.entries(figures).map(([figure, value]) => [figure, [where, value] as const] as const);
  });
  const measured = (all: readonly (readonly [where: string, value: number])[]) =>
    new Map(
      [...grouped(all)].map(([where, found]) => [where, { spread: spreadOf(found), count: found.length }]),
    );
  return new Map([...grouped(figured)].map(([figure, all]) => [figure, measured(all)]));
}

function rowOf(figure: string, where: string, a: Measured, b: Measured): string[] {
  const text = ({ spread: { median, min, max }, count }: Measured) =>
    count === 1
      ? valueText(figure, median)
      : `${valueText(figure, median)} (${valueText(figure, min)} to ${valueText(figure, max)})`;
  const ratio = b.spread.median / a.spread.median;
  return [
    figure,
    where,
    text(a),
    text(b),
    Number.isFinite(ratio) ? `${Number(ratio.toPrecision(3))}×` : "",
    differenceText(a, b),
  ];
}

function differenceText(a: Measured, b: Measured): string {
  if (a.spread.median === b.spread.median && a.count === 1 && b.count === 1) return "none";
  if (a.count === 1 || b.count === 1) return "no spread known";
  return a.spread.min <= b.spread.max && b.spread.min <= a.spread.max ? "ranges overlap" : "ranges apart";
}

function valueText(figure: string, value: number): string {
  if (figure === WALL_MS) return formatTime(value);
  return figure === PEAK_BYTES ? formatBytes(value) : numberText(value);
}
