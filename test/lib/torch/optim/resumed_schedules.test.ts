// Schedules that go on after an epoch, as PyTorch's `last_epoch` has it: the rates are those that torch 2.15 gives.
import { describe, expect, it } from "vitest";
import { nn, optim, torch } from "../../../../lib/index.ts";

const { lrScheduler } = optim;
const made = () => new optim.SGD([new nn.Parameter(torch.ones([1]))], 0.1);

/** The rates from the fourth step on: three of a first schedule, and those of a second that goes on after epoch 2. */
function resumed(make: (optimizer: optim.SGD, lastEpoch: number) => optim.lrScheduler.LRScheduler): number[] {
  const optimizer = made();
  const first = make(optimizer, -1);
  for (let epoch = 0; epoch < 3; epoch++) first.step();
  const again = make(optimizer, 2);
  const rate = () => optimizer.paramGroups[0]!.lr;
  const rates = [rate()];
  for (let epoch = 0; epoch < 4; epoch++) {
    again.step();
    rates.push(rate());
  }
  return rates;
}

describe("a schedule with lastEpoch", () => {
  it.each<[string, Parameters<typeof resumed>[0], number[]]>([
    ["StepLR", (o, last) => new lrScheduler.StepLR(o, 2, 0.5, last), [0.05, 0.025, 0.025, 0.0125, 0.0125]],
    [
      "MultiStepLR",
      (o, lastEpoch) => new lrScheduler.MultiStepLR(o, [1, 4], 0.5, { lastEpoch }),
      [0.05, 0.025, 0.025, 0.025, 0.025],
    ],
    [
      "LinearLR",
      (o, lastEpoch) => new lrScheduler.LinearLR(o, { startFactor: 0.25, totalIters: 6, lastEpoch }),
      [0.0625, 0.075, 0.08750000000000001, 0.1, 0.1],
    ],
    [
      "LambdaLR",
      (o, last) => new lrScheduler.LambdaLR(o, (epoch) => 1 / (1 + epoch), last),
      [0.025, 0.020000000000000004, 0.016666666666666666, 0.014285714285714285, 0.0125],
    ],
    [
      "CosineAnnealingLR",
      (o, last) => new lrScheduler.CosineAnnealingLR(o, 10, 0.01, last),
      [
        0.08145033635316129, 0.06890576474687264, 0.05500000000000001, 0.04109423525312737,
        0.028549663646838717,
      ],
    ],
    [
      "CosineAnnealingWarmRestarts",
      (o, last) => new lrScheduler.CosineAnnealingWarmRestarts(o, 4, 2, 0.001, last),
      [0.0154982143312659, 0.1, 0.0962320368593087, 0.0855017856687341, 0.06944282990207196],
    ],
  ])("%s goes on", (_, make, rates) => {
    expect(resumed(make)).toEqual(rates);
  });

  it("needs an optimizer that knows its first rates", () => {
    expect(() => new lrScheduler.StepLR(made(), 2, 0.5, 2)).toThrow(
      "new optim.lrScheduler.StepLR: lastEpoch must be -1, got 2: the optimizer does not know its first rates; load its state first.",
    );
    const before = made();
    new lrScheduler.StepLR(before, 2);
    const loaded = made();
    loaded.loadStateDict(before.stateDict());
    expect(new lrScheduler.StepLR(loaded, 2, 0.5, 2).lastEpoch).toBe(3);
  });
});
