// Tests the program that `lab.tune` writes: it runs, and applies the settings.
import { afterAll, expect, it } from "vitest";
import { type lab, nn, type Tensor, torch } from "../../../../lib/index.ts";
import { codeOf } from "../../../../lib/lab/tune/code.ts";

const threads = torch.getNumThreads();
afterAll(() => torch.setNumThreads(threads));

const SETTINGS: lab.TuneSettings = {
  ...{ batch: 64, threads: 1, channelsLast: true, autocast: "bfloat16" },
  ...{ numWorkers: 2, checkpoint: false, capture: true },
};
const BEFORE: lab.TuneSettings = {
  ...{ batch: 32, threads: 2, channelsLast: false, autocast: "off" },
  ...{ numWorkers: 0, checkpoint: false, capture: false },
};

const trial = (value: lab.KnobValue, gain: number | null): lab.TuneTrial => ({
  ...{
    value,
    gain,
    stepMs: 4,
    samplesPerSecond: 250,
    spread: 0.02,
    peakBytes: 0,
    results: null,
    error: null,
  },
});

const kept: lab.TunedKnob = {
  ...{ knob: "threads", verdict: "kept", before: 2, value: 1, reason: "" },
  trials: [trial(2, null), trial(1, 0.25)],
};

it("says what each line gains, and makes the training so when it runs", () => {
  const code = codeOf({
    ...{
      functionName: "makeNet",
      isAsync: false,
      deviceKind: "cpu",
      before: BEFORE,
      settings: SETTINGS,
      knobs: [kept],
    },
  });
  expect(code).toBe(`\
torch.setNumThreads(1); // 2 -> 1: +25% samples a second, spread 2%
const training = makeNet({
  batch: 64,
  numWorkers: 2,
  autocast: (run) => torch.autocast({ deviceType: "cpu", dtype: "bfloat16" }, run),
  checkpoint: (run, inputs) => run(...inputs),
});
training.model.to({ memoryFormat: "channels_last" });
const step = torch.capture(training.step);`);

  const seen: unknown[] = [];
  const makeNet = ({ batch, numWorkers, autocast, checkpoint }: lab.TuneChoice) => {
    seen.push(batch, numWorkers);
    const model = new nn.Conv2d(2, 3, 3);
    return {
      model,
      step(x: Tensor) {
        const product = autocast(() => checkpoint((input: Tensor) => model(input), [x]));
        seen.push(product.dtype);
        product.float().sum().backward();
        return product;
      },
    };
  };
  const run = new Function("torch", "makeNet", `${code}\nreturn { training, step };`);
  const made = run(torch, makeNet) as { training: { model: nn.Conv2d }; step(x: Tensor): Tensor };
  const x = torch.ones([1, 2, 4, 4]);
  for (let i = 0; i < 3; i++) made.step(x);
  expect(seen).toEqual([64, 2, "bfloat16", "bfloat16", "bfloat16"]);
  expect(torch.getNumThreads()).toBe(1);
  expect(made.training.model.weight.isContiguous()).toBe(false);
  expect(made.step).toHaveProperty("replays");
});

it("checkpoints where that was kept, and changes nothing where nothing was", () => {
  const facts = { functionName: "", isAsync: true, deviceKind: "mps", before: BEFORE, knobs: [] };
  expect(codeOf({ ...facts, settings: { ...BEFORE, checkpoint: true } })).toBe(`\
// make is the function that lab.tune was given.
const training = await make({
  batch: 32,
  numWorkers: 0,
  autocast: (run) => run(),
  checkpoint: (run, inputs) => torch.checkpoint(run, inputs),
});
const step = training.step;`);
});
