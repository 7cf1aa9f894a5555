// One plot of each kind, with made-up values that do not change: the guide's pictures, and what the tests look at.
import { lab, torch } from "../../../../lib/index.ts";

const { plot } = lab;

/** Values between 0 and 1 that look random and are the same everywhere. */
function* noise(): Generator<number, never> {
  for (let state = 1; ; state = (state * 48271) % 2147483647) yield state / 2147483647;
}

const between = noise();
const next = (from = between): number => from.next().value;
const normal = (from = between): number =>
  Math.sqrt(-2 * Math.log(next(from) || 0.5)) * Math.cos(2 * Math.PI * next(from));
const list = (length: number, of: (at: number) => number): number[] =>
  Array.from({ length }, (_, at) => of(at));

const train = list(
  400,
  (step) => 2.2 * Math.exp(-step / 90) + 0.12 + 0.06 * normal() * Math.exp(-step / 300),
);
const validation = list(400, (step) => train[step]! + 0.05 + step / 2500 + 0.02 * normal());
const classes = list(2000, () => Math.floor(next() * 5));
const predicted = classes.map((one) => (next() < 0.86 ? one : Math.floor(next() * 5)));
const runs = list(90, (at) => at).map((at) => ({
  width: Math.round(32 * 2 ** (at / 18)),
  accuracy: 0.7 + at / 450 + 0.03 * normal(),
  optimizer: ["SGD", "Adam", "RMSprop"][at % 3]!,
}));

const pupil = noise();
const pupils = list(120, (at) => at).map((at) => {
  const km = [1.5, 3, 8][at % 3]! * (0.5 + next(pupil));
  return {
    school: ["near", "middle", "far"][at % 3]!,
    km,
    minutes: 5 + [9, 6, 4][at % 3]! * km + 3 * normal(pupil) + (at % 29 === 7 ? 25 : 0),
  };
});

export const PICTURES: Readonly<Record<string, () => lab.Plot>> = {
  lines: () => plot({ train, validation }, { x: "step", y: "loss", yScale: "log" }),
  points: () => plot.points(runs, { x: "width", y: "accuracy", color: "optimizer", xScale: "log" }),
  bars: () =>
    plot.bars({ cpu: 41.2, "cpu, 2 threads": 23.5, mps: 6.1 }, { y: "ms", title: "Time of one step" }),
  histogram: () =>
    plot.histogram(
      { before: list(5000, () => normal()), after: list(5000, () => 0.4 + 0.6 * normal()) },
      { x: "weight" },
    ),
  heatmap: () =>
    plot.heatmap(
      list(12, (row) => row).map((row) => list(18, (column) => Math.sin(row / 2) * Math.cos(column / 3))),
      { x: "key", y: "query", value: "attention" },
    ),
  confusionMatrix: () =>
    plot.confusionMatrix(classes, predicted, { labels: ["cat", "deer", "dog", "frog", "horse"] }),
  box: () => plot.box(pupils, { x: "school", y: "minutes" }),
  fit: () =>
    plot.points(
      pupils.filter(({ school }) => school !== "far"),
      { x: "km", y: "minutes", color: "school", fit: "linear" },
    ),
  errors: () =>
    plot(
      { small: [0.61, 0.7, 0.76, 0.8, 0.81], large: [0.55, 0.71, 0.8, 0.86, 0.88] },
      {
        x: { width: [8, 16, 32, 64, 128] },
        y: "accuracy",
        xScale: "log",
        error: { small: [0.03, 0.02, 0.02, 0.01, 0.01], large: [0.06, 0.03, 0.02, 0.01, 0.02] },
      },
    ),
  grid: () =>
    plot.grid(
      [
        plot(train, { x: "step", y: "loss" }),
        plot.histogram(
          pupils.map(({ minutes }) => minutes),
          { x: "minutes" },
        ),
        plot.box(pupils, { x: "school", y: "minutes" }),
        plot.points(pupils, { x: "km", y: "minutes", fit: "linear" }),
      ],
      { columns: 2, title: "One run, and how pupils come to school" },
    ),
  images: () => {
    const side = torch.linspace(0, 1, 28);
    const image = (at: number) =>
      side
        .unsqueeze(0)
        .mul(side.unsqueeze(1))
        .sub(at / 8)
        .abs();
    return plot.images(torch.stack(list(8, (at) => at).map(image)), {
      captions: list(8, (at) => at).map((at) => `sample ${at}`),
      columns: 4,
    });
  },
};

/** What comes out wide, high, or with much text. */
export const HARD_PICTURES: Readonly<Record<string, () => lab.Plot>> = {
  "a long title": () =>
    plot(train, { title: "A sentence that says very much about what is drawn here ".repeat(4).trim() }),
  "four long names": () =>
    plot(
      Object.fromEntries(
        list(4, (at) => at).map((at) => [`a run with a long name, number ${at}`, [1, 2, 3 + at / 100]]),
      ),
    ),
  "twelve lines": () =>
    plot(Object.fromEntries(list(12, (at) => at).map((at) => [`learning rate ${at / 1000}`, [at, 1, at]]))),
  "tiny numbers": () => plot([1e-9, 3e-9, 2e-9]),
  "large numbers": () => plot([1e12, 3e12, -2e12]),
  "numbers of seven digits": () => plot([1_234_567, 2_345_678]),
  "one value": () => plot([0.5]),
  gaps: () => plot([1, NaN, 3, Infinity, 2, 4, null]),
  dates: () =>
    plot(
      list(40, (day) => day).map((day) => ({
        day: new Date(Date.UTC(2026, 0, 1 + 9 * day)),
        users: day ** 2,
      })),
      { x: "day" },
    ),
  "many points with a fit": () => {
    const x = list(20_000, () => normal());
    return plot.points(
      x,
      x.map((one) => 0.5 * one + 0.4 * normal()),
      { fit: "linear" },
    );
  },
  "points with error bars": () =>
    plot.points([1, 2, 3, 4], [3, 5, 4, 8], {
      error: [0.5, 1, 2, 1.5],
      fit: "linear",
      xTitle: "dose",
      yTitle: "response",
    }),
  "lying boxes": () =>
    plot.box(
      Object.fromEntries(
        list(9, (at) => at).map((at) => [`aten::convolution_backward_${at}`, list(40, () => at + normal())]),
      ),
    ),
  "one box of a constant": () => plot.box([3, 3, 3, 3, 9]),
  "many points": () => plot.points(torch.tensor(list(20_000, () => 0).map(() => [normal(), normal()]))),
  "long bar names": () =>
    plot.bars(
      Object.fromEntries(
        list(9, (at) => at).map((at) => [`aten::convolution_backward_overrideable_${at}`, at * 1234.5]),
      ),
    ),
  "bars below zero": () => plot.bars({ a: 3, b: -2, c: -0.5 }),
  "grouped bars": () =>
    plot.bars(
      { forward: [3, 30], backward: [1, 4], "the optimizer's step": [2, 2] },
      { labels: ["MLP", "CNN"], y: "ms" },
    ),
  "a hundred bars": () => plot.bars(list(100, (at) => at * 1000)),
  "names of classes": () =>
    plot.confusionMatrix(
      list(600, (at) => at % 20),
      list(600, (at) => (at * 7) % 20),
      {
        labels: list(20, (at) => at).map((at) => `class number ${at}`),
      },
    ),
  "a wide matrix": () => plot.heatmap(torch.arange(3000).reshape([3, 1000]).float()),
  "a high matrix": () => plot.heatmap(torch.arange(3000).reshape([1000, 3]).float()),
  "names of rows": () =>
    plot.heatmap(
      [
        [1, 2],
        [3, 4],
      ],
      { yLabels: ["the first of the rows", "another row"], xLabels: ["left", "right"] },
    ),
  "a large image": () => plot.images(torch.ones([3, 900, 1600]).mul(0.5)),
  "long captions": () =>
    plot.images(torch.ones([9, 8, 8]), {
      captions: list(9, (at) => at).map((at) => `true 7, predicted ${at} with 98.7%`),
    }),
};
