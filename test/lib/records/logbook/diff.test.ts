// What two runs' records make of each other: causes, effects, and what is no difference.
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { lab } from "../../../../lib/index.ts";

const run = lab.logbook.draft();
const withFields = (fields: Partial<typeof run.fields>) => ({ ...run, fields: { ...run.fields, ...fields } });

it("an effect is kept apart from causes", () => {
  const fast = withFields({ steadyEpochMs: 100, peakBytes: 5 });
  const slow = withFields({ steadyEpochMs: 120, peakBytes: 5 });
  expect(lab.logbook.diff(fast, slow)).toMatchObject({
    suspects: [],
    effects: [{ field: "steadyEpochMs", a: 100, b: 120 }],
  });
});

it("memory that differs by less than a percent is the same, as another release of a system keeps more", () => {
  const suspects = (a: number, b: number) =>
    lab.logbook.diff(withFields({ memoryBytes: a }), withFields({ memoryBytes: b })).suspects;
  expect(suspects(16e9, 15.9e9)).toEqual([]);
  expect(suspects(16e9, 8e9)).toMatchObject([{ field: "memoryBytes" }]);
});

it("two equal runs have no difference, and the table says so", () => {
  expect(inspect(lab.logbook.diff(run, run))).toContain("No field that both runs know differs.");
});
