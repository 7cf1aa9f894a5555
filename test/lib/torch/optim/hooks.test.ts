// Tests the hooks that run around an optimizer's step.
import { describe, expect, it } from "vitest";
import { nn, optim, torch } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

describe("hooks of an optimizer", () => {
  const trained = () => {
    const weight = new nn.Parameter(torch.ones([1]));
    return { weight, optimizer: new optim.SGD([weight], { lr: 1 }) };
  };

  it("run before and after each step, until they are removed", () => {
    const { weight, optimizer } = trained();
    const seen: (string | number)[] = [];
    const before = optimizer.registerStepPreHook((which) => {
      expect(which).toBe(optimizer);
      nn.utils.clipGradValue_([weight], 0.25);
      seen.push("before", weight.item());
    });
    const after = optimizer.registerStepPostHook(() => seen.push("after", weight.item()));
    weight.grad = torch.ones([1]);
    optimizer.step();
    before.remove();
    before.remove();
    weight.grad = torch.ones([1]);
    optimizer.step();
    after.remove();
    optimizer.step();
    expect(seen).toEqual(["before", 1, "after", 0.75, "after", -0.25]);
  });

  it("run around a step of L-BFGS once, not around each evaluation", () => {
    const weight = new nn.Parameter(torch.ones([1]));
    const optimizer = new optim.LBFGS([weight]);
    let steps = 0;
    optimizer.registerStepPostHook(() => steps++);
    optimizer.step(() => {
      optimizer.zeroGrad();
      const loss = weight.square().sum();
      loss.backward();
      return loss;
    });
    expect(steps).toBe(1);
  });

  refuses([
    [
      "a hook that is no function",
      () => trained().optimizer.registerStepPreHook(3 as never),
      "TypeError",
      "SGD.registerStepPreHook...",
    ],
  ]);
});
