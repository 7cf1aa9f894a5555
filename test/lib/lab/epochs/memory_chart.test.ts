// Tests what the memory chart draws and says.
import { describe, expect, it } from "vitest";
import { memoryChart } from "../../../../lib/lab/epochs/memory_chart.ts";
import type { EpochRecord, MemoryMark } from "../../../../lib/records/epochs.ts";
import { epochRecords } from "../epoch_records.ts";
import { labelsOf, rowsOf, svgOf, titleOf } from "../vega.ts";

const MIB = 2 ** 20;
const chartOf = (epochs: EpochRecord[], marks: MemoryMark[] = [], run = 1) =>
  memoryChart({ epochs, marks, run });

describe("five epochs", () => {
  const { specification, summary } = chartOf(epochRecords(5));

  it("are told in one line", () => {
    expect(summary).toBe(
      "Memory of 5 epochs on cpu: 12 MiB allocated at the end, peak 40 MiB, driver 16 MiB; " +
        "recommended limit 12 GiB, used to 0.4%; no growth: 0% in 3 epochs.",
    );
  });

  it("compile without a warning", async () => {
    expect(await svgOf(specification)).toContain("Memory by epoch · cpu");
  });

  it("have whole numbers of epochs on the axis, and a unit at every byte count", async () => {
    expect(specification["encoding"]).toMatchObject({
      x: { scale: { domain: [0, 5] }, axis: { values: [0, 1, 2, 3, 4, 5] } },
      y: { axis: { labelExpr: "datum.label + ' MiB'" } },
    });
    expect(await svgOf(specification)).toContain(">40 MiB<");
  });

  it("name each line beside it, with its last value", () => {
    expect(labelsOf(specification)).toEqual([
      "flush",
      "allocated 12 MiB",
      "driver left 16 MiB",
      "peak 40 MiB",
      "driver 46 MiB",
    ]);
  });

  it("rise while an epoch works and fall at its flush", () => {
    const [allocated] = rowsOf(specification, "line");
    expect(allocated!.slice(0, 3).map(({ x, y }) => [x, y])).toEqual([
      [0, 12],
      [1, 20],
      [1, 12],
    ]);
  });

  it("have a mark at every flush, at what was left allocated", () => {
    const [flushes] = rowsOf(specification, "point", "triangle-down");
    expect(flushes!.map(({ x, y }) => [x, y])).toEqual([1, 2, 3, 4, 5].map((x) => [x, 12]));
  });

  it("tell the pointer an epoch's numbers", () => {
    const columns = rowsOf(specification, "bar").at(-1)!;
    expect(columns[1]).toMatchObject({
      epoch: "2",
      allocated: "20 MiB, after the flush 12 MiB",
      driver: "46 MiB, after the flush 16 MiB",
      peak: "40 MiB",
      process: "300 MiB",
      swap: "0 B",
      pressure: "normal",
      collection: "full",
    });
  });
});

describe("the recommended limit", () => {
  const withLimit = (bytes: number) =>
    chartOf(epochRecords(3, () => ({ after: { recommendedBytes: bytes } })));

  it("is a line where it is near the data", () => {
    const { specification } = withLimit(100 * MIB);
    expect(labelsOf(specification)).toContain("limit 100 MiB");
    expect(rowsOf(specification, "rule").at(-1)).toEqual([{ y: 100 }]);
  });

  it("is told in words where a line would squash the data", () => {
    const { specification } = withLimit(920 * MIB);
    expect(labelsOf(specification)).toEqual([
      "flush",
      "allocated 12 MiB",
      "driver left 16 MiB",
      "peak 40 MiB",
      "driver 46 MiB",
    ]);
    expect(titleOf(specification).subtitle).toContain("recommended limit 920 MiB, used to 5%");
  });

  it("is said to be missing where the device has none", () => {
    expect(withLimit(0).summary).toContain("no recommended limit");
  });
});

describe("the verdict on growth", () => {
  it("names the suspicion where memory grows", () => {
    const { summary } = chartOf(
      epochRecords(12, (epoch) => ({ after: { allocatedBytes: (10 + epoch) * MIB } })),
    );
    expect(summary).toMatch(
      /growing: 1 MiB an epoch, \+90.9% in ten epochs \(over 26%: suspect retained tensors\)\.$/,
    );
  });

  it("stands white on a ground of its own, with its rate in bold, where memory grows", async () => {
    const { specification } = chartOf(
      epochRecords(12, (epoch) => ({ after: { allocatedBytes: (10 + epoch) * MIB } })),
    );
    const svg = await svgOf(specification);
    expect(svg).toMatch(/font-weight="bold" fill="white">growing</);
    expect(svg).toMatch(/font-weight="bold" fill="currentColor">1 MiB an epoch, \+90.9% in ten epochs</);
    expect(titleOf(specification).subtitle[0]).toBe("over 26% in ten epochs: suspect retained tensors");
  });

  it("says so where memory is steady", () => {
    expect(chartOf(epochRecords(12)).summary).toMatch(/no growth: 0% in 10 epochs\.$/);
  });

  it("is refused without flushes, and none is drawn", () => {
    const { summary, specification } = chartOf(epochRecords(12, () => ({ collection: "none" })));
    expect(summary).toMatch(/no flush, so no verdict on growth\.$/);
    expect(labelsOf(specification)).not.toContain("flush");
    expect(rowsOf(specification, "point", "triangle-down")).toEqual([]);
  });
});

describe("marks", () => {
  const epochs = epochRecords(2);
  const mark = (tag: string, atMs: number): MemoryMark => ({
    tag,
    atMs,
    loop: 0,
    epoch: 1,
    sample: { ...epochs[1]!.before, allocatedBytes: 30 * MIB },
  });

  it("stand where in their epoch they were made, with their names", async () => {
    const { specification } = chartOf(epochs, [mark("forward", epochs[1]!.atMs + 95)]);
    expect(rowsOf(specification, "point", "diamond")).toEqual([
      [{ x: 1.5, y: 30, tag: "forward", allocated: "30 MiB" }],
    ]);
    expect(await svgOf(specification)).toContain(">forward<");
  });

  it("lie on the line of what is allocated", () => {
    const { specification } = chartOf(epochs, [mark("forward", epochs[1]!.atMs + 95)]);
    const [line] = rowsOf(specification, "line");
    expect(line!.map(({ x, y }) => [x, y]).slice(3)).toEqual([
      [1, 12],
      [1.5, 30],
      [2, 20],
      [2, 12],
    ]);
    expect(labelsOf(specification)).toContain("lab.mark");
  });

  it("that come again are named once", async () => {
    const { specification } = chartOf(
      epochs,
      Array.from({ length: 40 }, (_, i) => mark("forward", epochs[1]!.atMs + i)),
    );
    expect(rowsOf(specification, "point", "diamond")[0]).toHaveLength(40);
    expect((await svgOf(specification)).split(">forward<")).toHaveLength(2);
  });

  it("leave their names to the pointer where there are many", async () => {
    const { specification } = chartOf(
      epochs,
      Array.from({ length: 40 }, (_, i) => mark(`step ${i}`, epochs[1]!.atMs + i)),
    );
    expect(rowsOf(specification, "point", "diamond")[0]).toHaveLength(40);
    expect(await svgOf(specification)).not.toContain(">step 0<");
  });
});

it("one epoch is a chart", async () => {
  const { specification, summary } = chartOf(epochRecords(1));
  expect(summary).toMatch(
    /^Memory of 1 epoch on cpu: .*no verdict on growth: run an epoch loop of 4 epochs or more\.$/,
  );
  await svgOf(specification);
});

it("a thousand epochs are drawn in two hundred steps, none of whose peaks is lost", async () => {
  const { specification } = chartOf(
    epochRecords(1000, (epoch) => ({ before: { peakBytes: (epoch === 777 ? 90 : 40) * MIB } })),
  );
  const peaks = rowsOf(specification, "rule")[1]!;
  expect(peaks).toHaveLength(200);
  expect(peaks.filter(({ y }) => y === 90)).toHaveLength(1);
  expect(titleOf(specification).subtitle).toContain("one step is 5 epochs");
  await svgOf(specification);
});

it("a later run of the loop says which it is, and a simulated device that it is one", () => {
  const epochs = epochRecords(2, () => ({ device: "mps (simulated)" }));
  expect(titleOf(chartOf(epochs, [], 3).specification).text).toBe(
    "Memory by epoch · mps (simulated) · run 3",
  );
});

it("a loop whose ledger was cleared in the middle is drawn from there", async () => {
  const { specification } = chartOf(epochRecords(6).slice(4));
  expect(specification["encoding"]).toMatchObject({
    x: { scale: { domain: [4, 6] }, axis: { values: [4, 5, 6] } },
  });
  await svgOf(specification);
});

it("a device that holds nothing yet is a chart", async () => {
  const nothing = { allocatedBytes: 0, driverBytes: 0, peakBytes: 0, recommendedBytes: 0 };
  const epochs = epochRecords(2, () => ({ start: nothing, before: nothing, after: nothing }));
  await svgOf(chartOf(epochs).specification);
});

it("an epoch that was cut is said to be, in the line, below the title and under the pointer", () => {
  const { specification, summary } = chartOf(epochRecords(5, (epoch) => ({ cut: epoch === 4 })));
  expect(summary).toMatch(/no growth: 0% in 2 epochs; epoch 5 was cut\.$/);
  expect(titleOf(specification).subtitle).toContain("epoch 5 was cut");
  expect(JSON.stringify(specification)).toContain('"epoch":"5 (cut)"');
});
