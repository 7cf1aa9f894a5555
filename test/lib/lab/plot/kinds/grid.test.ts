// `lab.plot.grid`: plots beside and below each other.
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { lab } from "../../../../../lib/index.ts";

const { plot } = lab;
const losses = () => plot([3, 2, 1], { y: "loss" });
type Part = Readonly<Record<string, unknown>> & { readonly width: number };
const parts = (chart: lab.Plot) => chart["concat"] as readonly Part[];

it("draws each plot in its column, with one schema and style", () => {
  const chart = plot.grid([losses(), plot.histogram([1, 2, 2]), plot.bars({ a: 1, b: 2 })], {
    title: "A run",
    columns: 2,
  });
  expect(chart["columns"]).toBe(2);
  expect(parts(chart)).toHaveLength(3);
  for (const part of parts(chart)) {
    expect(Object.keys(part)).not.toContain("$schema");
    expect(Object.keys(part)).not.toContain("config");
    expect(part.width).toBeLessThan(283);
  }
  expect(parts(chart)[0]!["layer"]).toEqual(losses().layer);
  expect(inspect(chart)).toBe(
    "A run: loss by index: 3 to 1 over 3 values, lowest 1 at index 2, highest 3 at index 0. How often each value occurs: 3 values from 1 to 2, mean 1.67, median 2; 2 bins. value: 2 bars, highest b 2, lowest a 1.",
  );
});

it("keeps the width of one column and of a plot that has one of its own", () => {
  expect(parts(plot.grid([losses()]))[0]!.width).toBe(losses().width);
  const small = plot([1, 2], { width: 120 });
  expect(parts(plot.grid([small, small], { columns: 2 }))[0]!.width).toBe(120);
  expect(inspect(plot.grid([small]))).toBe(inspect(small));
});

it("saves itself", async () => {
  const svg = await plot.grid([losses(), losses()]).toSvg();
  expect(svg.match(/>loss by index</g)).toHaveLength(2);
});

it("refuses what is no plot, none, and one without room", () => {
  expect(() => plot.grid([])).toThrow("lab.plot.grid: plots must be 1 to 24 plots, got 0.");
  expect(() => plot.grid([plot.live() as never])).toThrow(
    /^lab.plot.grid: plots\[0\] must be a plot of lab.plot/,
  );
  const names = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`number ${at}`, at]));
  expect(() => plot.grid([losses(), plot.bars(names)], { columns: 2 })).toThrow(
    "lab.plot.grid: plots[1] has no room in 2 columns, which have 283 pixels each; give columns: 1.",
  );
  expect(() => plot.grid([losses(), losses(), losses(), losses()], { columns: 4 })).toThrow(
    /give columns: 3/,
  );
});
