// Checks of exercises: which conditions hold, and what a learner and a grader see.
import { inspect } from "node:util";
import { afterEach, expect, it, vi, expectTypeOf } from "vitest";
import { lab } from "../../../../lib/index.ts";

afterEach(() => vi.unstubAllEnvs());

const half = (x: number) => x / 2;

it("says that all conditions hold", () => {
  const result = lab.check("half", {
    "half of 4 is 2": () => half(4) === 2,
    "a condition that returns nothing holds": () => void half(1),
  });
  expect(result.passed).toBe(true);
  expect(inspect(result)).toBe(
    [
      "half: right. All 2 conditions hold.",
      "     condition",
      "  ✓  half of 4 is 2",
      "  ✓  a condition that returns nothing holds",
    ].join("\n"),
  );
});

it("names what does not hold, with the error of what threw, and runs the rest", () => {
  const result = lab.check("half", {
    "half of 4 is 3": () => half(4) === 3,
    "it takes a list": () => {
      throw new TypeError("a list has no half");
    },
    "half of 1 is 0.5": () => half(1) === 0.5,
  });
  expect(result).toEqual({
    exercise: "half",
    passed: false,
    conditions: [
      { condition: "half of 4 is 3", holds: false, error: null },
      { condition: "it takes a list", holds: false, error: "a list has no half" },
      { condition: "half of 1 is 0.5", holds: true, error: null },
    ],
  });
  expect(inspect(result)).toBe(
    [
      "half: not yet. 1 of 3 conditions hold.",
      "     condition",
      "  ✗  half of 4 is 3",
      "  ✗  it takes a list (a list has no half)",
      "  ✓  half of 1 is 0.5",
    ].join("\n"),
  );
});

it("waits for conditions that return promises, in their order", async () => {
  const order: string[] = [];
  const result = await lab.check("later", {
    first: async () => {
      await Promise.resolve();
      order.push("first");
      return true;
    },
    second: async () => {
      order.push("second");
      throw new RangeError("not so");
    },
  });
  expect(order).toEqual(["first", "second"]);
  expect(result.conditions[1]).toEqual({ condition: "second", holds: false, error: "not so" });
});

it("takes conditions of every kind beside each other: true, nothing, a promise", async () => {
  const nothing = () => {};
  expectTypeOf(lab.check("kinds", { one: () => true, two: nothing })).toEqualTypeOf<lab.CheckResult>();
  const mixed = lab.check("kinds", { one: () => true, two: nothing, three: async () => false });
  expectTypeOf(mixed).toEqualTypeOf<Promise<lab.CheckResult>>();
  expect((await mixed).conditions.map(({ holds }) => holds)).toEqual([true, true, false]);
  const thrown = (): never => {
    throw new RangeError("not so");
  };
  expect(lab.check("kinds", { one: thrown }).passed).toBe(false);
});

it("throws for a grader what a learner reads", () => {
  const wrong = () =>
    lab.check("half", { "half of 4 is 3": () => false, "it is a number": () => true }, { throws: true });
  expect(wrong).toThrow(expect.objectContaining({ name: "CheckError" }));
  expect(wrong).toThrow("half: 1 of 2 conditions do not hold: half of 4 is 3.");
});

it("throws by itself while nbgrader runs the notebook, which gives all points to a cell that does not", () => {
  const wrong = (options?: { throws: boolean }) =>
    lab.check("half", { "half of 4 is 3": () => false }, options);
  vi.stubEnv("NBGRADER_EXECUTION", "autograde");
  expect(() => wrong()).toThrow("half: 1 of 1 conditions do not hold: half of 4 is 3.");
  // For partial points: the cell ends with their number.
  expect(wrong({ throws: false }).passed).toBe(false);
  vi.stubEnv("NBGRADER_EXECUTION", "");
  expect(wrong().passed).toBe(false);
});

it.each([
  [
    "no conditions",
    {},
    'lab.check: conditions must be an object such as { "it is positive": () => x > 0 }, got none.',
  ],
  [
    "a condition that is no function",
    { a: true },
    'lab.check: the condition "a" must be a function, got true.',
  ],
  [
    "a condition that returns a number",
    { a: () => 1 },
    'lab.check: the condition "a" must return true, false or nothing, got 1.',
  ],
])("%s is refused", (_, conditions, message) => {
  expect(() => lab.check("x", conditions as never)).toThrow(message);
});
