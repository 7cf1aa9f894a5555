// Which points of a sweep are its best.
import { expect, it } from "vitest";
import { bestPoints, isLessBetter } from "../../../../lib/records/parameter_sweeps/best_points.ts";

const point = (rate: string, seed: string, figures: Record<string, number>) => ({
  parameters: { rate, seed },
  figures,
});
const POINTS = [
  point("0.1", "0", { loss: 0.1, accuracy: 0.9 }),
  point("0.1", "1", { loss: 0.9, accuracy: 0.1 }),
  point("0.1", "2", { loss: 0.8, accuracy: 0.2 }),
  point("0.01", "0", { loss: 0.4, accuracy: 0.6 }),
  point("0.01", "1", { loss: 0.6, accuracy: 0.5 }),
  point("0.001", "0", {}),
];

it("takes the median of points that differ in their seed alone, not the luckiest seed", () => {
  expect(bestPoints(POINTS, "loss")).toEqual({
    figure: "loss",
    isLess: true,
    value: 0.5,
    places: [3, 4],
    parameters: { rate: "0.01" },
  });
  expect(bestPoints(POINTS, "accuracy")).toMatchObject({ isLess: false, value: 0.55, places: [3, 4] });
});

it("finds none where no point has the figure, or all have the same", () => {
  expect(bestPoints(POINTS, "recall")).toBeNull();
  expect(bestPoints([point("1", "0", { loss: 2 }), point("2", "0", { loss: 2 })], "loss")).toBeNull();
});

it.each(
  [
    ["loss", "validLoss", "test_error", "perplexity", "rmse", "MAE", "valid nll"].map(
      (name) => [name, true] as const,
    ),
    ["accuracy", "samplesPerSecond", "measure", "f1"].map((name) => [name, false] as const),
  ].flat(),
)("%s: less is better %s", (name, less) => expect(isLessBetter(name)).toBe(less));
