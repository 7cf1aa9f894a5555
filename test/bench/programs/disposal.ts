// 100,000 training steps in one synchronous loop: disposing of what each step made, or (argument `undisposed`) of nothing.
import { functional as F, nn, optim, torch } from "mpslab";

const STEPS = 100_000;
const disposes = process.argv[2] !== "undisposed";
torch.manualSeed(0);
torch.setNumThreads(2);

const model = new nn.Sequential(new nn.Linear(64, 64), new nn.Tanh(), new nn.Linear(64, 10));
const optimizer = new optim.SGD(model.parameters(), { lr: 0.01 });
const x = torch.randn([32, 64]);
const target = torch.randint(0, 10, [32]);

function step(): void {
  optimizer.zeroGrad();
  F.crossEntropy(model(x), target).backward();
  optimizer.step();
}

const start = performance.now();
for (let i = 0; i < STEPS; i++) {
  if (disposes) torch.tidy(step);
  else step();
}
console.log(
  JSON.stringify({
    "peak resident memory, MB": process.resourceUsage().maxRSS / 1000,
    "step, us": ((performance.now() - start) * 1000) / STEPS,
  }),
);
