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

it.each([
  ["at 2026-11-29T20:53:55.123Z", "at 2026-11-29T20:54:01.007Z", true],
  ["today is 2026-11-29", "today is 2026-11-30", true],
  ["began 1764449635123", "began 1764449699999", true],
  ["began at 9:05:01, loss 0.5", "began at 9:07:13, loss 0.5", true],
  ["began at 9:05:01, loss 0.5", "began at 9:07:13, loss 0.6", false],
  ["loss 0.5", "loss 0.6", false],
])("%j and %j: the difference names the tag that leaves a cell out: %s", (stored, now, named) => {
  const found = firstDifference(printed(stored), printed(now), 0);
  expect(found).toContain(`now     ${now}`);
  expect(found!.includes("tag the cell replay-skip")).toBe(named);
});
