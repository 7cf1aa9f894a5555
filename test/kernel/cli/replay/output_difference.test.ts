// Outputs of two runs: times and rates may differ, results may not.
import { expect, it } from "vitest";
import { firstDifference } from "../../../../kernel/cli/replay/output_difference.ts";

const printed = (text: string) => [{ output_type: "stream" as const, name: "stdout" as const, text }];

it.each([
  [
    "how many items a second a loop took",
    "6 epochs in 8.22 s, 1.54 a second",
    "6 epochs in 8.9 s, 12.3 a second",
  ],
  ["a rate below one a second", "6 epochs in 8.22 s, 1.54 a second", "6 epochs in 9.1 s, 1.52 s each"],
])("%s is no difference", (_, stored, now) => {
  expect(firstDifference(printed(stored), printed(now), 0)).toBe(null);
});

it("another number of items is one", () => {
  expect(
    firstDifference(printed("6 epochs in 8 s, 1.5 a second"), printed("5 epochs in 8 s, 1.5 a second"), 0),
  ).not.toBe(null);
});
