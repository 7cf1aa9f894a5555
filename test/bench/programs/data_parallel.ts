// Data parallel on two processes, each with one thread: the time of a step of a wide and of a deep model.
import { distributed, functional as F, nn, optim, torch } from "mpslab";

const WARM_UP = 20;
const STEPS = 100;

distributed.initProcessGroup();
torch.manualSeed(distributed.getRank());
torch.setNumThreads(1);

function wide() {
  return new nn.Sequential(
    new nn.Linear(784, 1024),
    new nn.ReLU(),
    new nn.Linear(1024, 1024),
    new nn.ReLU(),
    new nn.Linear(1024, 10),
  );
}

function deep() {
  const layers = [new nn.Linear(784, 128), new nn.ReLU()];
  for (let layer = 0; layer < 24; layer++) layers.push(new nn.Linear(128, 128), new nn.ReLU());
  return new nn.Sequential(...layers, new nn.Linear(128, 10));
}

function stepMs(model: nn.Sequential): number {
  const ddp = new nn.parallel.DistributedDataParallel(model);
  const optimizer = new optim.SGD(ddp.parameters(), { lr: 0.01, momentum: 0.9 });
  const x = torch.randn([64, 784]);
  const target = torch.randint(0, 10, [64]);
  const taken: number[] = [];
  for (let step = 0; step < WARM_UP + STEPS; step++) {
    const start = performance.now();
    optimizer.zeroGrad();
    F.crossEntropy(ddp(x), target).backward();
    optimizer.step();
    if (step >= WARM_UP) taken.push(performance.now() - start);
  }
  taken.sort((a, b) => a - b);
  return taken[taken.length >> 1]!;
}

const figures = {
  "step of a wide model, ms": stepMs(wide()),
  "step of a deep model, ms": stepMs(deep()),
  "peak resident memory, MB": process.resourceUsage().maxRSS / 1000,
};
distributed.destroyProcessGroup();
console.log(JSON.stringify(figures));
