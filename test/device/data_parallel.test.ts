// DistributedDataParallel on the device under test, a process each: beside what PyTorch gave on two processes, on CUDA
// beside what it gives there now. Tensors of Metal go through the host.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cuda, type nn, type Tensor } from "../../lib/index.ts";
import { readFixture } from "../lib/torch/fixtures.ts";
import { OPTIONS, trainAsFixture } from "../lib/torch/distributed/fixture_training.ts";
import { Ranks } from "../lib/torch/distributed/ranks.ts";
import { device } from "./device_under_test.ts";

const isCuda = device.startsWith("cuda");
const python = process.env["MPSLAB_PYTHON"] ?? "python3";

/** By rank, then by the name of the options: the loss of each step. */
type Losses = readonly Readonly<Record<string, { readonly losses: readonly number[] }>>[];

/** Why the suite cannot run here; null where it can. */
function missing(): string | null {
  if (!isCuda) return null;
  if (cuda.deviceCount() < 2) return "two GPUs";
  try {
    execFileSync(python, ["-c", "import torch, numpy; assert torch.cuda.is_available()"], {
      stdio: "ignore",
    });
    return null;
  } catch {
    return `PyTorch with CUDA in ${python}`;
  }
}

function pytorchLosses(): Losses {
  if (!isCuda) return readFixture<{ trained: readonly Losses[] }>("data_parallel.json").trained[0]!;
  const program = path.join(import.meta.dirname, "../fixtures/data_parallel.py");
  return JSON.parse(execFileSync(python, [program, "cuda"], { encoding: "utf8" })) as Losses;
}

const lossesOf = async (ranks: Ranks, options: nn.parallel.DataParallelOptions) =>
  (await ranks.values(trainAsFixture, { device, options })).map(({ losses }) => losses);

const lacking = missing();
const name = `DistributedDataParallel on two processes on ${device}`;

describe.skipIf(lacking !== null)(lacking === null ? name : `${name} needs ${lacking}`, () => {
  let ranks: Ranks;
  let expected: Losses;
  const expectNearPyTorch = (losses: readonly (readonly number[])[], name: string): void => {
    for (const [rank, own] of losses.entries())
      for (const [step, loss] of own.entries())
        expect(loss, `rank ${rank}, step ${step}`).toBeCloseTo(expected[rank]![name]!.losses[step]!, 5);
  };
  beforeAll(async () => {
    expected = pytorchLosses();
    ranks = await Ranks.start(2);
    await ranks.values(({ distributed, cuda, rank, argument }) => {
      if (argument) cuda.setDevice(rank);
      distributed.initProcessGroup({ timeoutMs: 60_000 });
    }, isCuda);
  });
  afterAll(() => ranks?.stop());

  it.each(Object.entries(OPTIONS))("has PyTorch's losses: %s", async (name, options) => {
    expectNearPyTorch(await lossesOf(ranks, options), name);
  });

  // `test/lib/torch/distributed/staged.test.ts` has Metal's.
  it.skipIf(!isCuda)(`has them over gloo, two ranks on one GPU${isCuda ? "" : " (needs one)"}`, async () => {
    const sharing = await Ranks.start(2);
    await sharing.values(({ distributed }) => distributed.initProcessGroup({ backend: "gloo" }));
    expectNearPyTorch(await lossesOf(sharing, {}), "defaults");
    await sharing.stop();
  });

  it("trains the same with the optimizer's states divided among the ranks", async () => {
    const given = await ranks.values(({ torch, nn, optim, functional, distributed, rank, argument }) => {
      const on = torch.device(argument);
      const train = (isDivided: boolean): number[] => {
        torch.manualSeed(0);
        const model = new nn.Sequential(new nn.Linear(6, 16), new nn.Tanh(), new nn.Linear(16, 3)).to(on);
        const ddp = new nn.parallel.DistributedDataParallel(model);
        const optimizer = isDivided
          ? new distributed.optim.ZeroRedundancyOptimizer(ddp.parameters(), optim.Adam, { lr: 0.01 })
          : new optim.Adam(ddp.parameters(), { lr: 0.01 });
        const generator = new torch.Generator().manualSeed(100 + rank);
        for (let step = 0; step < 4; step++) {
          const x = torch.randn([8, 6], { generator }).to(on);
          const y = torch.randn([8, 3], { generator }).to(on);
          optimizer.zeroGrad();
          functional.mseLoss(ddp(x), y).backward();
          optimizer.step();
        }
        return ddp.parameters().flatMap((parameter) => parameter.detach().flatten().tolist() as number[]);
      };
      return { plain: train(false), divided: train(true) };
    }, device);
    for (const { plain, divided } of given) expect(divided).toEqual(plain);
    expect(given[0]!.plain).toEqual(given[1]!.plain);
  });

  // Tensors that go through the host are not repeated by a replay.
  it.skipIf(device === "mps")("trains the same in a captured step, collectives inside", async () => {
    const given = await ranks.values(({ torch, nn, optim, functional, rank, argument }) => {
      const on = torch.device(argument);
      const train = (isCaptured: boolean) => {
        torch.manualSeed(0);
        const model = new nn.Sequential(
          new nn.Linear(6, 16),
          new nn.BatchNorm1d(16),
          new nn.Tanh(),
          new nn.Linear(16, 3),
        ).to(on);
        const ddp = new nn.parallel.DistributedDataParallel(model, { bucketCapMb: 0.001 });
        const optimizer = new optim.AdamW(ddp.parameters(), { lr: 0.01 });
        const run = (x: Tensor, y: Tensor) => {
          optimizer.zeroGrad();
          const loss = functional.mseLoss(ddp(x), y);
          loss.backward();
          optimizer.step();
          return loss;
        };
        const step = isCaptured ? torch.capture(run, { checkEvery: 0 }) : run;
        const generator = new torch.Generator().manualSeed(100 + rank);
        const losses = Array.from({ length: 12 }, () => {
          const x = torch.randn([8, 6], { generator }).to(on);
          return step(x, torch.randn([8, 3], { generator }).to(on)).item() as number;
        });
        return { losses, replays: "replays" in step ? step.replays : 0 };
      };
      return [train(false), train(true)] as const;
    }, device);
    for (const [asEver, captured] of given) {
      expect(captured.replays).toBeGreaterThan(5);
      for (const [step, loss] of captured.losses.entries())
        expect(loss, `step ${step}`).toBeCloseTo(asEver.losses[step]!, 5);
    }
  });
});
