// Training steps of three small models, as ever and captured. On the CPU the smallest only: there the others compute
// more than they launch.
import { accelerator, functional as F, nn, optim, torch, type Tensor } from "mpslab";
import { Gpt } from "./gpt.ts";

const device = torch.device(process.env["MPSLAB_DEVICE"] ?? "cpu");
const STEPS = 60;
const [LENGTH, VOCABULARY, BATCH] = [64, 65, 12];
const SIZE = { width: 128, heads: 4, length: LENGTH, vocabulary: VOCABULARY, layers: 4 };

/** Median milliseconds of a step that is waited for. */
function stepMs(step: () => Tensor): number {
  for (let i = 0; i < 15; i++) step().dispose();
  accelerator.synchronize(device);
  const times: number[] = [];
  for (let i = 0; i < STEPS; i++) {
    const start = performance.now();
    step().dispose();
    accelerator.synchronize(device);
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[STEPS / 2]!;
}

const figures: Record<string, number> = {};

function measure(
  name: string,
  model: nn.Layer,
  adam: typeof optim.Adam | typeof optim.AdamW,
  loss: () => Tensor,
): void {
  const optimizer = new adam(model.parameters(), { lr: 1e-3 });
  const step = () => {
    optimizer.zeroGrad();
    const value = loss();
    value.backward();
    optimizer.step();
    return value;
  };
  figures[`${name}, as ever, ms`] = stepMs(step);
  figures[`${name}, captured, ms`] = stepMs(torch.capture(step));
}

torch.manualSeed(0);
if (device !== "cpu") {
  const gpt = new Gpt(SIZE).to(device);
  const [ids, next] = [0, 1].map(() => torch.randint(VOCABULARY, [BATCH, LENGTH]).to(device)) as [
    Tensor,
    Tensor,
  ];
  measure("nanoGPT", gpt as unknown as nn.Layer, optim.AdamW, () =>
    F.crossEntropy((gpt(ids) as Tensor).view([-1, VOCABULARY]), next.view([-1])),
  );
  const autoencoder = new nn.Sequential(
    new nn.Linear(784, 128),
    new nn.ReLU(),
    new nn.Linear(128, 16),
    new nn.ReLU(),
    new nn.Linear(16, 128),
    new nn.ReLU(),
    new nn.Linear(128, 784),
    new nn.Sigmoid(),
  ).to(device);
  const images = torch.rand([64, 784]).to(device);
  measure("autoencoder", autoencoder as unknown as nn.Layer, optim.Adam, () =>
    F.mseLoss(autoencoder(images), images),
  );
}
const tiny = new nn.Sequential(
  new nn.Linear(4, 64),
  new nn.Tanh(),
  new nn.Linear(64, 64),
  new nn.Tanh(),
  new nn.Linear(64, 2),
).to(device);
const state = torch.rand([1, 4]).to(device);
measure("4-64-64-2", tiny as unknown as nn.Layer, optim.Adam, () =>
  F.logSoftmax(tiny(state), -1).select(0, 0).select(0, 1).neg(),
);
console.log(JSON.stringify(figures));
