// Nanoseconds for one call of an operator on small tensors, through the whole way from JavaScript.
import { torch } from "mpslab";

const CALLS = 100_000;
torch.setNumThreads(1);

function nanosecondsPerCall(call: () => unknown): number {
  for (let i = 0; i < CALLS / 10; i++) call();
  const start = process.hrtime.bigint();
  for (let i = 0; i < CALLS; i++) call();
  return Number(process.hrtime.bigint() - start) / CALLS;
}

const x = torch.randn([4]);
const y = torch.randn([4]);
const a = torch.randn([16, 16]);
const b = torch.randn([16, 16]);

console.log(
  JSON.stringify({
    add: nanosecondsPerCall(() => x.add(y)),
    mul: nanosecondsPerCall(() => x.mul(y)),
    relu: nanosecondsPerCall(() => x.relu()),
    "mm 16x16": nanosecondsPerCall(() => a.mm(b)),
    sum: nanosecondsPerCall(() => x.sum()),
    view: nanosecondsPerCall(() => a.view([256])),
  }),
);
