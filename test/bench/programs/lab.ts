// The lab's own cost and correctness on the tour's MLP: sweep and hand-written loop in turn, search and grid, epochs with
// and without the ledger.
import { functional as F, lab, nn, optim, torch } from "mpslab";

const BATCH = 256;
const ROUNDS = 5;
const WINDOW_MS = 400;
const STEP_MS = 50;

torch.manualSeed(0);
torch.setNumThreads(1);
const model = new nn.Sequential(new nn.Linear(784, 512), new nn.ReLU(), new nn.Linear(512, 10));
const optimizer = new optim.Adam(model.parameters());

function stepOf(batch: number): () => void {
  const x = torch.randn([batch, 784]);
  const target = torch.randint(0, 10, [batch]);
  return () => {
    optimizer.zeroGrad();
    F.crossEntropy(model(x), target).backward();
    optimizer.step();
  };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** As a user would write it: warm up, run for a while, wait for the device, divide. */
function handWritten(): number {
  const step = stepOf(BATCH);
  for (let i = 0; i < 5; i++) step();
  const rates: number[] = [];
  for (let window = 0; window < 5; window++) {
    const began = performance.now();
    let steps = 0;
    while (performance.now() - began < WINDOW_MS) {
      step();
      steps++;
    }
    rates.push((1000 * BATCH * steps) / (performance.now() - began));
  }
  return median(rates);
}

async function swept(): Promise<number> {
  const { points } = await lab.sweep({
    batch: [BATCH],
    windowMs: WINDOW_MS,
    warmupSteps: 5,
    setup: ({ batch }) => stepOf(batch),
  });
  return points[0]!.steady!.samplesPerSecond.median;
}

const ratios: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  // Each goes first as often as the other.
  const first = round % 2 === 0 ? await swept() : handWritten();
  const second = round % 2 === 0 ? handWritten() : await swept();
  ratios.push(round % 2 === 0 ? first / second : second / first);
}

const common = { windowMs: 200, setup: ({ batch }: lab.Point) => stepOf(batch) } as const;
const search = await lab.sweep({ ...common, batch: { from: 8, to: 512 } });
const grid = await lab.sweep({ ...common, batch: [8, 16, 32, 64, 128, 256, 512] });

/** Of this process, in milliseconds: with one thread what a quiet machine's clock would say, on a busy one too. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const trainStep = stepOf(BATCH);
function longStep(): number {
  const began = processorMs();
  while (processorMs() - began < STEP_MS) trainStep();
  return processorMs() - began;
}

const added: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  let stepsMs = 0;
  const began = processorMs();
  for (const _ of lab.epochs(3)) for (let i = 0; i < 20; i++) stepsMs += longStep();
  added.push((100 * (processorMs() - began - stepsMs)) / stepsMs);
}

console.log(
  JSON.stringify({
    "sweep / hand-written loop, samples/s": median(ratios),
    "best batch of the search / of the grid": search.choices[0]!.bestBatch / grid.choices[0]!.bestBatch,
    "epochs of 20 steps over a bare loop, % of steps of 50 ms": median(added),
  }),
);
