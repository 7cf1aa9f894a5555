// The arithmetic of %timeit; what it does in a cell is in session.test.ts.
import { expect, it } from "vitest";
import { enoughLoops, summarize } from "../../../kernel/magics/timeit.ts";

it.each([
  [300, 1],
  [150, 2],
  [41, 5],
  [20, 10],
  [0.003, 100_000],
])("code that takes %d ms runs in loops of %d", async (eachMs, loops) => {
  expect(await enoughLoops(async (count) => count * eachMs)).toBe(loops);
});

it("best, mean and spread of its runs", () => {
  expect(summarize([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({ best: 2, mean: 5, spread: 2 });
});
