// Fifty epochs with flushes: what the allocator holds after each, and what the flushes cost of an epoch of about 200 ms.
import { functional as F, lab, nn, optim, torch } from "mpslab";

const EPOCHS = 50;
const EPOCH_MS = 200;

torch.manualSeed(0);
const model = new nn.Sequential(new nn.Linear(784, 512), new nn.ReLU(), new nn.Linear(512, 10));
const optimizer = new optim.Adam(model.parameters());
const x = torch.randn([512, 784]);
const target = torch.randint(0, 10, [512]);

for (const epoch of lab.epochs(EPOCHS)) {
  const start = performance.now();
  while (performance.now() - start < EPOCH_MS) {
    optimizer.zeroGrad();
    F.crossEntropy(model(x), target).backward();
    optimizer.step();
  }
}

const { epochs } = lab.ledger;
const total = (value: (record: (typeof epochs)[number]) => number) =>
  epochs.reduce((sum, record) => sum + value(record), 0);
console.log(
  JSON.stringify({
    "allocated after the second flush, bytes": epochs[1]!.after.allocatedBytes,
    "allocated after the last flush, bytes": epochs.at(-1)!.after.allocatedBytes,
    "flush, % of the epochs": (100 * total(({ flushMs }) => flushMs)) / total(({ wallMs }) => wallMs),
  }),
);
