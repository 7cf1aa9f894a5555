// Epochs with flushes: what the allocator holds after each, and what the flushes cost. Arguments: milliseconds an epoch,
// epochs, and MiB that each epoch keeps.
import { functional as F, lab, nn, optim, torch, type Tensor } from "mpslab";

const [epochMs = 200, epochCount = 50, keptMebibytes = 0] = process.argv.slice(2).map(Number);

torch.manualSeed(0);
const model = new nn.Sequential(new nn.Linear(784, 512), new nn.ReLU(), new nn.Linear(512, 10));
const optimizer = new optim.Adam(model.parameters());
const x = torch.randn([64, 784]);
const target = torch.randint(0, 10, [64]);
const kept: Tensor[] = [];

for (const _ of lab.epochs(epochCount)) {
  const start = performance.now();
  do {
    optimizer.zeroGrad();
    F.crossEntropy(model(x), target).backward();
    optimizer.step();
  } while (performance.now() - start < epochMs);
  if (keptMebibytes > 0) kept.push(torch.zeros([keptMebibytes * 2 ** 18]));
}

const { epochs } = lab.ledger;
const total = (value: (record: (typeof epochs)[number]) => number) =>
  epochs.reduce((sum, record) => sum + value(record), 0);
const verdict = lab.growth(epochs).verdict;
console.log(
  JSON.stringify({
    "allocated after the second flush, bytes": epochs[1]!.after.allocatedBytes,
    "allocated after the last flush, bytes": epochs.at(-1)!.after.allocatedBytes,
    "flushes, ms of the loop": total(({ flushMs }) => flushMs),
    "flushes, % of the epochs": (100 * total(({ flushMs }) => flushMs)) / total(({ wallMs }) => wallMs),
    "full collections": epochs.filter(({ collection }) => collection === "full").length,
    "right verdicts": verdict === (keptMebibytes > 0 ? "growing" : "steady") ? 1 : 0,
  }),
);
