// Losing a rank at random moments of a training: the others end with who failed and where, and nothing is left. Six
// moments; MPSLAB_KILLS=100 asks for as many others.
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../../../lib/statistics/seeded_random.ts";
import { type Outcome, Ranks, type RankScope } from "./ranks.ts";

const SIZE = 3;
const KILLS = Number(process.env["MPSLAB_KILLS"] ?? 6);
/** Long enough to connect on a busy machine. */
const TIMEOUT_MS = 6000;
/** From which a moment is drawn: of the start on every second one, of the training on the others. */
const LONGEST_MS = 1000;

/** Trains until a rank is lost. */
function train({ torch, nn, optim, functional, data, distributed, argument }: RankScope<number>): void {
  distributed.initProcessGroup({ timeoutMs: argument });
  torch.manualSeed(0);
  const set = new data.TensorDataset(torch.randn([512, 16]), torch.randn([512, 4]));
  const sampler = new data.DistributedSampler(set);
  const loader = new data.DataLoader(set, { batchSize: 32, sampler });
  const model = new nn.Sequential(new nn.Linear(16, 128), new nn.BatchNorm1d(128), new nn.Linear(128, 4));
  const ddp = new nn.parallel.DistributedDataParallel(model, { bucketCapMb: 0.01 });
  const optimizer = new distributed.optim.ZeroRedundancyOptimizer(ddp.parameters(), optim.AdamW);
  console.log("trains");
  for (let epoch = 0; ; epoch++) {
    sampler.setEpoch(epoch);
    for (const [x, target] of loader) {
      optimizer.zeroGrad();
      functional.mseLoss(ddp(x), target).backward();
      optimizer.step();
    }
  }
}

/** Waits until all train, or have failed before. */
async function allTrain(ranks: Ranks, training: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  void training.then(() => over.abort());
  while (!over.signal.aborted && ranks.output.split("trains").length <= SIZE) await sleep(10);
}

/** Files in shared memory whose names have the number of one of the processes. */
const sharedBy = (pids: readonly number[]): string[] =>
  process.platform === "linux"
    ? readdirSync("/dev/shm").filter((name) =>
        (name.match(/\d+/g) ?? []).some((part) => pids.includes(Number(part))),
      )
    : [];

async function requireFree(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) =>
    server.listen(port, "127.0.0.1", resolve).once("error", reject),
  );
  await new Promise((resolve) => server.close(resolve));
}

/** Whether the error names the rank that was lost, or the store that was lost with it. */
function names(lost: number, { error }: Outcome<unknown>): boolean {
  const text = error?.message ?? "";
  if (lost === 0 && /the store at 127\.0\.0\.1:\d+ (does not answer|ended)|no store answers at/i.test(text))
    return true;
  const listed = `(?:\\d, )*${lost}\\b`;
  return new RegExp(
    `No word from ranks? ${listed}|ranks ${listed}.* did not come|(?:of|waited for) rank ${lost}\\b`,
  ).test(text);
}

/** From the loss to the last error, of each moment: printed for whoever asks for many. */
const taken: number[] = [];
afterAll(() => {
  if (KILLS === 6) return;
  const sorted = taken.toSorted((a, b) => a - b);
  console.log(`${taken.length} ranks lost; the others ended after ${sorted[0]} to ${sorted.at(-1)} ms`);
});

describe("a rank that is lost", () => {
  it.each(Array.from({ length: KILLS }, (_, moment) => moment))(
    "at random moment %i: the others say who, and nothing is left",
    async (moment) => {
      const random = seededRandom(moment);
      const lost = Math.floor(random() * SIZE);
      const ranks = await Ranks.start(SIZE);
      try {
        const pids = ranks.processes.map(({ pid }) => pid!);
        const training = ranks.run(train, TIMEOUT_MS);
        if (moment % 2 === 1) await allTrain(ranks, training);
        await sleep(random() * LONGEST_MS);
        ranks.processes[lost]!.kill("SIGKILL");
        const began = performance.now();
        const outcomes = await training;
        taken.push(Math.round(performance.now() - began));
        expect(outcomes[lost]).toEqual({ ended: "SIGKILL" });
        const others = outcomes.filter((_, rank) => rank !== lost);
        for (const outcome of others) {
          expect(outcome.error?.name).toMatch(/^Dist(Backend|Store)Error$/);
          expect(names(lost, outcome), outcome.error?.message).toBe(true);
        }
        const codes = ranks.processes
          .filter((_, rank) => rank !== lost)
          .map((child) => new Promise((resolve) => child.once("exit", resolve)));
        for (const child of ranks.processes) if (child.connected) child.disconnect();
        expect(await Promise.all(codes)).toEqual([0, 0]);
        expect(sharedBy(pids)).toEqual([]);
        await requireFree(ranks.port);
      } finally {
        await ranks.stop();
      }
    },
  );
});
