// The lab's own cost and correctness on the tour's MLP: sweep and hand-written loop in turn, search and grid, epochs with
// and without the ledger, and with live charts.
import { openSync, readFileSync, writeSync } from "node:fs";
import { functional as F, lab, nn, optim, torch } from "../../../lib/index.ts";
import { encodeFrame } from "../../../kernel/session/channel.ts";
import { installOutputSink } from "../../../lib/display.ts";

const BATCH = 256;
const ROUNDS = 7;
/**
 * Many short pairs: one pair in ten is off by 20% either way on a busy machine, and the median of 31 by 3%, which is what
 * is asked for; that of 121 by 1.4%.
 */
const PAIRS = 121;
const WINDOW_MS = 40;
const STEP_MS = 50;

torch.manualSeed(0);
torch.setNumThreads(1);
const model = new nn.Sequential(new nn.Linear(784, 256), new nn.ReLU(), new nn.Linear(256, 10));
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

/** Measures as a user would write it: warms up, runs for a while, waits for the device, divides. */
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
for (let round = 0; round < PAIRS; round++) {
  // Each goes first as often as the other.
  const first = round % 2 === 0 ? await swept() : handWritten();
  const second = round % 2 === 0 ? handWritten() : await swept();
  ratios.push(round % 2 === 0 ? first / second : second / first);
}

const common = { windowMs: 200, setup: ({ batch }: lab.Point) => stepOf(batch) } as const;
const searched: number[] = [];
const exhaustive: number[] = [];
// Up to 256: 512 gives about 3% more, which is where the choice itself draws its line, and either answer would be right.
for (let round = 0; round < 3; round++) {
  const search = await lab.sweep({ ...common, batch: { from: 8, to: 256 } });
  searched.push(search.choices[0]!.bestBatch);
  const grid = await lab.sweep({ ...common, batch: [8, 16, 32, 64, 128, 256] });
  exhaustive.push(grid.choices[0]!.bestBatch);
}

/**
 * Returns the time of this thread alone if the system has it, because the picture's thread draws while the loop runs.
 */
function threadMs(): number {
  if (process.platform !== "linux") return performance.now();
  return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1e6;
}

const trainStep = stepOf(BATCH);

/**
 * Epochs of steps of 50 ms: what they took beside their steps, in percent of those. What else the machine does strikes the
 * steps in the main, and so neither figure.
 */
function addedShare(epochs: number, steps: number, clockMs: () => number): number {
  let stepsMs = 0;
  const began = clockMs();
  for (const _ of lab.epochs(epochs)) {
    for (let i = 0; i < steps; i++) {
      const stepBegan = clockMs();
      while (clockMs() - stepBegan < STEP_MS) trainStep();
      stepsMs += clockMs() - stepBegan;
    }
  }
  return (100 * (clockMs() - began - stepsMs)) / stepsMs;
}

const added = Array.from({ length: ROUNDS }, () => addedShare(3, 20, () => performance.now()));

/** A notebook's output up to the pipe: the updates are made and encoded as the session does. */
const pipe = openSync("/dev/null", "w");
let updates = 0;
function liveSink(live: boolean): void {
  installOutputSink({
    live,
    display(data, { displayId = "", update = false }) {
      updates++;
      writeSync(pipe, encodeFrame({ type: "display", cell: "1", data, metadata: {}, update, displayId }));
    },
    clear() {},
    holds() {},
    currentCell: () => null,
    pending() {},
  });
}

// Epochs of two steps, so that an update is due after every few of them.
const chartShares: number[] = [];
const updateRates: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  liveSink(false);
  const without = addedShare(40, 2, threadMs);
  liveSink(true);
  updates = 0;
  const began = performance.now();
  chartShares.push(addedShare(40, 2, threadMs) - without);
  updateRates.push((1000 * updates) / (performance.now() - began));
}

console.log(
  JSON.stringify({
    "sweep / hand-written loop, samples/s": median(ratios),
    "best batch of the search / of the grid": median(searched) / median(exhaustive),
    "epochs of 20 steps over a bare loop, % of steps of 50 ms": median(added),
    "live charts of epochs of 2 steps, % of steps of 50 ms": median(chartShares),
    "updates of a live chart, /s": median(updateRates),
  }),
);
