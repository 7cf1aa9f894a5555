// Tests what the metrics chart draws and says.
import { describe, expect, it } from "vitest";
import { metricGroups } from "../../../../lib/lab/epochs/metric_groups.ts";
import { metricsChart } from "../../../../lib/lab/epochs/metrics_chart.ts";
import type { DrawnLoop } from "../../../../lib/lab/epochs/drawn_loop.ts";
import type { Specification } from "../../../../lib/charts/chart_style.ts";
import { epochRecords } from "../epoch_records.ts";
import { rowsOf, svgOf, titleOf } from "../vega.ts";

const chartOf = (
  count: number,
  metrics: (epoch: number) => Record<string, number>,
  more: Partial<DrawnLoop> = {},
) =>
  metricsChart({
    epochs: epochRecords(count, (epoch) => ({ metrics: metrics(epoch) })),
    marks: [],
    run: 1,
    ...more,
  })!;

const panelsOf = (specification: Specification) => specification["concat"] as Specification[];

describe("a loop that logs a loss and an accuracy", () => {
  const { specification, summary } = chartOf(5, (epoch) => ({ loss: 2 / (epoch + 1), accuracy: epoch / 5 }));

  it("is told in one line: where each metric began, and where it is", () => {
    expect(summary).toBe("Metrics of 5 epochs on cpu: loss from 2 to 0.4; accuracy from 0 to 0.8.");
  });

  it("has a panel for each, with its name and last value, and the epochs counted from 1", async () => {
    expect(panelsOf(specification)).toHaveLength(2);
    const [loss] = panelsOf(specification);
    expect(rowsOf(loss!, "line")[0]!.map(({ x, y }) => [x, y])).toEqual([
      [1, 2],
      [2, 1],
      [3, 2 / 3],
      [4, 0.5],
      [5, 0.4],
    ]);
    const svg = await svgOf(specification);
    for (const text of ["Metrics by epoch · cpu", "loss 0.4", "accuracy 0.8"])
      expect(svg).toContain(`>${text}<`);
  });
});

it("a loop that logs nothing has none", () => {
  expect(metricsChart({ epochs: epochRecords(3), marks: [], run: 1 })).toBeNull();
});

it("one epoch is a chart", async () => {
  const { specification, summary } = chartOf(1, () => ({ loss: 0.25 }));
  expect(summary).toBe("Metrics of 1 epoch on cpu: loss 0.25.");
  await svgOf(specification);
});

it("how several calls of an epoch were combined stands below the title", () => {
  const { specification } = chartOf(2, () => ({ loss: 1, lr: 0.1 }), {
    combined: { loss: "mean", lr: "last" },
  });
  expect(titleOf(specification).subtitle).toEqual([
    "a point is the mean of its epoch's lab.log calls (loss)",
    "a point is the last of its epoch's lab.log calls (lr)",
  ]);
});

describe("values that are not finite", () => {
  const { specification, summary } = chartOf(4, (epoch) => ({ loss: epoch < 2 ? 1 : NaN }));

  it("are told in the line, with the first epoch that has one", () => {
    expect(summary).toBe(
      "Metrics of 4 epochs on cpu: loss from 1 to NaN, not finite in 2 of 4 epochs, first in epoch 3.",
    );
  });

  it("are crosses below the line, which has a gap there", async () => {
    const [panel] = panelsOf(specification);
    expect(rowsOf(panel!, "point", "cross")[0]!.map(({ x, value }) => [x, value])).toEqual([
      [3, "NaN"],
      [4, "NaN"],
    ]);
    expect(await svgOf(specification)).toContain(">NaN<");
  });

  it("may be all that there is", async () => {
    const all = chartOf(2, () => ({ loss: Infinity }));
    expect(all.summary).toContain("loss from Infinity to Infinity");
    await svgOf(all.specification);
  });
});

it("an epoch that was cut is left out, and the chart says so", () => {
  const epochs = epochRecords(3, (epoch) => ({ metrics: { loss: epoch }, cut: epoch === 2 }));
  const { specification } = metricsChart({ epochs, marks: [], run: 1 })!;
  expect(rowsOf(panelsOf(specification)[0]!, "line")[0]).toHaveLength(2);
  expect(titleOf(specification).subtitle).toEqual(["without epoch 3, which was cut"]);
});

it("a thousand epochs are points of five", () => {
  const { specification } = chartOf(1000, (epoch) => ({ loss: epoch }));
  const points = rowsOf(panelsOf(specification)[0]!, "line")[0]!;
  expect(points).toHaveLength(200);
  expect(points[0]).toMatchObject({ x: 3, y: 2, epoch: "1 to 5" });
});

it("of many metrics six are drawn and the others named", () => {
  const names = Array.from({ length: 8 }, (_, at) => `m${at}`);
  const { specification } = chartOf(2, () => Object.fromEntries(names.map((name) => [name, 1])));
  expect(panelsOf(specification)).toHaveLength(6);
  expect(titleOf(specification).subtitle).toEqual(["also logged: m6, m7"]);
});

describe("metrics of the same measure on other data", () => {
  it.each([
    [
      ["loss", "accuracy", "validLoss"],
      [["loss", "validLoss"], ["accuracy"]],
    ],
    [
      ["train/loss", "train/acc", "val/loss", "val/acc"],
      [
        ["train/loss", "val/loss"],
        ["train/acc", "val/acc"],
      ],
    ],
    [["train", "validation"], [["train", "validation"]]],
    [
      ["loss", "trainLoss", "valLoss", "test_loss"],
      [["loss", "trainLoss", "valLoss"], ["test_loss"]],
    ],
    [
      ["value", "valid"],
      [["value"], ["valid"]],
    ],
  ])("%j", (names, groups) => expect(metricGroups(names)).toEqual(groups));
});
