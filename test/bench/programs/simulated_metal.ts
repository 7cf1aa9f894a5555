// Operators, a training step and a launch on the session's device: the CPU, or what `MPSLAB_METAL` simulates. Figures of
// one process; the suite compares processes with each other.
import { accelerator, functional as F, nn, optim, torch } from "mpslab";

const CALLS = 20_000;
const STEPS = 60;
const device = torch.device();
torch.manualSeed(0);
torch.setNumThreads(1);

function microsecondsPerCall(call: () => { dispose(): void }): number {
  const run = (calls: number) => {
    for (let i = 0; i < calls; i++) call().dispose();
    accelerator.synchronize(device);
  };
  run(CALLS / 10);
  const start = performance.now();
  run(CALLS);
  return ((performance.now() - start) * 1000) / CALLS;
}

const x = torch.randn([4], { device });
const a = torch.randn([16, 16], { device });
const figures: Record<string, number> = {
  "add, us": microsecondsPerCall(() => x.add(x)),
  "relu, us": microsecondsPerCall(() => x.relu()),
  "mm 16x16, us": microsecondsPerCall(() => a.mm(a)),
  "sum, us": microsecondsPerCall(() => x.sum()),
  "view, us": microsecondsPerCall(() => a.view([256])),
};

torch.setNumThreads(2);
const model = new nn.Sequential(new nn.Linear(784, 512), new nn.ReLU(), new nn.Linear(512, 10)).to(device);
const optimizer = new optim.Adam(model.parameters());
const images = torch.randn([512, 784], { device });
const labels = torch.randint(0, 10, [512], { dtype: "int64" }).to(device);
function step(): void {
  optimizer.zeroGrad();
  F.crossEntropy(model(images), labels).backward();
  optimizer.step();
}
const steps = (count: number) => {
  for (let i = 0; i < count; i++) torch.tidy(step);
  accelerator.synchronize(device);
};
steps(10);
const began = performance.now();
steps(STEPS);
figures["training step, ms"] = (performance.now() - began) / STEPS;

const large = torch.randn([1024, 1024], { device });
const launches: number[] = [];
const finished: number[] = [];
for (let i = 0; i < 20; i++) {
  accelerator.synchronize(device);
  const start = performance.now();
  const product = large.mm(large);
  launches.push(performance.now() - start);
  accelerator.synchronize(device);
  finished.push(performance.now() - start);
  product.dispose();
}
const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1]!;
figures["product of 1024x1024 launched, ms"] = median(launches);
figures["product of 1024x1024 finished, ms"] = median(finished);
console.log(JSON.stringify(figures));
