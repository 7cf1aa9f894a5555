// Tests what the charts of a sweep draw and say, and that vega-lite reports no warning.
import { describe, expect, it } from "vitest";
import { memoryChart, throughputChart } from "../../../lib/record_charts/batch_sweep_chart.ts";
import { resultOf } from "../../../lib/records/batch_sweeps/result.ts";
import type { PointRecord } from "../../../lib/records/batch_sweeps/point.ts";
import { labelsOf, rowsOf, svgOf, titleOf } from "../lab/vega.ts";
import { MIB, outOfMemory, record } from "../lab/sweep/records.ts";

const resultWith = (points: PointRecord[]) =>
  resultOf({
    name: "tour",
    device: "mps",
    seed: 0,
    points,
    ends: [],
    resumedPoints: 0,
    cutOffPoints: [],
    journal: null,
  });

describe("a series that ends out of memory", () => {
  const rates = [1000, 2000, 3700, 4000, 4050];
  const result = resultWith([...rates.map((rate, at) => record(64 * 2 ** at, { rate })), outOfMemory(2048)]);
  const throughput = throughputChart(result)!;
  const memory = memoryChart(result)!;

  it("has the smallest batch within 3% of the best as its best, and the knee at 90% of it", () => {
    expect(result.choices).toEqual([
      {
        parameters: {},
        bestBatch: 512,
        bestSamplesPerSecond: 4000,
        kneeBatch: 256,
        stillRising: false,
        uncertain: false,
      },
    ]);
    expect(throughput.summary).toBe(
      "Throughput of tour on mps: Best batch: 512, 4,000 samples/s; 90% of that from batch 256 on.",
    );
  });

  it("marks knee, best and the point without a number", async () => {
    const svg = await svgOf(throughput.specification);
    for (const text of ["knee 256", "best 512", "out of memory", "Throughput by batch · tour · mps"])
      expect(svg).toContain(text);
  });

  it("draws the memory under its watermark", async () => {
    expect(titleOf(memory.specification).subtitle).toEqual(["of live tensors; watermark 900 MiB"]);
    expect(memory.summary).toBe("Peak memory of tour on mps: 164 MiB to 1.1 GiB; watermark 900 MiB.");
    expect(await svgOf(memory.specification)).toContain(">watermark 900 MiB<");
  });

  it("tells the pointer each point's batch, rate, peak and state", () => {
    const [points] = rowsOf(throughput.specification, "point");
    expect(points![0]).toMatchObject({
      batch: "64",
      "samples/s": "1,000",
      peak: "164 MiB",
      state: "measured",
    });
  });
});

/** Rates of 64, 128 and so on samples, each with its spread. */
const withSpreads = (...measured: readonly (readonly [rate: number, spread: number])[]) =>
  resultWith(
    measured.map(([rate, spread], at) => {
      const one = record(64 * 2 ** at, { rate });
      const [lowerQuartile, upperQuartile] = [(1 - spread) * rate, (1 + spread) * rate];
      const samplesPerSecond = { ...one.steady!.samplesPerSecond, lowerQuartile, upperQuartile };
      return { ...one, steady: { ...one.steady!, samplesPerSecond } };
    }),
  );

it("says that the best batch is uncertain, and marks no knee, where a batch beside the knee has a spread of a third", async () => {
  const chart = throughputChart(withSpreads([1000, 0.02], [2000, 0.4], [3700, 0.02], [4000, 0.02]))!;
  expect(chart.summary).toContain("4,000 samples/s; 90% of that from batch 256 on. That is uncertain:");
  const svg = await svgOf(chart.specification);
  expect(svg).toContain("best 512, uncertain");
  expect(svg).not.toContain("knee");
  const far = withSpreads([1000, 0.4], [2000, 0.02], [3700, 0.02], [4000, 0.02]);
  expect(far.choices).toMatchObject([{ kneeBatch: 256, uncertain: false }]);
});

it("says so too where within the spreads the knee may lie two batches away", () => {
  // A sweep beside four busy programs, and what it would be with the spreads of a quiet machine.
  const beside = withSpreads([4955, 0.19], [9896, 0.05], [5849, 0.22], [11_708, 0.1], [8562, 0.16]);
  expect(beside.choices).toMatchObject([{ bestBatch: 512, uncertain: true }]);
  // No spread here is a third, so the sentence must not call them wide.
  expect(throughputChart(beside)!.summary).toContain(
    "uncertain: with these spreads chance may have chosen it",
  );
  // The last batch but one may be the fastest.
  const mayBeFaster = withSpreads([1796, 0.05], [9939, 0.1], [3180, 0.08], [8471, 0.3], [7409, 0.3]);
  expect(mayBeFaster.choices).toMatchObject([{ bestBatch: 128, uncertain: true }]);
  const quiet = withSpreads([4955, 0.02], [9896, 0.02], [5849, 0.02], [11_708, 0.02], [8562, 0.02]);
  expect(quiet.choices).toMatchObject([{ kneeBatch: 512, uncertain: false }]);
});

it("points that ended alike are told of once, those that ended otherwise in a row of their own, and the largest batch is named", async () => {
  const failed = record(1536, { status: "failed", error: "Error: no", steady: null });
  const points = [record(256), record(1024), outOfMemory(1536), outOfMemory(1600), failed, outOfMemory(1664)];
  const svg = await svgOf(throughputChart(resultWith(points))!.specification);
  expect(svg.match(/>out of memory</g)).toHaveLength(1);
  expect(svg.match(/>failed</g)).toHaveLength(1);
  expect(svg).toContain(">1664<");
  expect(svg).not.toContain(">1600<");
});

it("each combination of other parameters is a line with its name beside it", async () => {
  const line = (dtype: string, factor: number) =>
    [64, 128].map((batch) => record(batch, { rate: factor * batch, parameters: { dtype } }));
  const chart = throughputChart(resultWith([...line("float32", 10), ...line("float16", 20)]))!;
  expect(labelsOf(chart.specification)).toEqual(["float32", "float16"]);
  await expect(svgOf(chart.specification)).resolves.toContain("float16");
});

it("of several lines best and knee are signs, told in the subtitle: names would stand in each other's way", async () => {
  const line = (dtype: string) =>
    [64, 128, 256, 512].map((batch) => record(batch, { rate: Math.min(batch, 260), parameters: { dtype } }));
  const { specification } = throughputChart(resultWith([...line("float32"), ...line("float16")]))!;
  expect(titleOf(specification).subtitle).toEqual([
    "samples a second; the band is between the quartiles; ○ best batch",
  ]);
  expect(rowsOf(specification, "point").at(-1)).toMatchObject([
    { x: 256, shape: "circle" },
    { x: 256, shape: "circle" },
  ]);
  expect(await svgOf(specification)).not.toMatch(/>(knee|best)[^<]*</);
});

it("a number as a parameter is told by its name, and a point that failed with its line's", async () => {
  const line = (hidden: number, failedAt: number) =>
    [64, 128].map((batch) =>
      batch === failedAt
        ? { ...outOfMemory(batch), point: { batch, hidden } }
        : record(batch, { parameters: { hidden } }),
    );
  const chart = throughputChart(resultWith([...line(256, 0), ...line(512, 128), ...line(1024, 128)]))!;
  expect(labelsOf(chart.specification)).toEqual(["hidden 256", "hidden 512", "hidden 1024"]);
  const svg = await svgOf(chart.specification);
  for (const name of ["hidden 512", "hidden 1024"]) expect(svg).toContain(`>out of memory: ${name}<`);
});

it("a line of which nothing was measured takes no colour from the others' marks", () => {
  const failed = [64, 128].map((batch) => ({ ...outOfMemory(batch), point: { batch, hidden: 128 } }));
  const measured = [64, 128].map((batch) => record(batch, { rate: 10 * batch, parameters: { hidden: 256 } }));
  const { specification } = throughputChart(resultWith([...failed, ...measured]))!;
  const layers = specification["layer"] as {
    mark?: { type: string; color?: string };
    data: { values: { text?: string; color?: string }[] };
  }[];
  const drawn = layers.filter(({ mark }) => mark?.type === "line").map(({ mark }) => mark!.color);
  const marked = layers
    .flatMap(({ data }) => data.values)
    .find(({ text }) => text?.startsWith("best") || text?.startsWith("knee"));
  expect(marked?.color).toBe(drawn[1]);
});

describe("a curve that does not bend", () => {
  const rising = resultWith([64, 128, 256, 512].map((batch) => record(batch, { rate: 10 * batch })));

  it("has no knee, and says that it still rises", async () => {
    expect(rising.choices).toMatchObject([{ bestBatch: 512, kneeBatch: null, stillRising: true }]);
    const { specification, summary } = throughputChart(rising)!;
    expect(summary).toBe("Throughput of tour on mps: Best batch: 512, 5,120 samples/s; still rising at 512.");
    const svg = await svgOf(specification);
    expect(svg).toContain(">best 512, still rising<");
    expect(svg).not.toContain("knee");
  });

  it("is judged by its last doubling, however close its batches are", () => {
    const close = [64, 128, 256, 448, 480, 512].map((batch) => record(batch, { rate: 10 * batch }));
    expect(resultWith(close).choices).toMatchObject([{ kneeBatch: null, stillRising: true }]);
  });

  it("of one batch neither bends nor rises", () => {
    expect(resultWith([record(64)]).choices).toMatchObject([{ kneeBatch: null, stillRising: false }]);
  });

  it("that is flat from its smallest batch on shows no knee there", async () => {
    const flat = resultWith([64, 128, 256].map((batch) => record(batch, { rate: 4000 })));
    expect(await svgOf(throughputChart(flat)!.specification)).not.toContain("knee");
  });
});

it("of several curves those that still rise have a sign of their own", () => {
  const line = (dtype: string) =>
    [64, 128].map((batch) => record(batch, { rate: batch, parameters: { dtype } }));
  const { specification } = throughputChart(resultWith([...line("float32"), ...line("float16")]))!;
  expect(titleOf(specification).subtitle).toEqual([
    "samples a second; the band is between the quartiles; △ best batch, still rising",
  ]);
});

it("a batch that gives 5% more is better, one that gives 2% more is not", () => {
  const best = (rate: number) => resultWith([record(64, { rate: 4000 }), record(128, { rate })]).choices[0]!;
  expect(best(4200)).toMatchObject({ bestBatch: 128, kneeBatch: 64 });
  expect(best(4080)).toMatchObject({ bestBatch: 64, bestSamplesPerSecond: 4000 });
});

describe("of points that did not do what they should", () => {
  it("none is the best batch, however fast", () => {
    const wrong = [
      record(128, { rate: 9000, loss: { value: null, finite: false } }),
      record(256, { rate: 8000, leak: { bytesPerStep: MIB, holders: [] } }),
    ];
    expect(resultWith([record(64), ...wrong]).choices).toMatchObject([{ bestBatch: 64, kneeBatch: null }]);
  });

  it("the best one is chosen where all are so", () => {
    const loss = { value: null, finite: false };
    expect(resultWith([record(64, { loss }), record(128, { loss, rate: 2000 })]).choices).toMatchObject([
      { bestBatch: 128 },
    ]);
  });
});

it("one point is a chart too, none is none", async () => {
  await expect(svgOf(throughputChart(resultWith([record(16)]))!.specification)).resolves.toContain("<svg");
  expect(memoryChart(resultWith([record(16)]))!.summary).toBe(
    "Peak memory of tour on mps: 116 MiB; watermark 900 MiB.",
  );
  expect(throughputChart(resultWith([outOfMemory(16)]))).toBeNull();
  expect(memoryChart(resultWith([]))).toBeNull();
});
