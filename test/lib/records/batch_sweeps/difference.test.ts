// Two sweeps compared point by point: ratios of the medians, and whether the quartiles lie apart.
import { describe, expect, it } from "vitest";
import {
  differenceTable,
  differenceText,
  sweepDifferences,
} from "../../../../lib/records/batch_sweeps/difference.ts";
import { resultOf } from "../../../../lib/records/batch_sweeps/result.ts";
import { outOfMemory, record } from "../../lab/sweep/records.ts";

const sweep = (points: Parameters<typeof resultOf>[0]["points"]) =>
  resultOf({
    name: "mlp",
    device: "cpu",
    seed: 0,
    points,
    ends: [],
    resumedPoints: 0,
    cutOffPoints: [],
    journal: null,
  });
const wide = { hidden: 128 };

describe("two sweeps", () => {
  const before = sweep([record(32, { rate: 100 }), record(8, { rate: 50 }), outOfMemory(64)]);
  const after = sweep([record(8, { rate: 51 }), record(32, { rate: 200 }), record(64, { rate: 400 })]);

  it("are compared at the points that both have measured", () => {
    const differences = sweepDifferences(before, after);
    expect(differences.map(({ point, ratio, overlaps }) => [point.batch, ratio, overlaps])).toEqual([
      [8, 1.02, true],
      [32, 2, false],
    ]);
    expect(differenceText(differences, ["before", "after"])).toBe(
      "at 2 equal points after has 1.02 to 2 times the rate of before; at 1 of them the quartiles overlap",
    );
    const { rows } = differenceTable(differences, ["before", "after"]);
    expect(rows[1]).toEqual(["32", "100 ±2%", "200 ±2%", "2×", "apart"]);
  });

  it("without an equal point have no difference that could be stated", () => {
    const other = sweep([record(8, { rate: 50, parameters: wide })]);
    expect(differenceText(sweepDifferences(before, other), ["a", "b"])).toBe(
      "no point was measured in both a and b",
    );
  });

  it("whose quartiles overlap everywhere show no difference", () => {
    expect(differenceText(sweepDifferences(before, before), ["a", "b"])).toBe(
      "at 2 equal points b has 1 times the rate of a; the quartiles overlap: no difference shows",
    );
  });
});
