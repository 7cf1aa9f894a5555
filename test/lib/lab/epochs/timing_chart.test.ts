// Tests what the timing chart draws and says.
import { describe, expect, it } from "vitest";
import { timingChart } from "../../../../lib/lab/epochs/timing_chart.ts";
import type { EpochRecord } from "../../../../lib/records/epochs.ts";
import { epochRecords } from "../epoch_records.ts";
import { labelsOf, rowsOf, svgOf, titleOf } from "../vega.ts";

const chartOf = (epochs: EpochRecord[]) => timingChart({ epochs, marks: [], run: 1 });

describe("five epochs", () => {
  const { specification, summary } = chartOf(epochRecords(5));

  it("are told in one line, the first one apart", () => {
    expect(summary).toBe(
      "Time of 5 epochs on cpu: first 384 ms, then 194 ms an epoch (median); the flush is 2% of it; " +
        "host 190 ms, waiting for device 0 ms, flush 4 ms.",
    );
  });

  it("compile without a warning", async () => {
    expect(await svgOf(specification)).toContain("Time by epoch · cpu");
  });

  it("stack host, wait and flush, and name those that take time", () => {
    const [bars] = rowsOf(specification, "bar");
    const second = bars!.filter(({ epoch }) => epoch === "2").map(({ y, y2 }) => [y, y2]);
    expect(second).toEqual([
      [0, 190],
      [190, 190],
      [190, 194],
    ]);
    expect(labelsOf(specification)).toEqual(["host 190 ms", "flush 4 ms", "median of 4 epochs"]);
  });

  it("mark the first epoch", async () => {
    const [bars] = rowsOf(specification, "bar");
    expect(new Set(bars!.filter(({ opacity }) => opacity === 0.5).map(({ epoch }) => epoch))).toEqual(
      new Set(["1 (first)"]),
    );
    expect(await svgOf(specification)).toContain(">first<");
  });
});

it("a first epoch that compiles kernels for a minute is cut off, its length written above", async () => {
  const { specification } = chartOf(
    epochRecords(4, (epoch) => (epoch === 0 ? { wallMs: 60_000, hostMs: 60_000 } : {})),
  );
  expect(await svgOf(specification)).toContain(">first: 60 s ↑<");
  expect(specification["encoding"]).toMatchObject({ y: { scale: { domain: [0, 194 * 1.25] } } });
});

it("waits for the device stand between host and flush", () => {
  const epochs = epochRecords(3, () => ({ wallMs: 230, hostMs: 190, waitMs: 40, finalWaitMs: 5 }));
  expect(labelsOf(chartOf(epochs).specification)).toEqual([
    "host 190 ms",
    "waiting for device 40 ms",
    "flush 4 ms",
    "median of 2 epochs",
  ]);
});

it("waits that nobody counted are left with the host, and the chart says so", async () => {
  const epochs = epochRecords(3, () => ({ device: "mps", hostMs: null, waitMs: null, finalWaitMs: 30 }));
  const { specification, summary } = chartOf(epochs);
  expect(labelsOf(specification)).toEqual([
    "host + its waits 160 ms",
    "final wait 30 ms",
    "flush 4 ms",
    "median of 2 epochs",
  ]);
  expect(titleOf(specification).subtitle).toContain("waits inside the epochs are not counted on this device");
  expect(summary).toMatch(
    /final wait 30 ms, flush 4 ms; waits inside the epochs are not counted on this device\.$/,
  );
  await svgOf(specification);
});

it("without flushes there is none in the bars", () => {
  const { specification, summary } = chartOf(epochRecords(3, () => ({ collection: "none", flushMs: 0 })));
  expect(labelsOf(specification)).toEqual(["host 190 ms", "median of 2 epochs"]);
  expect(summary).toContain("190 ms an epoch (median); no flush;");
});

it("one slow epoch does not move the median that is named", () => {
  const epochs = epochRecords(6, (epoch) => (epoch === 3 ? { wallMs: 9000, hostMs: 9000 } : {}));
  expect(labelsOf(chartOf(epochs).specification)[0]).toBe("host 190 ms");
});

it("a single epoch after the first is named as what it is, no median", () => {
  expect(labelsOf(chartOf(epochRecords(2)).specification).at(-1)).toBe("epoch 2");
});

it("one epoch is a chart", async () => {
  const { specification, summary } = chartOf(epochRecords(1));
  expect(summary).toMatch(/^Time of 1 epoch on cpu: one epoch, 384 ms; the flush is 1% of it; /);
  await svgOf(specification);
});

it("a thousand epochs are bars of five, the first one by itself", async () => {
  const { specification } = chartOf(epochRecords(1000));
  const bars = rowsOf(specification, "bar")[0]!.filter(({ y }) => y === 0);
  expect(bars.map(({ epoch }) => epoch).slice(0, 2)).toEqual(["1 (first)", "2 to 6"]);
  expect(bars).toHaveLength(201);
  await svgOf(specification);
});

it("a loop whose ledger was cleared in the middle is drawn from there", async () => {
  const { specification, summary } = chartOf(epochRecords(6).slice(4));
  expect(specification["encoding"]).toMatchObject({
    x: { scale: { domain: [4.5, 6.5] }, axis: { values: [5, 6] } },
  });
  expect(summary).toContain(": 194 ms an epoch (median);");
  await svgOf(specification);
});

it("times are in the unit of their magnitude", () => {
  const seconds = epochRecords(2, () => ({ wallMs: 90_000, hostMs: 90_000 }));
  expect(chartOf(seconds).specification["encoding"]).toMatchObject({
    y: { axis: { labelExpr: "datum.label + ' s'" } },
  });
});

describe("a loop whose fifth epoch was cut", () => {
  const cutAfter = (wallMs: number) =>
    chartOf(epochRecords(5, (epoch) => (epoch === 4 ? { cut: true, wallMs, hostMs: wallMs } : {})));

  it("says so, and its medians are those of the whole epochs", () => {
    expect(cutAfter(40).summary).toBe(
      "Time of 5 epochs on cpu: first 384 ms, then 194 ms an epoch (median); the flush is 2% of it; " +
        "host 190 ms, waiting for device 0 ms, flush 4 ms; epoch 5 was cut after 40 ms.",
    );
    expect(titleOf(cutAfter(40).specification).subtitle).toContain("epoch 5 was cut after 40 ms");
  });

  it("has a pale bar for it, with its name above", async () => {
    const { specification } = cutAfter(40);
    const [bars] = rowsOf(specification, "bar");
    expect(
      bars!.filter(({ epoch }) => epoch === "5 (cut)").map(({ y, y2, opacity }) => [y, y2, opacity]),
    ).toEqual([
      [0, 40, 0.5],
      [40, 40, 0.5],
      [40, 44, 0.5],
    ]);
    expect(await svgOf(specification)).toContain(">cut<");
  });

  it("is not flattened by the hour for which it hung", async () => {
    const { specification } = cutAfter(3_600_000);
    expect(await svgOf(specification)).toMatch(/>cut: .+ ↑</);
    expect(specification["encoding"]).toMatchObject({ y: { scale: { domain: [0, 384 * 1.08] } } });
  });
});

it("a loop that was cut in its first epoch has no whole one", async () => {
  const { specification, summary } = chartOf(epochRecords(1, () => ({ cut: true })));
  expect(summary).toMatch(/^Time of 1 epoch on cpu: no whole epoch; .*; epoch 1 was cut after 380 ms\.$/);
  expect(await svgOf(specification)).toContain(">cut<");
});

it("an epoch that the debugger paused is marked, and left out of the median", async () => {
  const epochs = epochRecords(4, (epoch) =>
    epoch === 2 ? { wallMs: 900, hostMs: 900, pausedMs: 60_000 } : {},
  );
  const { specification, summary } = chartOf(epochs);
  expect(summary).toBe(
    "Time of 4 epochs on cpu: first 384 ms, then 194 ms an epoch (median); the flush is 2% of it; " +
      "host 190 ms, waiting for device 0 ms, flush 4 ms; the debugger paused epoch 3: not in the median.",
  );
  const [bars] = rowsOf(specification, "bar");
  expect(new Set(bars!.filter(({ opacity }) => opacity === 0.5).map(({ epoch }) => epoch))).toEqual(
    new Set(["1 (first)", "3 (paused)"]),
  );
  expect(await svgOf(specification)).toContain("the debugger paused epoch 3: not in the median");
});
