// `lab.plot.box`: quartiles of groups, whiskers and outliers. The numbers are worked out by hand, by NumPy's linear method.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { data, lab, torch } from "../../../../../lib/index.ts";

const left = [9, 1, 50, 3, 2, 8, 4, 7, 5, 6];
const right = [4, 10, 2, 4];
const table = new data.Table({
  kind: [...left.map(() => "left"), ...right.map(() => "right")],
  size: [...left, ...right],
  price: [...left, ...right].map((value) => value * 2),
});
const boxes = (chart: lab.Plot) => chart.data.values as readonly Record<string, unknown>[];
const outliers = (chart: lab.Plot) =>
  (chart.layer.at(-1)!["data"] as { values: readonly Record<string, unknown>[] }).values;

const EXPECTED = [
  { name: "left", count: 10, low: 1, q25: 3.25, median: 5.5, q75: 7.75, high: 9, outliers: 1 },
  // The third quartile lies beyond 4, the last value within reach: there is no upper whisker.
  { name: "right", count: 4, low: 2, q25: 3.5, median: 4, q75: 5.5, high: 5.5, outliers: 1 },
];

describe("lab.plot.box", () => {
  it("has the quartiles of each group, whiskers of at most 1.5 boxes, and the values beyond", () => {
    const chart = lab.plot.box(table, { x: "kind", y: "size" });
    expect(boxes(chart)).toEqual(EXPECTED);
    expect(outliers(chart)).toEqual([
      { name: "left", value: 50 },
      { name: "right", value: 10 },
    ]);
    expect(inspect(chart)).toBe(
      "size by kind: left: median 5.5, quartiles 3.25 to 7.75, whiskers 1 to 9, 1 outlier of 10 values; right: median 4, quartiles 3.5 to 5.5, whiskers 2 to 5.5, 1 outlier of 4 values.",
    );
  });

  it("is the same of lists by name, records and tensors", () => {
    expect(boxes(lab.plot.box({ left: torch.tensor(left), right }))).toEqual(EXPECTED);
    expect(boxes(lab.plot.box(table.records(), { x: "kind", y: "size" }))).toEqual(EXPECTED);
    expect(inspect(lab.plot.box(table.column("size")))).toMatch(
      /^size: median 4.5, quartiles 3.25 to 7.75, /,
    );
  });

  it("has a box for each field where y names several, or none", () => {
    expect(boxes(lab.plot.box(table)).map(({ name, median }) => [name, median])).toEqual([
      ["size", 4.5],
      ["price", 9],
    ]);
  });

  it("leaves out what is missing and groups without numbers, and says so", () => {
    const chart = lab.plot.box({ a: [1, NaN, 3], b: [null, NaN] }, { yTitle: "ms" });
    expect(boxes(chart)).toEqual([
      { name: "a", count: 2, low: 1, q25: 1.5, median: 2, q75: 2.5, high: 3, outliers: 0 },
    ]);
    expect(inspect(chart)).toBe(
      "ms: a: median 2, quartiles 1.5 to 2.5, whiskers 1 to 3, no outlier of 2 values. 3 values are not finite and left out. b has no numbers.",
    );
  });

  it("of more than four groups says the ends of their medians", () => {
    const many = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`g${at}`, [at, at, at]]));
    expect(inspect(lab.plot.box(many))).toBe(
      "value: 6 boxes, medians from g0 0 to g5 5, no outlier of 18 values.",
    );
  });

  it("lies down where names have no room beside each other", () => {
    const names = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`aten::a_long_name_of_an_operator_${at}`, [at, at + 1]]),
    );
    expect(lab.plot.box(names).encoding["y"]!["field"]).toBe("name");
    expect(lab.plot.box(table, { x: "kind", y: "size" }).encoding["x"]!["field"]).toBe("name");
  });

  it("refuses what it cannot draw", () => {
    expect(() => lab.plot.box([NaN])).toThrow("there is nothing to draw: no value is a finite number.");
    expect(() => lab.plot.box(table, { x: "kin", y: "size" })).toThrow(
      'lab.plot.box: x names the column "kin", and the table has kind, size and price.',
    );
    expect(() => lab.plot.box(table, { x: "size", y: "kind" })).toThrow(
      'y is the field "kind", which holds strings; the y axis takes numbers.',
    );
    const many = Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`g${at}`, [at]]));
    expect(() => lab.plot.box(many)).toThrow("31 boxes have no room; draw at most 30 at a time.");
  });
});
