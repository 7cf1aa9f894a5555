// Points, bars, histograms, matrices and images: their data exactly, that Vega-Lite draws them without a warning, and what
// they refuse.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { lab, torch } from "../../../../lib/index.ts";
import { strictSvgOf } from "../vega.ts";

const { plot } = lab;
const values = (chart: lab.Plot) => chart.data.values as Record<string, unknown>[];
const text = (chart: lab.Plot) => inspect(chart);

describe("lab.plot.points", () => {
  const runs = [
    { width: 1, loss: 3, optimizer: "SGD" },
    { width: 2, loss: 2, optimizer: "Adam" },
    { width: 3, loss: NaN, optimizer: "SGD" },
  ];

  it("draws records by two fields, in colours by a third", async () => {
    const chart = plot.points(runs, { x: "width", y: "loss", color: "optimizer" });
    expect(values(chart)).toEqual([
      { series: "SGD", x: 1, y: 3 },
      { series: "Adam", x: 2, y: 2 },
    ]);
    expect(text(chart)).toBe("loss by width: 2 points. 1 point without two finite numbers left out.");
    expect(await strictSvgOf(chart)).toContain("optimizer");
  });

  it("draws a tensor of [N, 2], and numbers over positions", () => {
    expect(
      values(
        plot.points(
          torch.tensor([
            [1, 2],
            [3, 4],
          ]),
        ),
      ),
    ).toEqual([
      { series: "", x: 1, y: 2 },
      { series: "", x: 3, y: 4 },
    ]);
    expect(values(plot.points([5, 6], { x: [1, 2] })).map(({ x, y }) => [x, y])).toEqual([
      [1, 5],
      [2, 6],
    ]);
  });

  it("counts a million points in rectangles", async () => {
    const chart = plot.points(torch.randn([1_000_000, 2]));
    const rows = values(chart);
    expect(rows.length).toBeLessThanOrEqual(1800);
    expect(rows.reduce((sum, { points }) => sum + (points as number), 0)).toBe(1_000_000);
    expect(JSON.stringify(chart).length).toBeLessThan(300_000);
    expect(text(chart)).toContain("1,000,000 points, counted in rectangles");
    expect(await strictSvgOf(chart)).toContain("counted in rectangles");
  });

  it("samples many points in colours, and says so", () => {
    const many = Array.from({ length: 10_000 }, (_, at) => ({ x: at, y: at, side: at % 2 }));
    const chart = plot.points(many, { x: "x", y: "y", color: "side" });
    expect(values(chart).length).toBe(2000);
    expect(text(chart)).toBe("y by x: 10,000 points, correlation 1. 2,000 of 10,000 points drawn.");
  });

  it.each<[string, () => unknown, string]>([
    [
      "a tensor of [N, 3]",
      () => plot.points(torch.ones([4, 3])),
      "lab.plot.points: values is a tensor of shape [4, 3], and takes [N, 2] (x and y), or [N].",
    ],
    [
      "no finite point",
      () => plot.points([NaN]),
      "lab.plot.points: there is nothing to draw: no point has two finite numbers.",
    ],
  ])("refuses %s", (_, call, message) => expect(call).toThrow(message));
});

describe("lab.plot.bars", () => {
  it("draws numbers by name, from zero", async () => {
    const chart = plot.bars({ cpu: 12.1, mps: 3.4 }, { y: "ms" });
    expect(values(chart)).toEqual([
      { name: "cpu", series: "", value: 12.1, text: "12.1" },
      { name: "mps", series: "", value: 3.4, text: "3.4" },
    ]);
    expect(chart.encoding["y"]!["scale"]).toEqual({ zero: true });
    expect(text(chart)).toBe("ms: 2 bars, highest cpu 12.1, lowest mps 3.4.");
    expect(await strictSvgOf(chart)).toContain("12.1");
  });

  it("draws numbers and tensors of one number together, and what has no type", () => {
    expect(values(plot.bars({ a: 1, b: torch.tensor(2) })).map(({ value }) => value)).toEqual([1, 2]);
    // The values are any, as those of a file.
    const bars = plot.bars(Object.fromEntries(JSON.parse('[["a", 3]]')));
    expect(values(bars).map(({ value }) => value)).toEqual([3]);
  });

  it("draws numbers with labels, and a tensor by index", () => {
    expect(values(plot.bars([1, 2], { labels: ["a", "b"] })).map(({ name }) => name)).toEqual(["a", "b"]);
    expect(values(plot.bars(torch.tensor([1, 2]))).map(({ name }) => name)).toEqual(["0", "1"]);
  });

  it("draws records in groups of colours", async () => {
    const rows = [
      { model: "MLP", device: "cpu", ms: 3 },
      { model: "MLP", device: "mps", ms: 1 },
    ];
    const chart = plot.bars(rows, { x: "model", y: "ms", color: "device" });
    expect(values(chart).map(({ name, series, value }) => [name, series, value])).toEqual([
      ["MLP", "cpu", 3],
      ["MLP", "mps", 1],
    ]);
    expect(await strictSvgOf(chart)).toContain("device");
  });

  it.each([
    ["one or the other bar, by its number", { a: 1, b: 2 }, false],
    ["a hundred bars, by the lines", Array.from({ length: 100 }, (_, at) => at), true],
    ["bars on both sides, which need zero's line", { a: 1, b: -2 }, true],
  ])("lets one read %s", (_, given, grid) => {
    expect((plot.bars(given as number[]).encoding["y"]!["axis"] as { grid: boolean }).grid).toBe(grid);
  });

  it("lays bars down whose names have no room side by side", () => {
    const long = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`aten::operator_number_${at}`, at]),
    );
    expect(plot.bars(long).encoding["x"]!["field"]).toBe("value");
    expect(plot.bars({ a: 1, b: 2 }).encoding["x"]!["field"]).toBe("name");
  });

  it.each<[string, () => unknown, string]>([
    [
      "a million bars",
      () => plot.bars(new Float32Array(1_000_000)),
      "lab.plot.bars: 1,000,000 bars have no room; draw at most 100, the distribution with lab.plot.histogram, or a line with lab.plot.",
    ],
    [
      "too few labels",
      () => plot.bars([1, 2], { labels: ["a"] }),
      "lab.plot.bars: labels has 1 name, and there are 2 values; give one for each.",
    ],
    [
      "two bars of one name",
      () =>
        plot.bars([
          { model: "MLP", ms: 1 },
          { model: "MLP", ms: 2 },
        ]),
      'lab.plot.bars: two bars are named "MLP"; add them up, or name a field with color that tells them apart.',
    ],
    [
      "a label that is given twice",
      () => plot.bars([1, 2], { labels: ["a", "a"] }),
      'lab.plot.bars: labels[0] and labels[1] are both "a"; give each its own name.',
    ],
    [
      "a text as length",
      () => plot.bars({ a: "1" } as never),
      'lab.plot.bars: values.a must be a number, got "1".',
    ],
  ])("refuses %s", (_, call, message) => expect(call).toThrow(message));
});

describe("lab.plot.histogram", () => {
  it("counts values in bins of equal width, of a tensor of any shape", async () => {
    const chart = plot.histogram(
      torch.tensor([
        [0, 0.1],
        [0.6, 1],
      ]),
      { bins: 2 },
    );
    expect(values(chart)).toEqual([
      { series: "", from: 0, to: 0.5, count: 2 },
      { series: "", from: 0.5, to: 1, count: 2 },
    ]);
    expect(text(chart)).toBe(
      "How often each value occurs: 4 values from 0 to 1, mean 0.425, median 0.35; 2 bins.",
    );
    expect(await strictSvgOf(chart)).toContain("How often");
  });

  it("gives each whole number of a small range a bin, and leaves out what is not finite", () => {
    const chart = plot.histogram([3, 3, 5, NaN]);
    expect(values(chart).map(({ from, to, count }) => [from, to, count])).toEqual([
      [2.5, 3.5, 2],
      [3.5, 4.5, 0],
      [4.5, 5.5, 1],
    ]);
    expect(text(chart)).toContain("1 value is not finite and left out.");
  });

  it("draws several over each other in the same bins", () => {
    const chart = plot.histogram({ before: [0, 1], after: [1, 2] }, { bins: 1 });
    expect(values(chart)).toEqual([
      { series: "before", from: 0, to: 2, count: 2 },
      { series: "after", from: 0, to: 2, count: 2 },
    ]);
  });

  it("refuses what has no finite value", () => {
    expect(() => plot.histogram([])).toThrow(
      "lab.plot.histogram: there is nothing to draw: no value is a finite number.",
    );
  });
});

describe("lab.plot.heatmap", () => {
  it("draws a matrix, its first row at the top", async () => {
    const chart = plot.heatmap(
      [
        [1, NaN],
        [3, 4],
      ],
      { xLabels: ["a", "b"] },
    );
    expect(values(chart)).toEqual([
      { x: "a", y: 0, value: 1, text: "1" },
      { x: "b", y: 0, value: null, text: "" },
      { x: "a", y: 1, value: 3, text: "3" },
      { x: "b", y: 1, value: 4, text: "4" },
    ]);
    expect(text(chart)).toBe(
      "value by row and column: 2 × 2, lowest 1 at row 0, column a, highest 4 at row 1, column b. 1 value is not finite and left blank.",
    );
    expect(await strictSvgOf(chart)).toContain("value by row and column");
  });

  it("draws a large matrix as means of blocks", () => {
    const chart = plot.heatmap(torch.arange(128 * 64).reshape([128, 64]));
    expect(values(chart).length).toBe(64 * 64);
    expect(values(chart)[0]).toEqual({ x: 0, y: 0, value: 32 });
    expect(text(chart)).toContain("128 × 64 values, each cell the mean of 2 × 1.");
  });

  it.each<[string, () => unknown, string]>([
    [
      "rows of several lengths",
      () => plot.heatmap([[1], [2, 3]]),
      "lab.plot.heatmap: the rows of values differ in length: row 0 has 1 numbers, row 1 has 2.",
    ],
    [
      "three dimensions",
      () => plot.heatmap(torch.ones([2, 2, 2])),
      "lab.plot.heatmap: values is a tensor of shape [2, 2, 2], and takes a Tensor of [rows, columns] or a list of rows; choose one matrix with .select(0, 0).",
    ],
    [
      "an empty matrix",
      () => plot.heatmap(torch.ones([0, 3])),
      "lab.plot.heatmap: values holds no numbers to draw.",
    ],
  ])("refuses %s", (_, call, message) => expect(call).toThrow(message));
});

describe("lab.plot.confusionMatrix", () => {
  const counts = (chart: lab.Plot) => values(chart).map(({ count }) => count);

  it("counts true and predicted classes", async () => {
    const chart = plot.confusionMatrix([0, 0, 1, 1], torch.tensor([0, 1, 1, 1], { dtype: "int64" }));
    expect(values(chart)).toEqual([
      { target: "0", predicted: "0", count: 1, share: 0.5 },
      { target: "0", predicted: "1", count: 1, share: 0.5 },
      { target: "1", predicted: "0", count: 0, share: 0 },
      { target: "1", predicted: "1", count: 2, share: 1 },
    ]);
    expect(text(chart)).toBe("Confusion matrix: 75% of 4 right; most often mistaken: 0 for 1, once.");
    expect(await strictSvgOf(chart)).toContain("75% of 4 right");
  });

  it("takes logits, names, and counts", () => {
    const logits = torch.tensor([
      [0.1, 0.9],
      [0.8, 0.2],
    ]);
    expect(counts(plot.confusionMatrix([1, 1], logits))).toEqual([0, 0, 1, 1]);
    const named = plot.confusionMatrix(["cat", "dog"], ["cat", "cat"]);
    expect(values(named).map(({ target, count }) => [target, count])).toEqual([
      ["cat", 1],
      ["cat", 0],
      ["dog", 1],
      ["dog", 0],
    ]);
    expect(
      counts(
        plot.confusionMatrix(
          [
            [3, 1],
            [0, 2],
          ],
          { labels: ["a", "b"] },
        ),
      ),
    ).toEqual([3, 1, 0, 2]);
  });

  it.each<[string, () => unknown, string]>([
    [
      "lists of other lengths",
      () => plot.confusionMatrix([0, 1], [0]),
      "lab.plot.confusionMatrix: target has 2 values and predicted 1; give one prediction for each target.",
    ],
    [
      "a class that is no index",
      () => plot.confusionMatrix([0.5], [0]),
      "lab.plot.confusionMatrix: target[0] is 0.5, and takes the index of a class: 0, 1, ....",
    ],
    [
      "a matrix that is not square",
      () => plot.confusionMatrix([[1, 2]]),
      "lab.plot.confusionMatrix: counts has 1 row and 2 columns, and takes as many; pass true and predicted classes as two lists.",
    ],
    [
      "labels of another number",
      () =>
        plot.confusionMatrix(
          [
            [1, 2],
            [3, 4],
          ],
          { labels: ["a"] },
        ),
      "lab.plot.confusionMatrix: labels has 1 name, and there are 2 classes; give one for each.",
    ],
  ])("refuses %s", (_, call, message) => expect(call).toThrow(message));
});

describe("lab.plot.images", () => {
  it.each([
    ["[N, C, H, W]", torch.rand([5, 3, 8, 8]), "5 images of 8 × 8 pixels."],
    ["grey [N, H, W]", torch.rand([6, 8, 10]), "6 images of 10 × 8 pixels."],
    ["[C, H, W]", torch.rand([3, 8, 8]), "1 image of 8 × 8 pixels."],
    ["uint8 [H, W]", torch.randint(0, 256, [8, 8], { dtype: "uint8" }), "1 image of 8 × 8 pixels."],
    ["more than 64", torch.rand([70, 1, 8, 8]), "The first 64 of 70 images of 8 × 8 pixels."],
  ])("draws %s", async (_, tensor, summary) => {
    const chart = plot.images(tensor);
    expect(text(chart)).toBe(summary);
    expect(values(chart).every(({ url }) => (url as string).startsWith("data:image/png;base64,"))).toBe(true);
    expect(await strictSvgOf(chart)).toContain("<image");
  });

  it("writes a caption below each", async () => {
    const chart = plot.images(torch.rand([2, 1, 8, 8]), { captions: ["seven", "one"], title: "digits" });
    expect(values(chart).map(({ caption }) => caption)).toEqual(["seven", "one"]);
    expect(await strictSvgOf(chart)).toContain("seven");
  });

  it.each<[string, () => unknown, string]>([
    [
      "captions of another number",
      () => plot.images(torch.rand([2, 1, 8, 8]), { captions: ["one"] }),
      "lab.plot.images: captions has 1 line, and values of shape [2, 1, 8, 8] are 2 images; give one for each.",
    ],
    [
      "a shape of no image",
      () => plot.images(torch.rand([8])),
      "lab.plot.images: a tensor of shape [8] is no image: it takes [H, W], [C, H, W] or [N, C, H, W] with 1, 3 or 4 channels.",
    ],
    [
      "a list",
      () => plot.images([1] as never),
      "lab.plot.images: values must be a Tensor of images, got [1].",
    ],
  ])("refuses %s", (_, call, message) => expect(call).toThrow(message));
});
