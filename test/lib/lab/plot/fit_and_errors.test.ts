// Fitted lines, error bars and titles of axes; calls in the order of another library.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { data, lab } from "../../../../lib/index.ts";

type Rows = readonly Record<string, unknown>[];
const rows = (chart: lab.Plot) => chart.data.values as Rows;
const marks = (chart: lab.Plot) => chart.layer.map(({ mark }) => (mark as { type: string }).type);
const ownRows = (chart: lab.Plot) =>
  chart.layer.flatMap((layer) => ((layer["data"] as { values: Rows } | undefined)?.values ?? []) as Rows);

const table = new data.Table({
  area: [1, 2, 3, 1, 3],
  rent: [2, 4, 5, 3, 1],
  off: [0.5, 0.25, NaN, 1, 2],
  kind: ["a", "a", "a", "b", "b"],
});

describe('fit: "linear"', () => {
  it("is the line of least squares with its equation and r²", () => {
    const chart = lab.plot.points([1, 2, 3], [2, 4, 5], { fit: "linear" });
    const ends = ownRows(chart);
    expect(ends.map(({ x }) => x)).toEqual([1, 3]);
    expect(ends[0]!["y"]).toBeCloseTo(1.5 + 2 / 3, 12);
    expect(ends[1]!["y"]).toBeCloseTo(4.5 + 2 / 3, 12);
    // r² = 27/28
    expect(inspect(chart)).toBe("value by x: 3 points, correlation 0.982. value = 1.5 x + 0.667, r² 0.964.");
    expect((chart.title as { subtitle: readonly string[] }).subtitle).toEqual([
      "value = 1.5 x + 0.667, r² 0.964",
    ]);
  });

  it("has one for each colour; none where all points have one x", () => {
    const chart = lab.plot.points(table, { x: "area", y: "rent", color: "kind", fit: "linear" });
    expect(inspect(chart)).toMatch(/a: rent = 1.5 area \+ 0.667, r² 0.964. b: rent = -1 area \+ 4, r² 1\.$/);
    expect(inspect(lab.plot.points([2, 2], [1, 3], { fit: "linear" }))).toBe(
      "value by x: 2 points. no straight line fits 2 points of one x.",
    );
    expect(inspect(lab.plot.points([1, 2], [3, 3], { fit: "linear" }))).toMatch(/value = 0 x \+ 3\.$/);
  });

  it("keeps its digits where numbers are large and close together", () => {
    const x = Array.from({ length: 100 }, (_, at) => 1.7e9 + at);
    const chart = lab.plot.points(
      x,
      x.map((one) => 2 * (one - 1.7e9)),
      { fit: "linear" },
    );
    const [first, last] = ownRows(chart);
    expect(last!["y"] as number).toBeCloseTo(198, 4);
    expect(first!["y"] as number).toBeCloseTo(0, 4);
  });

  it("is of all points, also of those outside the limits or counted in rectangles", () => {
    const limited = lab.plot.points([1, 2, 3], [2, 4, 5], { fit: "linear", xLimits: [1, 2] });
    expect(inspect(limited)).toContain("value = 1.5 x + 0.667, r² 0.964, fitted to all points");
    const many = Array.from({ length: 3000 }, (_, at) => at);
    const counted = lab.plot.points(many, many, { fit: "linear" });
    expect(marks(counted)).toEqual(["rect", "line"]);
    expect(inspect(counted)).toContain("value = 1 x + 0, r² 1");
  });

  it("is refused over names, dates and logarithmic axes", () => {
    expect(() => lab.plot.points(["a", "b"], [1, 2], { fit: "linear" })).toThrow(
      "lab.plot.points: fit is a line over numbers, and the x axis has names; leave fit out.",
    );
    expect(() => lab.plot.points([1, 2], [1, 2], { fit: "linear", yScale: "log" })).toThrow(
      'fit: "linear" is a straight line, and yScale is "log"; leave one of them out, or draw the logarithms.',
    );
    expect(() => lab.plot.points([1, 2], [1, 2], { fit: "cubic" as "linear" })).toThrow(/fit must be/);
  });
});

describe("error bars", () => {
  it("are of a column, of numbers, and of numbers by name; a gap has none", () => {
    const chart = lab.plot.points(table, { x: "area", y: "rent", error: "off" });
    expect(marks(chart)).toEqual(["rule", "point"]);
    expect(rows(chart).slice(1, 3)).toEqual([
      { series: "", x: 2, y: 4, low: 3.75, high: 4.25 },
      { series: "", x: 3, y: 5 },
    ]);
    expect(inspect(chart)).toMatch(/error bars of 0.25 to 2\.$/);
    expect(rows(lab.plot.points(table, { x: "area", y: "rent", error: table.column("off") }))).toEqual(
      rows(chart),
    );
    expect(rows(lab.plot([5, 6], { error: [1, 2] }))[1]).toEqual({ series: "", x: 1, y: 6, low: 4, high: 8 });
    const named = lab.plot({ train: [5, 6], test: [7, 8] }, { error: { test: [1, 1] } });
    expect(rows(named).map(({ low }) => low)).toEqual([undefined, undefined, 6, 7]);
    const fields = lab.plot(table, { x: "area", y: ["rent", "off"], error: { rent: [1, 1, 1, 1, 1] } });
    expect(rows(fields).filter(({ low }) => low !== undefined)).toHaveLength(5);
  });

  it("follow their points where lines are sorted by x, and where colours divide them", () => {
    expect(rows(lab.plot([3, 1], [30, 10], { error: [3, 1] }))).toEqual([
      { series: "", x: 1, y: 10, low: 9, high: 11 },
      { series: "", x: 3, y: 30, low: 27, high: 33 },
    ]);
    const chart = lab.plot.points(table, { x: "area", y: "rent", color: "kind", error: "off" });
    expect(rows(chart).at(-1)).toEqual({ series: "b", x: 3, y: 1, low: -1, high: 3 });
  });

  it("are cut where a logarithmic axis has no place for them, and it says so", () => {
    const chart = lab.plot([10, 1], { yScale: "log", error: [1, 2] });
    expect(rows(chart)[1]).toEqual({ series: "", x: 1, y: 1, low: 1, high: 3 });
    expect(inspect(chart)).toMatch(/1 error bar reaches below zero, and is cut\.$/);
  });

  it("that fit no values are refused", () => {
    expect(() => lab.plot([1, 2], { error: [1] })).toThrow(
      "lab.plot: error has 1 number, and there are 2 values; give one for each.",
    );
    expect(() => lab.plot([1, 2], { error: [1, -1] })).toThrow(
      "lab.plot: error[1] is -1, and an error bar has a positive length.",
    );
    expect(() => lab.plot({ a: [1], b: [1] }, { error: [1] })).toThrow(
      'lab.plot: error is one list, and there are 2 of values; give one for each of "a", "b".',
    );
    expect(() => lab.plot({ a: [1], b: [1] }, { error: { c: [1] } })).toThrow(
      'lab.plot: error.c belongs to no values; there are "a", "b".',
    );
    expect(() => lab.plot([1, 2], { error: "std" })).toThrow(
      'error is "std", which names a field of records, and the values are none; pass its numbers.',
    );
    expect(() => lab.plot(table, { x: "area", y: "rent", error: "std" })).toThrow(
      'error names the column "std", and the table has area, rent, off and kind.',
    );
  });
});

it("xTitle and yTitle are the titles of the axes, and in the text", () => {
  const chart = lab.plot.points(table, { x: "area", y: "rent", xTitle: "area in m²", yTitle: "rent in €" });
  expect((chart.encoding["x"]!["axis"] as { title: string }).title).toBe("area in m²");
  expect(inspect(chart)).toMatch(/^rent in € by area in m²: /);
  const titled = lab.plot(table, { x: "area", y: "rent", yTitle: "rent in €", title: "Flats" });
  expect((titled.encoding["y"]!["axis"] as { title: string }).title).toBe("rent in €");
});

describe("a call in the order of another library says the order of this one", () => {
  const way = (call: string, names: string) =>
    `${call}: a table is the first argument, and options name its columns: ${call}(table, { ${names} }).`;
  it.each<[string, () => unknown, string]>([
    [
      "x, table",
      () => lab.plot(table.column("rent"), table as never),
      way("lab.plot", 'x: "rent", y: "area"'),
    ],
    [
      "table, column",
      () => lab.plot(table as never, table.column("rent") as never),
      way("lab.plot", 'x: "rent", y: "area"'),
    ],
    [
      "table, x, y",
      () => (lab.plot.points as (...all: unknown[]) => unknown)(table, "area", "rent"),
      way("lab.plot.points", 'x: "area", y: "rent"'),
    ],
    [
      "names, table",
      () => (lab.plot.points as (...all: unknown[]) => unknown)("area", "rent", table),
      way("lab.plot.points", 'x: "area", y: "rent"'),
    ],
    [
      "options, table",
      () => lab.plot.points({ x: "area", y: "rent" } as never, table as never),
      way("lab.plot.points", 'x: "area", y: "rent"'),
    ],
    [
      "column's name, table",
      () => lab.plot.histogram("rent" as never, table as never),
      way("lab.plot.histogram", 'x: "rent"'),
    ],
    [
      "table, column's name",
      () => lab.plot.histogram(table, "rent" as never),
      way("lab.plot.histogram", 'x: "rent"'),
    ],
    [
      "table, names in bars",
      () => lab.plot.bars(table, ["kind", "rent"] as never),
      way("lab.plot.bars", 'x: "kind", y: "rent"'),
    ],
    [
      "table, names in box",
      () => lab.plot.box(table, ["kind", "rent"] as never),
      way("lab.plot.box", 'x: "kind", y: "rent"'),
    ],
  ])("%s", (_, call, message) => expect(call).toThrow(message));
});
