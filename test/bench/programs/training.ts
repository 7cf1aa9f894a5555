// MNIST with an MLP, one epoch: what the tour trains, as a plain TypeScript program.
import { data, functional as F, nn, optim, torch } from "mpslab";

const BATCH_SIZE = 512;
torch.manualSeed(0);
torch.setNumThreads(2);

const { images, labels } = data.mnist({ train: true });
const inputs = torch.tidy(() => images.view([60_000, 784]).float().div_(255));
const dataset = new data.TensorDataset(inputs, labels);

const model = new nn.Sequential(new nn.Linear(784, 512), new nn.ReLU(), new nn.Linear(512, 10));
const optimizer = new optim.Adam(model.parameters());
const loader = new data.DataLoader(dataset, { batchSize: BATCH_SIZE, shuffle: true });

const stepMs: number[] = [];
const start = performance.now();
for (const [x, target] of loader) {
  const stepStart = performance.now();
  optimizer.zeroGrad();
  const loss = F.crossEntropy(model(x), target);
  loss.backward();
  optimizer.step();
  stepMs.push(performance.now() - stepStart);
}

stepMs.sort((a, b) => a - b);
console.log(
  JSON.stringify({
    "training step, ms": stepMs[stepMs.length >> 1],
    "epoch with its DataLoader, ms": performance.now() - start,
    "peak resident memory, MB": process.resourceUsage().maxRSS / 1000,
  }),
);
