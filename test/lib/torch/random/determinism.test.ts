// The switch for algorithms that give the same numbers each time, and what it says where there is none.
import { afterEach, expect, it } from "vitest";
import { lab, torch } from "../../../../lib/index.ts";

afterEach(() => torch.useDeterministicAlgorithms(false));

const states = () => [
  torch.areDeterministicAlgorithmsEnabled(),
  torch.isDeterministicAlgorithmsWarnOnlyEnabled(),
];
const put = () => torch.zeros([3]).put_(torch.tensor([0, 1]), torch.tensor([1, 2]).float());

it("is off, on, or warns", () => {
  expect(states()).toEqual([false, false]);
  torch.useDeterministicAlgorithms(true);
  expect(states()).toEqual([true, false]);
  torch.useDeterministicAlgorithms(true, { warnOnly: true });
  expect(states()).toEqual([true, true]);
  expect(put().tolist()).toEqual([1, 2, 0]);
});

it("refuses an operator that has no such algorithm, with two ways out", () => {
  torch.useDeterministicAlgorithms(true);
  expect(put).toThrow(
    "put_(): it has no deterministic algorithm, and torch.useDeterministicAlgorithms(true) wants one",
  );
  expect(put).toThrow(
    "Put torch.useDeterministicAlgorithms(false) before it, or let it warn: torch.useDeterministicAlgorithms(true, { warnOnly: true }).",
  );
});

it("fills new memory, so that what nobody wrote is the same too", () => {
  torch.useDeterministicAlgorithms(true);
  expect(torch.empty([2]).tolist()).toEqual([NaN, NaN]);
});

it("is written into the logbook by the machine", () => {
  torch.useDeterministicAlgorithms(true);
  const { fields, filledBy } = lab.logbook.draft();
  expect([fields.deterministicAlgorithms, filledBy.deterministicAlgorithms]).toEqual([true, "machine"]);
});

it("takes a boolean", () => {
  expect(() => torch.useDeterministicAlgorithms("yes" as never)).toThrow(
    'torch.useDeterministicAlgorithms: mode must be true or false, got "yes".',
  );
});
