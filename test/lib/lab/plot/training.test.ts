// Training and validation on one chart: losses that were measured at different steps.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { data, lab } from "../../../../lib/index.ts";

const rows = (chart: lab.Plot) =>
  (chart.data.values as readonly { series: string; x: number; y: number | null }[]).map(
    ({ series, x, y }) => [series, x, y],
  );
const train = [3, 2, 1, 0.5];
const validation = [2.5, 0.75];
const EXPECTED = [
  ["train", 0, 3],
  ["train", 1, 2],
  ["train", 2, 1],
  ["train", 3, 0.5],
  ["validation", 1, 2.5],
  ["validation", 3, 0.75],
];

describe("lines of values at different positions", () => {
  it("have positions by the same names", () => {
    const x = { train: [0, 1, 2, 3], validation: [1, 3] };
    const chart = lab.plot({ train, validation }, { x, xTitle: "step", yTitle: "loss" });
    expect(rows(chart)).toEqual(EXPECTED);
    expect(inspect(chart)).toBe(
      "loss by step: train 3 to 0.5 over 4 values, lowest 0.5 at step 3, highest 3 at step 0; validation 2.5 to 0.75 over 2 values, lowest 0.75 at step 3, highest 2.5 at step 1.",
    );
    expect(rows(lab.plot.points({ train, validation }, { x }))).toEqual(EXPECTED);
  });

  it("are records that have only their own fields; a field without a value is a gap", () => {
    const history = [
      ...train.map((loss, step) => ({ step, train: loss })),
      ...validation.map((loss, at) => ({ step: 2 * at + 1, validation: loss })),
    ];
    expect(rows(lab.plot(history, { x: "step" }))).toEqual(EXPECTED);
    expect(rows(lab.plot([{ a: 1 }, { a: null }, {}, { a: 4 }], { y: "a" }))).toEqual([
      ["", 0, 1],
      ["", 1, null],
      ["", 3, 4],
    ]);
    const table = data.Table.fromRecords(history);
    expect(inspect(lab.plot(table, { x: "step", y: ["train", "validation"] }))).toContain("not finite");
  });

  it("say which positions are missing, surplus or of another kind", () => {
    expect(() => lab.plot({ train, validation }, { x: { train: [0, 1, 2, 3], test: [1, 3] } })).toThrow(
      "lab.plot: x has no positions for values.validation; give x.validation.",
    );
    expect(() =>
      lab.plot({ train, validation }, { x: { train: [0, 1, 2, 3], validation: [1, 3], test: [1] } }),
    ).toThrow("lab.plot: x.test belongs to no values; there are train and validation.");
    expect(() => lab.plot({ train, validation }, { x: { train: [0, 1, 2, 3], validation: [1] } })).toThrow(
      "lab.plot: x.validation has 1 position, and values.validation 2 numbers",
    );
    expect(() =>
      lab.plot({ train, validation }, { x: { train: [0, 1, 2, 3], validation: ["a", "b"] } }),
    ).toThrow("lab.plot: x.train and x.validation are of different kinds, and share one axis");
    expect(() => lab.plot(train, { x: { a: [1], b: [2] } })).toThrow(
      "lab.plot: x has no positions for values without a name; give one list.",
    );
  });
});
