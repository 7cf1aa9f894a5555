// The search of `lab.tune` for the largest batch, on a device that runs out of memory: it is found to 5%, and the session
// goes on.
import { beforeAll, expect, it } from "vitest";
import { lab, mps, nn, optim, OutOfMemoryError, type Tensor, torch } from "../../lib/index.ts";
import { collectGarbage } from "../../lib/torch/engine/garbage.ts";

// A quarter of the 683 MiB that are recommended of 1 GiB: small enough for a processor to fill.
beforeAll(() => {
  mps.simulate({ memory: "1GB" });
  mps.setPerProcessMemoryFraction(0.25);
});

const makeTraining = ({ batch }: Pick<lab.TuneChoice, "batch">) => {
  const model = new nn.Sequential(new nn.Linear(64, 64), new nn.Tanh(), new nn.Linear(64, 1)).to("mps");
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.01 });
  return {
    model,
    data: () => torch.ones([batch, 64], { device: "mps" }),
    step(x: Tensor) {
      optimizer.zeroGrad();
      const loss = model(x).square().mean();
      loss.backward();
      optimizer.step();
      return loss;
    },
  };
};

/** Two steps, by hand. */
function fits(batch: number): boolean {
  try {
    const { data, step } = makeTraining({ batch });
    for (let i = 0; i < 2; i++) {
      collectGarbage("full");
      step(data());
    }
    mps.synchronize();
    return true;
  } catch (error) {
    if (error instanceof OutOfMemoryError) return false;
    throw error;
  } finally {
    collectGarbage("full");
    mps.emptyCache();
  }
}

it("finds the largest batch to 5%, and the session goes on", async () => {
  const options = { device: "mps", batch: 4096, only: ["batch"], journal: null, show: false } as const;
  const tuned = await lab.tune(makeTraining, {
    ...options,
    rounds: 1,
    windows: 1,
    windowMs: 0,
    warmupSteps: 1,
  });
  const { batch, end } = tuned.largestBatch!;
  expect(end).toMatch(/^The largest batch that fits is \d+: batch \d+ was out of memory\.$/);

  let [low, high] = [4096, 4096];
  while (fits(high)) [low, high] = [high, 2 * high];
  while (high - low > 64) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  expect(batch!).toBeLessThan(high);
  expect(batch!).toBeGreaterThanOrEqual(low / 1.05);
  expect(torch.ones([10], { device: "mps" }).sum().item()).toBe(10);
});
