// Tests a sweep's table: series from their smallest batch down, the status of each point, and the sentences below.
import { expect, it } from "vitest";
import type { PointRecord } from "../../../../lib/records/batch_sweeps/point.ts";
import { resultOf } from "../../../../lib/records/batch_sweeps/result.ts";
import { sweepTable } from "../../../../lib/records/batch_sweeps/table.ts";
import { MIB, outOfMemory, record } from "../../lab/sweep/records.ts";

const tableOf = (points: readonly PointRecord[], ends: readonly string[] = []) =>
  sweepTable(
    resultOf({
      name: "tour",
      device: "mps",
      seed: 0,
      points,
      ends,
      resumedPoints: 0,
      cutOffPoints: [],
      journal: null,
    }),
  );

const column = ({ columns, rows }: ReturnType<typeof tableOf>, heading: string) => {
  const at = columns.findIndex((one) => one.heading === heading);
  return at < 0 ? null : rows.map((row) => row[at]);
};

it("each series reads from its smallest batch down, numbers by size, whatever the order in which points ran", () => {
  const point = (batch: number, workers: number, dtype: string) =>
    record(batch, { parameters: { workers, dtype } });
  const table = tableOf([
    point(64, 10, "float32"),
    point(128, 2, "float32"),
    point(64, 2, "float16"),
    point(64, 2, "float32"),
  ]);
  expect(table.rows.map((row) => row.slice(0, 3))).toEqual([
    ["64", "2", "float16"],
    ["64", "2", "float32"],
    ["128", "2", "float32"],
    ["64", "10", "float32"],
  ]);
  expect(table.notes?.map((note) => /\((.*)\)/.exec(note)![1])).toEqual([
    "workers 2, dtype float16",
    "workers 2, dtype float32",
    "workers 10, dtype float32",
  ]);
});

it("where all went well there is no column for how points ended", () => {
  expect(column(tableOf([record(64), record(128)]), "state")).toBeNull();
});

it("how a point ended is a word in its row; the sentences stand below, in the order of the points", () => {
  const table = tableOf(
    [
      record(1),
      record(2, { status: "failed", error: "Error: the data server is away", steady: null }),
      record(3, {
        status: "deadline",
        error:
          "DeadlineError: The measurement ran longer than its deadline (deadlineMs: 9) and was stopped. Raise deadlineMs, or make the step smaller.",
        steady: null,
      }),
      record(4, { leak: { bytesPerStep: MIB, holders: [] }, notes: ["A step leaves 1 MiB behind."] }),
      record(5, { loss: { value: null, finite: false }, notes: ["The loss became NaN."] }),
      record(6, { swapped: true, notes: ["The machine swapped 42 MiB meanwhile."] }),
      record(7, { status: "crashed", error: "The session ended twice while batch 7 ran.", steady: null }),
      outOfMemory(8),
    ],
    ["Batch 8 was out of memory."],
  );
  expect(column(table, "state")).toEqual([
    "",
    "failed",
    "deadline",
    "leaks",
    "loss not finite",
    "swapped",
    "crashed",
    "out of memory",
  ]);
  expect(table.notes).toEqual([
    "Best batch: 1, 1,000 samples/s.",
    "Batch 8 was out of memory.",
    "batch 2: Error: the data server is away",
    "batch 3: DeadlineError: The measurement ran longer than its deadline (deadlineMs: 9) and was stopped. Raise deadlineMs, or make the step smaller.",
    "batch 4: A step leaves 1 MiB behind.",
    "batch 5: The loss became NaN.",
    "batch 6: The machine swapped 42 MiB meanwhile.",
    "batch 7: The session ended twice while batch 7 ran.",
  ]);
});

it("what is said of several points is said once", () => {
  const note = "The step returns a tensor on mps.";
  const noted = (batch: number) => record(batch, { notes: [note] });
  expect(tableOf([noted(1), noted(2)]).notes).toContain(`Every point: ${note}`);
  expect(tableOf([noted(1), noted(2), record(4)]).notes).toContain(`batch 1; batch 2: ${note}`);
});
