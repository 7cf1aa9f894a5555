// A mode holds while a function runs. The code of a generator begins when the function has returned, outside of the mode:
// it is refused wherever a mode holds, and where a promise would be waited for.
import { describe, expect, it } from "vitest";
import { accelerator, lab, nn, optim, torch } from "../../../../lib/index.ts";

type Holds = (run: () => unknown) => unknown;

const w = torch.ones([2], { requiresGrad: true });
const averaged = new optim.AveragedModel(new nn.Linear(2, 1));

const holders: Record<string, Holds> = {
  "noGrad()": (run) => torch.noGrad(run),
  "enableGrad()": (run) => torch.enableGrad(run),
  "inferenceMode()": (run) => torch.inferenceMode(run),
  "torch.autocast": (run) => torch.autocast({ deviceType: "cpu" }, run),
  "tidy()": (run) => torch.tidy(run),
  "torch.forkRng": (run) => torch.forkRng(run),
  "detectAnomaly()": (run) => torch.autograd.detectAnomaly(run),
  "saveOnCpu()": (run) => torch.autograd.graph.saveOnCpu(run),
  "torch.capture": (run) => torch.capture(run)(),
  "torch.checkpoint": (run) => torch.checkpoint(run as () => never, []),
  apply: (run) => new nn.ReLU().apply(run),
  "registerPostAccumulateGradHook()": (run) => {
    const leaf = torch.ones([1], { requiresGrad: true });
    leaf.registerPostAccumulateGradHook(run);
    leaf.sum().backward();
  },
  "SGD.registerStepPreHook": (run) => {
    const optimizer = new optim.SGD([w], { lr: 0 });
    optimizer.registerStepPreHook(run as () => void);
    optimizer.step();
  },
};

describe.each(Object.entries(holders))("%s", (name, hold) => {
  it.each<[string, () => unknown]>([
    [
      "generator",
      function* () {
        yield w.mul(2);
      },
    ],
    [
      "generator",
      async function* () {
        yield w.mul(2);
      },
    ],
    ["promise", async () => w.mul(2)],
  ])("refuses a %s, whose code runs when the mode is over", (what, run) => {
    expect(() => hold(run)).toThrow(TypeError);
    expect(() => hold(run)).toThrow(`${name} cannot wait: its function returned a ${what}, and `);
    expect(torch.isGradEnabled()).toBe(true);
    expect(torch.isAutocastEnabled("cpu")).toBe(false);
  });
});

it.each<[string, Holds]>([
  ["retryOnOutOfMemory", (run) => accelerator.retryOnOutOfMemory(run)],
  ["profiler.profile", (run) => torch.profiler.profile({}, run)],
  ["profiler.recordFunction", (run) => torch.profiler.recordFunction("forward", run)],
  ["Linear", (run) => averaged.run(run)],
  ["lab", (run) => lab.syncs(run)],
])("%s waits for a promise, and refuses a generator, none of whose code has run", (name, hold) => {
  expect(() =>
    hold(function* () {
      yield w.mul(2);
    }),
  ).toThrow(
    `${name}: the function returned a generator, and none of its code has run. Loop over it inside of the function.`,
  );
});

it("a mode holds where the function itself loops over the generator", () => {
  function* batches() {
    yield w.mul(2);
    yield w.mul(3);
  }
  expect(torch.noGrad(() => [...batches()].map((each) => each.requiresGrad))).toEqual([false, false]);
});
