// The limits of axes.
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { lab } from "../../../../lib/index.ts";

const domain = (chart: lab.Plot, axis: string) =>
  (chart.encoding[axis]!["scale"] as { domain?: unknown }).domain;

const rows = (chart: lab.Plot) => chart.data.values as readonly { x: number; y: number }[];
const labels = (chart: lab.Plot) =>
  (chart.layer.at(-1)!["data"] as { values: readonly { text: string; y: number }[] }).values;

it("limits are the ends of the axes, and the line is cut there", () => {
  const chart = lab.plot([1, 50, 2, 9], { xLimits: [0, 2], yLimits: [0, 5] });
  expect([domain(chart, "x"), domain(chart, "y")]).toEqual([
    [0, 2],
    [0, 5],
  ]);
  expect((chart.layer[0]!["mark"] as { clip: boolean }).clip).toBe(true);
  // The point behind the edge is kept, because the line goes on to it.
  expect(rows(chart).map(({ x }) => x)).toEqual([0, 1, 2, 3]);
});

it("a note under the title says how many points lie outside", () => {
  const chart = lab.plot([1, 50, 2, 9], { xLimits: [0, 2], yLimits: [0, 5] });
  expect(chart.title).toMatchObject({
    subtitle: ["lowest 1 at index 0, highest 50 at index 1", "2 points lie outside the limits"],
  });
  expect(inspect(chart)).toMatch(/highest 50 at index 1\. 2 points lie outside the limits\.$/);
});

it("the label of a line stands at the last value within the limits of x", () => {
  const [label] = labels(lab.plot({ loss: [3, 2, 1, 9] }, { xLimits: [0, 2] }));
  expect(label).toMatchObject({ text: "loss 1", y: 1 });
});

it("a line that leaves the plot has its name at the edge, and none without a name", () => {
  const given = { low: [1, 2, -7], high: [1, 2, 40], inside: [1, 2, 3] };
  expect(labels(lab.plot(given, { yLimits: [0, 5] })).map(({ text, y }) => [text, y])).toEqual([
    ["low", 0],
    ["high", 5],
    ["inside 3", 3],
  ]);
  expect(labels(lab.plot([1, 2, 40], { yLimits: [0, 5] }))).toEqual([]);
});

it("a stretch of a long line is thinned by itself", () => {
  const long = Array.from({ length: 100_000 }, (_, at) => Math.sin(at));
  const chart = lab.plot(long, { xLimits: [100, 199] });
  expect(rows(chart)).toHaveLength(102);
  expect(inspect(chart)).toMatch(/99,900 points lie outside the limits\.$/);
});

it("refuses limits that no line passes through, and draws a line that only crosses them", () => {
  expect(() => lab.plot([1, 2], { yLimits: [5, 6] })).toThrow(/no line passes through the limits/);
  expect(() => lab.plot([1, 2], { xLimits: [5, 6] })).toThrow(/no line passes through the limits/);
  expect(inspect(lab.plot([0, 10], { yLimits: [4, 6] }))).toMatch(/2 points lie outside the limits/);
});

it("points outside of the limits are left out, and the chart says how many", () => {
  const chart = lab.plot.points([1, 2, 3, 40], { yLimits: [0, 10] });
  expect(domain(chart, "y")).toEqual([0, 10]);
  expect(inspect(chart)).toBe("value by index: 3 points, correlation 1. 1 point lies outside the limits.");
});

it.each([
  [{ yLimits: [5, 1] }, /yLimits must be two finite numbers, the smaller one first, got \[5, 1\]/],
  [{ yLimits: [5] }, /yLimits must be two numbers, \[least, greatest\], got \[5\]/],
  [{ yLimits: [0, 1], yScale: "log" }, /yLimits begin at 0, and a logarithmic axis needs positive limits/],
  [{ x: ["a", "b"], xLimits: [0, 1] }, /xLimits are numbers, and the x axis has names/],
] as const)("refuses %j", (options, message) => {
  expect(() => lab.plot([1, 2], options as lab.LinesOptions)).toThrow(message);
  expect(() => lab.plot.points([1, 2], options as lab.PointsOptions)).toThrow(message);
});

it("a long line with gaps stays apart at them, however few of its points are drawn", () => {
  // Every third value is a gap: no two points are joined that have one between them.
  const values = Array.from({ length: 9_000 }, (_, at) => (at % 3 === 2 ? NaN : Math.sin(at / 300)));
  const { data } = lab.plot(values) as unknown as { data: { values: { x: number; y: number | null }[] } };
  const rows = data.values;
  for (const [at, { x, y }] of rows.entries()) {
    const next = rows[at + 1];
    if (y === null || next === undefined || next.y === null) continue;
    expect(Math.floor(x / 3)).toBe(Math.floor(next.x / 3));
  }
});

it("a heatmap has numbers of two digits where three have no room, rounded for all alike", () => {
  const values = Array.from({ length: 10 }, (_, row) =>
    Array.from({ length: 10 }, (_, at) => (row * 10 + at) / 101 + 0.00123),
  );
  const { data } = lab.plot.heatmap(values, { yLabels: [..."abcdefghij"], width: 400 }) as unknown as {
    data: { values: { text?: string }[] };
  };
  expect(data.values.slice(0, 3).map(({ text }) => text)).toEqual(["0", "0.01", "0.02"]);
});
