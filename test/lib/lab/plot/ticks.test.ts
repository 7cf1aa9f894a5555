// Ticks of axes of whole numbers: each whole number once, and a year without a comma.
import { expect, it } from "vitest";
import { lab } from "../../../../lib/index.ts";

const axis = (chart: lab.Plot, name: string) => chart.encoding[name]!["axis"] as Record<string, unknown>;

it("a histogram of few whole numbers has a tick at each value, and at whole counts only", () => {
  const chart = lab.plot.histogram([0, 1, 1], { height: 120 });
  expect(axis(chart, "x")).toMatchObject({ values: [0, 1], format: "d" });
  expect(axis(chart, "y")).toMatchObject({ values: [0, 1, 2], format: ",d" });
});

it("years have no comma", () => {
  const cars = [
    { year: 1970, mpg: 18 },
    { year: 1982, mpg: 31 },
  ];
  expect(axis(lab.plot.points(cars, { x: "year", y: "mpg" }), "x")["format"]).toBe("d");
  expect(axis(lab.plot(cars, { x: "year", y: "mpg" }), "x")["format"]).toBe("d");
  expect(axis(lab.plot.histogram([1970, 1982]), "x")["format"]).toBe("d");
});

it("labels of a logarithmic axis keep a distance, and are left out where they have none", async () => {
  const chart = lab.plot([1, 2, 3], { x: { rate: [0.00012, 0.00034, 0.0011] }, xScale: "log", width: 100 });
  const drawn = (await chart.toSvg()).matchAll(
    /<text text-anchor="[a-z]+" transform="translate\(([\d.]+),\d+\)"[^>]*opacity="1"[^>]*>(0\.[\d]+)</g,
  );
  expect([...drawn].map(([, , text]) => text)).toEqual(["0.0002", "0.001"]);
});
