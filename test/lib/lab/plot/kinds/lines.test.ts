// `lab.plot`: what it accepts, the specification that it makes of it, and what it says of values that it cannot draw.
import { describe, expect, it } from "vitest";
import { inspect } from "node:util";
import { lab, torch } from "../../../../../lib/index.ts";
import { rowsOf, strictSvgOf } from "../../vega.ts";

const { plot } = lab;
const values = (chart: lab.Plot) => chart.data.values as { series: string; x: unknown; y: unknown }[];
const ys = (chart: lab.Plot) => values(chart).map(({ y }) => y);
const text = (chart: lab.Plot) => inspect(chart);
const subtitle = (chart: lab.Plot) => (chart.title as { subtitle?: string[] }).subtitle;

describe("lab.plot draws", () => {
  it("a list of numbers as a line over its index", async () => {
    const chart = plot([3, 1, 2]);
    expect(values(chart)).toEqual([
      { series: "", x: 0, y: 3 },
      { series: "", x: 1, y: 1 },
      { series: "", x: 2, y: 2 },
    ]);
    expect(chart.$schema).toBe("https://vega.github.io/schema/vega-lite/v5.json");
    expect(chart.title).toEqual({
      text: ["value by index"],
      subtitle: ["lowest 1 at index 1, highest 3 at index 0"],
    });
    expect(text(chart)).toBe(
      "value by index: 3 to 2 over 3 values, lowest 1 at index 1, highest 3 at index 0.",
    );
    expect(await strictSvgOf(chart)).toContain("value by index");
  });

  it.each([
    ["a typed array", new Float32Array([1, 2])],
    ["64-bit integers", new BigInt64Array([1n, 2n])],
    ["bigints and booleans", [true, 2n]],
    ["a tensor", torch.tensor([1, 2])],
    ["a tensor that requires a gradient", torch.tensor([1, 2], { dtype: "float32", requiresGrad: true })],
    ["an int64 tensor", torch.tensor([1, 2], { dtype: "int64" })],
    ["a bfloat16 tensor", torch.tensor([1, 2], { dtype: "bfloat16" })],
    ["a list of losses that are tensors still", [torch.tensor(1), torch.tensor(2)]],
    [
      "a tensor that is not contiguous",
      torch
        .tensor([
          [1, 9],
          [2, 9],
        ])
        .select(1, 0),
    ],
  ])("%s", (_, numbers) => {
    expect(ys(plot(numbers))).toEqual([1, 2]);
  });

  it("a bool tensor as 0 and 1", () => {
    expect(ys(plot(torch.tensor([true, false])))).toEqual([1, 0]);
  });

  it("several runs by name, of different length, each labelled with its last value", async () => {
    const chart = plot({ train: [3, 2, 1], validation: [3, 2.5] }, { x: "epoch", y: "loss" });
    expect(values(chart).map(({ series, x }) => [series, x])).toEqual([
      ["train", 0],
      ["train", 1],
      ["train", 2],
      ["validation", 0],
      ["validation", 1],
    ]);
    const labels = rowsOf(chart, "text").flat();
    expect(labels.map((label) => [label["text"], label["color"]])).toEqual([
      ["train 1", "#1F83CC"],
      ["validation 2.5", "#D55E00"],
    ]);
    expect((chart.title as { text: string[] }).text).toEqual(["loss by epoch"]);
    expect(await strictSvgOf(chart)).toContain("validation 2.5");
  });

  it("more than four runs with a legend, and says where they end", () => {
    const runs = Object.fromEntries([1, 2, 3, 4, 5].map((run) => [`run ${run}`, [run, run / 10]]));
    const chart = plot(runs);
    expect(rowsOf(chart, "text")).toEqual([]);
    expect(text(chart)).toBe("5 lines by index: 5 lines, ending from run 1 at 0.1 to run 5 at 0.5.");
  });

  it("records by their fields: numbers, dates or names on the x axis, a line for each colour", () => {
    const history = [
      { epoch: 1, train: 3, valid: 4, run: "a" },
      { epoch: 2, train: 2, valid: 3, run: "b" },
    ];
    expect(values(plot(history, { x: "epoch", y: "train" }))).toEqual([
      { series: "", x: 1, y: 3 },
      { series: "", x: 2, y: 2 },
    ]);
    const all = plot(history, { x: "epoch" });
    expect(values(all).map(({ series, y }) => [series, y])).toEqual([
      ["train", 3],
      ["train", 2],
      ["valid", 4],
      ["valid", 3],
    ]);
    const grouped = plot(history, { x: "epoch", y: "train", color: "run" });
    expect(values(grouped).map(({ series }) => series)).toEqual(["a", "b"]);
    const days = plot([{ day: new Date("2026-01-02"), n: 1 }], { x: "day", y: "n" });
    expect([days.encoding["x"]!["type"], values(days)[0]!.x]).toEqual(["temporal", Date.UTC(2026, 0, 2)]);
    expect(text(days)).toBe("n by day: 1 over 1 value, constant at 1.");
    const names = plot(
      [
        { k: "b", n: 1 },
        { k: "a", n: 2 },
      ],
      { x: "k", y: "n" },
    );
    expect(names.encoding["x"]).toEqual({ field: "x", type: "ordinal", sort: null, axis: { title: "k" } });
  });

  it("positions that are given, in their order on the axis", () => {
    const chart = plot([1, 2, 3], { x: [10, 0.1, 1], xScale: "log" });
    expect(values(chart).map(({ x, y }) => [x, y])).toEqual([
      [0.1, 2],
      [1, 3],
      [10, 1],
    ]);
  });

  it("positions under the title of their axis", () => {
    const chart = plot({ returned: [1, 2] }, { x: { products: [4, 8] }, y: "ms" });
    expect(values(chart).map(({ x, y }) => [x, y])).toEqual([
      [4, 1],
      [8, 2],
    ]);
    expect(text(chart)).toMatch(/^ms by products: /);
  });
});

describe("what cannot be drawn as it is, is said", () => {
  it("NaN, Infinity and nothing leave gaps", async () => {
    const chart = plot([1, NaN, 3, Infinity, null, 2, 4]);
    expect(ys(chart)).toEqual([1, null, 3, null, null, 2, 4]);
    expect(subtitle(chart)).toEqual([
      "lowest 1 at index 0, highest 4 at index 6",
      "3 values are not finite, drawn as gaps",
    ]);
    expect(text(chart)).toContain("3 values are not finite, drawn as gaps.");
    // A point between two gaps is a dot: a line would not show it.
    expect(values(chart).filter((row) => "alone" in row)).toEqual([
      { series: "", x: 0, y: 1, alone: true },
      { series: "", x: 2, y: 3, alone: true },
    ]);
    expect(await strictSvgOf(chart)).toContain("3 values are not finite");
  });

  it("values that are not positive on a log scale", () => {
    const chart = plot([10, 0, -1, 100], { yScale: "log" });
    expect(ys(chart)).toEqual([10, null, null, 100]);
    expect(text(chart)).toContain("2 values are not positive and left out of the log scale.");
  });

  it("a million points: the lowest and the highest of each stretch are kept, in less than 200 kB", () => {
    const noise = Float64Array.from({ length: 1_000_000 }, (_, at) => Math.sin(at));
    noise[654_321] = 50;
    noise[123_456] = -50;
    const chart = plot(noise);
    expect(values(chart).length).toBeLessThanOrEqual(2000);
    expect(values(chart)).toContainEqual({ series: "", x: 654_321, y: 50 });
    expect(values(chart)).toContainEqual({ series: "", x: 123_456, y: -50 });
    expect(JSON.stringify(chart).length).toBeLessThan(200_000);
    expect(text(chart)).toMatch(/of 1,000,000 points drawn: the lowest and highest of each stretch\.$/);
  });
});

describe("lab.plot refuses", () => {
  it.each<[string, () => unknown, string]>([
    ["nothing", () => plot([]), "lab.plot: there is nothing to draw: the values are empty."],
    [
      "no number",
      () => plot([NaN, Infinity]),
      "lab.plot: there is nothing to draw: no value is a finite number.",
    ],
    [
      "an empty object",
      () => plot({}),
      "lab.plot: there is nothing to draw: the values are an empty object.",
    ],
    ["a text among numbers", () => plot([1, "2"] as never), 'lab.plot: values[1] must be a number, got "2".'],
    [
      "a tensor of two dimensions",
      () => plot(torch.ones([2, 3])),
      "lab.plot: values is a tensor of shape [2, 3], and takes one of [N]; name its rows, as in { first: x.select(0, 0) }, or draw it with lab.plot.heatmap.",
    ],
    [
      "a scalar",
      () => plot(torch.tensor(1)),
      "lab.plot: values is a tensor of shape [], and takes one of [N]; choose a row with .select(0, 0), or .flatten() it.",
    ],
    [
      "complex numbers",
      () => plot(torch.ones([2], { dtype: "complex64" })),
      "lab.plot: values is a tensor of complex64, whose values have no order; draw its .abs() or .real.",
    ],
    [
      "another number of positions",
      () => plot([1, 2, 3], { x: [1, 2] }),
      "lab.plot: x has 2 positions, and values 3 numbers; give both the same length.",
    ],
    [
      "a field that is not there",
      () => plot([{ step: 1, loss: 2 }], { x: "stp" }),
      'lab.plot: x names the field "stp", and the records have step and loss.',
    ],
    [
      "a field of strings on the y axis",
      () => plot([{ step: 1, name: "a" }], { y: "name" }),
      'lab.plot: y is the field "name", which holds strings; the y axis takes numbers.',
    ],
    [
      "21 lines",
      () => plot(Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`l${at}`, [1]]))),
      "lab.plot: 21 lines cannot be told apart; draw at most 20 at a time.",
    ],
    [
      "a log scale of names",
      () => plot([{ k: "a", n: 1 }], { x: "k", xScale: "log" }),
      'lab.plot: xScale is "log", and the x axis has names; give it numbers, or leave xScale out.',
    ],
    [
      "a size that is none",
      () => plot([1], { width: 5 }),
      "lab.plot: width must be an integer of at least 40, got 5.",
    ],
  ])("%s", (_, call, message) => {
    expect(call).toThrow(message);
    expect(call).toThrow(expect.objectContaining({ message }) as Error);
  });
});
