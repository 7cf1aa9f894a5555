// Steps of two networks with a memory recording and without, in turn, and the file of a million events.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { functional as F, lab, nn, optim, torch } from "mpslab";

const PAIRS = 15;
const TURN_MS = 400;
const EVENTS = 1_000_000;

torch.manualSeed(0);
torch.setNumThreads(1);

function stepOf(batch: number, ...widths: readonly number[]): () => void {
  const layers = widths
    .slice(1)
    .flatMap((width, at) => [...(at === 0 ? [] : [new nn.ReLU()]), new nn.Linear(widths[at]!, width)]);
  const model = new nn.Sequential(...layers);
  const optimizer = new optim.Adam(model.parameters());
  const x = torch.randn([batch, widths[0]!]);
  const target = torch.randint(0, widths.at(-1)!, [batch]);
  return () => {
    optimizer.zeroGrad();
    F.crossEntropy(model(x), target).backward();
    optimizer.step();
  };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** The processor's time, in which other programs do not count. */
function processorMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * The median over pairs of what recording adds, in percent. Each turn begins with a full collection, as a recording does, and
 * with steps that are not measured: the 50 ms for stacks that a recording may spend at once are paid once, whatever the
 * number of steps. Every second pair begins with the recording, so that what comes first costs neither more.
 */
function addedPercent(step: () => void): number {
  repeat(step, 200);
  const steps = Math.ceil((200 * TURN_MS) / processorMs(() => repeat(step, 200)));
  const bare = (): number => {
    globalThis.gc!();
    repeat(step, steps);
    return processorMs(() => repeat(step, steps));
  };
  const recorded = (): number => {
    using _ = lab.recordMemory();
    repeat(step, steps);
    return processorMs(() => repeat(step, steps));
  };
  const added = Array.from({ length: PAIRS }, (_, pair) => {
    const turns = pair % 2 === 0 ? ([bare, recorded] as const) : ([recorded, bare] as const);
    const times = new Map(turns.map((turn) => [turn, turn()]));
    return 100 * (times.get(recorded)! / times.get(bare)! - 1);
  });
  return median(added);
}

function repeat(step: () => void, times: number): void {
  for (let i = 0; i < times; i++) step();
}

const mlp = addedPercent(stepOf(128, 784, 128, 10));
const small = addedPercent(stepOf(16, 4, 64, 64, 2));

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-bench-"));
const file = path.join(folder, "million.pickle");
const step = stepOf(16, 4, 64, 64, 2);
using recording = lab.recordMemory({ maxEvents: EVENTS });
while (recording.events < EVENTS) step();
const snapshotBegan = performance.now();
const snapshot = recording.snapshot();
const saveBegan = performance.now();
snapshot.save(file);
const saved = performance.now();

console.log(
  JSON.stringify({
    "recording, % of the MLP's step": mlp,
    "recording, % of the small network's step": small,
    "a snapshot of a million events, s": (saveBegan - snapshotBegan) / 1000,
    "a file of a million events, s": (saved - saveBegan) / 1000,
    "its size, MiB": statSync(file).size / 2 ** 20,
  }),
);
rmSync(folder, { recursive: true });
