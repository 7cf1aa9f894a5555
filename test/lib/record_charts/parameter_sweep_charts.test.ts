// Figures of parameter sweeps: what is drawn by which parameter, how points that differ in their seed become one with a
// spread, which batch is the knee, and how two sweeps are compared.
import { describe, expect, it } from "vitest";
import {
  type FiguredPoint,
  type FiguredSweep,
  PEAK_BYTES,
  WALL_MS,
} from "../../../lib/records/parameter_sweeps/figured_points.ts";
import { parameterCharts } from "../../../lib/record_charts/parameter_sweep_charts.ts";
import { parameterDifferences } from "../../../lib/records/parameter_sweeps/difference.ts";
import { strictSvgOf, titleOf } from "../lab/vega.ts";

type Row = readonly [parameters: Record<string, string>, figures: Record<string, number>];
const sweep = (rows: readonly Row[], name = ""): FiguredSweep => ({
  name,
  points: rows.map(([parameters, figures]): FiguredPoint => ({ parameters, figures })),
});
const titles = (sweeps: readonly FiguredSweep[]) =>
  parameterCharts(sweeps).map(({ specification }) => String(titleOf(specification).text));
const subtitle = ({ specification }: ReturnType<typeof parameterCharts>[number]) =>
  titleOf(specification).subtitle.join(" ");

const GRID = sweep([
  [
    { rate: "0.1", layers: "2" },
    { loss: 0.5, [WALL_MS]: 2000, [PEAK_BYTES]: 2 ** 20 },
  ],
  [
    { rate: "0.001", layers: "2" },
    { loss: 0.25, [WALL_MS]: 3000, [PEAK_BYTES]: 2 ** 20 },
  ],
  [
    { rate: "0.1", layers: "4" },
    { loss: 0.75, [WALL_MS]: 4000, [PEAK_BYTES]: 2 ** 21 },
  ],
]);

describe("figures by parameters", () => {
  it("have a chart for each figure and each parameter with several values, time and memory last", () => {
    expect(titles([GRID])).toEqual([
      "loss by rate",
      "loss by layers",
      "time of the point by rate",
      "time of the point by layers",
      "peak memory by rate",
      "peak memory by layers",
    ]);
    expect(titles([sweep([[{ rate: "0.1" }, { loss: 1 }]])])).toEqual([]);
  });

  it("have a line for each combination of the other parameters, and say where the ends are", async () => {
    const [byRate, , time] = parameterCharts([GRID]);
    expect(byRate!.summary).toBe(
      "loss by rate: lowest with rate 0.001, layers 2 (0.25), highest with rate 0.1, layers 4 (0.75).",
    );
    expect(time!.summary).toContain("lowest with rate 0.1, layers 2 (2 s)");
    const svg = await strictSvgOf(byRate!.specification);
    for (const line of ["layers 2", "layers 4"]) expect(svg).toContain(`>${line} `);
  });

  it("of texts stand beside each other, without a line between them", async () => {
    const modes = ["fast", "exact"].map((mode, at): Row => [{ mode }, { accuracy: at }]);
    const [chart] = parameterCharts([sweep(modes)]);
    const svg = await strictSvgOf(chart!.specification);
    for (const mode of ["fast", "exact"]) expect(svg).toContain(`>${mode}<`);
    expect(svg).not.toContain('aria-roledescription="line mark"');
    expect(chart!.summary).toBe("accuracy by mode: highest with mode exact (1), lowest with mode fast (0).");
  });
});

describe("points that differ in their seed alone", () => {
  const seeds = ["0", "1", "2"].flatMap((seed): Row[] => [
    [{ rate: "0.1", seed }, { loss: 0.1 * (1 + Number(seed)) }],
    [{ rate: "0.2", seed }, { loss: 0.2 * (1 + Number(seed)) }],
  ]);

  it("are one line of their median, with the band between the lowest and the highest", async () => {
    const charts = parameterCharts([sweep(seeds)]);
    expect(charts.length).toBe(1);
    expect(subtitle(charts[0]!)).toContain(
      "median of up to 3 points, with the band from the lowest to the highest",
    );
    expect(await strictSvgOf(charts[0]!.specification)).toContain('aria-roledescription="area mark"');
  });

  it("give a comparison of two sweeps its spread", () => {
    const worse = seeds.map(([parameters, { loss }]): Row => [parameters, { loss: 10 * loss! }]);
    const table = parameterDifferences(sweep(seeds, "a"), sweep(worse, "b"))!;
    expect(table.rows).toEqual([
      ["loss", "rate 0.1", "0.2 (0.1 to 0.3)", "2 (1 to 3)", "10×", "ranges apart"],
      ["loss", "rate 0.2", "0.4 (0.2 to 0.6)", "4 (2 to 6)", "10×", "ranges apart"],
    ]);
    const same = parameterDifferences(sweep(seeds, "a"), sweep(seeds, "b"))!;
    expect(same.rows[0]!.at(-1)).toBe("ranges overlap");
    expect(parameterDifferences(sweep(seeds, "a"), GRID)).toBeNull();
  });
});

it("a throughput by batch has its knee, and its best batch", async () => {
  const rates = [100, 950, 1000].map((rate, at): Row => [
    { batchSize: String(16 * 4 ** at) },
    { samplesPerSecond: rate, loss: 1 },
  ]);
  const charts = parameterCharts([sweep(rates)]);
  expect(subtitle(charts[0]!)).toContain("knee 64, best 256");
  await strictSvgOf(charts[0]!.specification);
  expect(subtitle(charts[1]!)).not.toContain("best");
});

describe("values that lie far apart", () => {
  const losses = (min: number) =>
    sweep([1, 0.1, min].map((loss, at): Row => [{ rate: String(10 ** -at) }, { loss }]));
  const axisTitle = (losses: FiguredSweep) =>
    strictSvgOf(parameterCharts([losses])[0]!.specification).then((svg) => svg.includes(">logarithmic<"));

  it("over more than two and a half decades have a logarithmic axis, whose title says so", async () => {
    expect(await axisTitle(losses(0.003))).toBe(true);
    expect(await axisTitle(losses(0.004))).toBe(false);
  });

  it("have a linear one where one of them is zero or below", async () => {
    expect(await axisTitle(losses(0))).toBe(false);
    expect(await axisTitle(losses(-0.001))).toBe(false);
  });
});

it("lines that a legend names are told apart there by dashes, though bands lie around them", async () => {
  const seeds = [1, 2].flatMap((seed) =>
    [1, 2, 3, 4, 5].flatMap((rate) =>
      [16, 32].map((width): Row => [
        { width: String(width), rate: String(rate), seed: String(seed) },
        { loss: rate * seed + width },
      ]),
    ),
  );
  const svg = await strictSvgOf(parameterCharts([sweep(seeds)])[0]!.specification);
  const symbols = [
    ...svg.matchAll(/role-legend-symbol.*?stroke="(.*?)".*?stroke-dasharray="(.*?)" opacity="(.*?)"/gs),
  ];
  expect(symbols.map(([, ...symbol]) => symbol)).toEqual([
    ["#1F83CC", "", "1"],
    ["#D55E00", "", "1"],
    ["#009E73", "", "1"],
    ["#CC79A7", "", "1"],
    ["#1F83CC", "6,3", "1"],
  ]);
});

it("more lines than can be told apart are one with its spread", () => {
  const many = Array.from({ length: 26 }, (_, at): Row => [
    { rate: at % 2 === 0 ? "0.1" : "0.2", width: String(Math.floor(at / 2)) },
    { loss: at },
  ]);
  const [byRate] = parameterCharts([sweep(many)]);
  expect(subtitle(byRate!)).toContain("median of up to 13 points");
});
