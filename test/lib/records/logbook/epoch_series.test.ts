// The epochs that a run keeps for its charts: columns of numbers, thinned where a loop is long.
import { describe, expect, it } from "vitest";
import { epochSeries } from "../../../../lib/records/logbook/epoch_series.ts";
import { epochRecords } from "../../lab/epoch_records.ts";

describe("the epochs of a run", () => {
  it("are kept as columns, without an epoch that was cut", () => {
    const metrics: Record<string, number>[] = [
      { loss: 1, accuracy: 0.5 },
      { loss: Number.NaN },
      { loss: 1 / 3, accuracy: 0.5 },
    ];
    const records = epochRecords(3, (epoch) => ({ metrics: metrics[epoch]! }));
    expect(epochSeries([...records, { ...records[2]!, epoch: 3, cut: true }])).toEqual({
      epoch: [1, 2, 3],
      wallMs: [380, 190, 190],
      peakBytes: [41943040, 41943040, 41943040],
      metrics: { loss: [1, null, 0.333333], accuracy: [0.5, null, 0.5] },
      perPoint: 1,
    });
  });

  it("are those of the last loop", () => {
    const [first, second] = [epochRecords(3), epochRecords(2, () => ({ loop: 1 }))];
    expect(epochSeries([...first, ...second])!.epoch).toEqual([1, 2]);
  });

  it("of a long loop are thinned to at most 200 points, each the mean of its neighbours", () => {
    const series = epochSeries(epochRecords(1000, (epoch) => ({ metrics: { loss: epoch } })))!;
    expect(series.perPoint).toBe(5);
    expect(series.epoch.length).toBe(200);
    expect(series.metrics["loss"]!.slice(0, 2)).toEqual([2, 7]);
  });

  it("are none where no loop has run", () => {
    expect(epochSeries([])).toBeNull();
  });
});
