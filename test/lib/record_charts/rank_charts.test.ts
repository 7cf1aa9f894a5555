// The chart of an epoch loop on several ranks, from what they tell.
import { describe, expect, it } from "vitest";
import { rankCharts } from "../../../lib/record_charts/rank_charts.ts";
import type { RankEpoch, RankLoop } from "../../../lib/records/rank_loops.ts";

const MIB = 2 ** 20;
const epoch = (number: number, totalMs: number, peakMib: number, loss?: number | null): RankEpoch => ({
  epoch: number,
  device: "cpu",
  totalMs,
  flushMs: 1,
  peakBytes: peakMib * MIB,
  allocatedBytes: MIB,
  metrics: loss === undefined ? {} : { loss },
});
const loop = (epochs: readonly RankEpoch[], more: Partial<RankLoop> = {}): RankLoop => ({
  ...{ loop: "3 ", run: 1, epochs, cut: false, growth: "", ended: true },
  ...more,
});
const summary = (...loops: readonly RankLoop[]): string[] | undefined =>
  rankCharts(new Map(loops.entries()))?.summary.split("\n");

describe("the chart of ranks", () => {
  it("says which rank is slowest, without the first epoch, and which holds most", () => {
    expect(
      summary(
        loop([epoch(0, 900, 10), epoch(1, 200, 10)]),
        loop([epoch(0, 100, 20), epoch(1, 300, 20)], { growth: "memory grew by 1 MiB an epoch" }),
      ),
    ).toEqual([
      "Memory of 2 epochs on 2 ranks (cpu): tensors held at most 20 MiB on rank 1, the most, and 10 MiB on rank 0, the least; rank 1: memory grew by 1 MiB an epoch.",
      "Time of 2 epochs on 2 ranks (cpu): an epoch takes 300 ms on rank 1, the slowest, and 200 ms on rank 0, the fastest (medians, flush included).",
    ]);
  });

  it("draws each metric, and says where it is not finite", () => {
    const [loss] = summary(loop([epoch(0, 1, 1, 0.5)]), loop([epoch(0, 1, 1, 0.25)])) ?? [];
    expect(loss).toBe(
      "loss of 1 epoch on 2 ranks (cpu): 0.5 on rank 0, the highest, and 0.25 on rank 1, the lowest at the end.",
    );
    expect(summary(loop([epoch(0, 1, 1, null)]))?.[0]).toBe(
      "loss of 1 epoch on 1 rank (cpu): not finite at the end.",
    );
  });

  it("tells equal ranks in one", () => {
    expect(summary(loop([epoch(0, 5, 1)]), loop([epoch(0, 5, 1)]))?.[0]).toContain(
      "at most 1 MiB on every rank",
    );
  });

  it("is not there before an epoch has ended", () => {
    expect(summary(loop([], { cut: true }))).toBeUndefined();
  });

  it("keeps labels inside of an axis that does not begin at 0", () => {
    const chart = rankCharts(
      new Map([loop([epoch(0, 1, 1, 1000)]), loop([epoch(0, 1, 1, 1000.5)])].entries()),
    )!;
    const [loss] = chart.specification["vconcat"] as { layer: { data: { values: { y: number }[] } }[] }[];
    const labels = loss!.layer.at(-1)!.data.values.map(({ y }) => y);
    for (const y of labels) expect(y).toBeGreaterThan(999.9);
    for (const y of labels) expect(y).toBeLessThan(1000.6);
  });
});
