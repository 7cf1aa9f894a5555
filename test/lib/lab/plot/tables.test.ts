// Plots of tables and their columns, and `lab.plot(x, y)` as matplotlib has it.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { data, lab } from "../../../../lib/index.ts";

const flats = data.readCsv(
  "area,rent,district,since\n30,500,north,2024-01-01\n45,,south,2024-02-01\n60,900,north,2024-03-01\n",
);
const rows = (chart: lab.Plot) => chart.data.values as readonly Record<string, unknown>[];

describe("a table in a plot", () => {
  it("is drawn by its columns; a missing number is a gap", () => {
    const chart = lab.plot.points(flats, { x: "area", y: "rent" });
    expect(rows(chart)).toEqual([
      { series: "", x: 30, y: 500 },
      { series: "", x: 60, y: 900 },
    ]);
    expect(inspect(chart)).toBe("rent by area: 2 points. 1 point without two finite numbers left out.");
  });

  it("has colours by a column of words, and dates and words along its axis", () => {
    expect(rows(lab.plot.points(flats, { x: "area", y: "rent", color: "district" }))[0]).toEqual({
      series: "north",
      x: 30,
      y: 500,
    });
    expect(lab.plot(flats, { x: "since", y: "rent" }).encoding["x"]!["type"]).toBe("temporal");
    expect(rows(lab.plot.bars(flats, { x: "since", y: "area" })).map(({ value }) => value)).toEqual([
      30, 45, 60,
    ]);
  });

  it("that has no such column is an error with those that it has", () => {
    expect(() => lab.plot.points(flats, { x: "area", y: "rnt" })).toThrow(
      'lab.plot.points: y names the column "rnt", and the table has area, rent, district and since.',
    );
    expect(() => lab.plot.histogram(flats)).toThrow(
      "lab.plot.histogram: values is a table and x names no column; its columns are area, rent, district and since.",
    );
  });
});

describe("a column in a plot", () => {
  it("is its numbers under its name", () => {
    const chart = lab.plot.histogram(flats.column("area"));
    expect((chart.encoding["x"]!["axis"] as { title: string }).title).toBe("area");
    expect(rows(lab.plot.histogram(flats, { x: "area" }))).toEqual(rows(chart));
    expect(inspect(lab.plot(flats.column("area")))).toBe(
      "area by index: 30 to 60 over 3 values, lowest 30 at index 0, highest 60 at index 2.",
    );
    expect(rows(lab.plot({ area: flats.column("area") }))[2]).toEqual({ series: "area", x: 2, y: 60 });
  });

  it("of words is an error where numbers are drawn", () => {
    expect(() => lab.plot.histogram(flats.column("district"))).toThrow(
      'lab.plot.histogram: values is the column "district" of the kind string, and takes one of numbers.',
    );
  });
});

describe("lab.plot(x, y)", () => {
  it("draws y over x, with the columns' names as titles", () => {
    const chart = lab.plot.points(flats.column("area"), flats.column("rent"));
    expect(rows(chart)).toEqual(rows(lab.plot.points(flats, { x: "area", y: "rent" })));
    expect(inspect(chart)).toMatch(/^rent by area: /);
  });

  it("takes several lines by name and titles as options", () => {
    const chart = lab.plot([1, 2, 4], { train: [3, 2, 1], validation: [4, 3, 3] });
    expect(rows(chart).map(({ series, x, y }) => [series, x, y])).toEqual([
      ...[1, 2, 4].map((x, at) => ["train", x, [3, 2, 1][at]]),
      ...[1, 2, 4].map((x, at) => ["validation", x, [4, 3, 3][at]]),
    ]);
    expect(inspect(lab.plot([1, 2], [5, 6], { x: "step", y: "loss" }))).toBe(
      "loss by step: 5 to 6 over 2 values, lowest 5 at step 1, highest 6 at step 2.",
    );
  });

  it("says what cannot be: other lengths, x twice, four arguments", () => {
    expect(() => lab.plot([1, 2], [5, 6, 7])).toThrow("x has 2 positions, and values 3 numbers");
    expect(() => lab.plot([1, 2], [5, 6], { x: [1, 2] })).toThrow(
      "lab.plot: x is the first argument, so the option x is its title; got [1, 2].",
    );
    // @ts-expect-error matplotlib takes further pairs
    expect(() => lab.plot([1], [2], {}, [3])).toThrow(
      "lab.plot takes at most 3 arguments (x, y, options); 4 were given.",
    );
  });
});
