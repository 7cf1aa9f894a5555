// Results and gradients are PyTorch's: a small part of PyTorch's own operator samples, kept here so that no test needs
// PyTorch. `npm run test:operators` checks all of them; `samples.py` says how `samples.jsonl.gz` is made.
import { beforeAll, describe, expect, it } from "vitest";
import { check } from "./check.ts";
import { keptSamples } from "./kept_samples.ts";
import type { Sample } from "./samples.ts";
import { listed, Tally } from "./tally.ts";

const lines = keptSamples();
const tally = new Tally();

beforeAll(() => {
  for (const line of lines) tally.add(line);
});

describe("PyTorch's samples", () => {
  it("pass, but for those that are listed with a reason", () => {
    const known = Object.entries(listed.failing).filter(([, { inFixture }]) => inFixture > 0);
    expect(Object.fromEntries(tally.failing)).toEqual(
      Object.fromEntries(
        known.map(([name, { inFixture }]) => [name, expect.objectContaining({ length: inFixture })]),
      ),
    );
  });

  it("name no function that is not public here, but for those that are listed", () => {
    expect([...tally.absent.keys()].filter((name) => !listed.absent.includes(name))).toEqual([]);
  });

  it("cover the operators", () => {
    expect(tally.operators.size).toBeGreaterThan(480);
    expect(tally.passed).toBeGreaterThan(1600);
  });
});

describe("the check itself", () => {
  const sample = lines
    .map((line) => JSON.parse(line) as Sample)
    .find((one) => one.operator === "mul" && one.dtype === "float32")!;
  const verdictOf = (changed: Partial<Sample>) => check({ ...sample, ...changed });
  const [result] = sample.results;

  it("passes what is right", () => {
    expect(verdictOf({})).toEqual({ public: true, problem: null });
  });

  it.each<[string, Partial<Sample>]>([
    ["the result has other elements", { name: "torch.add" }],
    ["the result is float32, not float64", { results: [{ ...result!, dtype: "float64" }] }],
    ["gradient 0 has other elements", { gradients: [{ of: 0, is: sample.results[0]! }] }],
    ["gradient 0 is a tensor, not null", { gradients: [{ of: 0, is: null }] }],
    ["the result is a tensor, not an array", { expected: [] }],
  ])("finds that %s", (problem, changed) => {
    const verdict = verdictOf(changed);
    expect(verdict).toEqual({ public: true, problem });
  });

  it("tells what is not public", () => {
    expect(verdictOf({ name: "torch.unknown_operator" })).toEqual({ public: false });
  });
});
