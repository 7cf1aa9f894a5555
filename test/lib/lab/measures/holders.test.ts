// Tests which tensors a leak names: those that outlive the step that made them, largest first, with their operator and
// line.
import { expect, it } from "vitest";
import { type Tensor, torch } from "../../../../lib/index.ts";
import { runSteps, settled } from "../../../../lib/lab/core/run_steps.ts";
import { holdersOf } from "../../../../lib/lab/measures/holders.ts";

/** Returns what is reported of two calls of the step. */
const holders = (step: () => void) =>
  runSteps(
    holdersOf(function* () {
      yield* settled(step());
    }),
  );
const HERE = /holders\.test\.ts:\d+$/;

it("the largest comes first, each once, with its shape, bytes and operator", async () => {
  const kept: Tensor[] = [];
  const told = await holders(() => {
    for (const size of [8, 64, 32]) kept.push(torch.ones([size, 4]).exp());
  });
  expect(told.map((text) => text.split(" at ")[0])).toEqual([
    "[64, 4] float32 of 1 KiB by exp",
    "[32, 4] float32 of 512 B by exp",
    "[8, 4] float32 of 128 B by exp",
  ]);
  for (const text of told) expect(text).toMatch(HERE);
});

it("what the next step replaces is no leak, nor is what was disposed of, or what an operator was given", async () => {
  const kept: Tensor[] = [];
  const given = torch.ones([4]);
  let last: Tensor = given;
  const told = await holders(() => {
    last = torch.ones([16]).mul(2);
    kept.push(given.add_(1), torch.ones([2]).sin());
    torch.ones([32]).cos().dispose();
  });
  expect(last.shape).toEqual([16]);
  expect(told).toEqual([expect.stringMatching(/^\[2\] float32 of 8 B by sin at /)]);
});

it("a loss that is kept holds its graph, and that is said", async () => {
  const weight = torch.ones([4], { requiresGrad: true });
  const losses: Tensor[] = [];
  const told = await holders(() => void losses.push(weight.mul(2).sum()));
  expect(told).toContainEqual(expect.stringMatching(/^\[\] float32 of 4 B by sum with its graph at /));
});
