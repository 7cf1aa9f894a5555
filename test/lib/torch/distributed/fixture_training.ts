// The training of `test/fixtures/data_parallel.py` on one rank, for any device. A rank gets it as text: it sees its
// parameter only.
import type { nn } from "../../../../lib/index.ts";
import type { RankScope } from "./ranks.ts";

export interface FixtureTraining {
  readonly device: string;
  readonly options: nn.parallel.DataParallelOptions;
}

export interface Trained {
  /** The loss of each step. */
  readonly losses: readonly number[];
  /** The bytes of each parameter and buffer, in base64. */
  readonly after: Readonly<Record<string, string>>;
}

/** The options whose results the fixture keeps, by their names in it. */
export const OPTIONS: Readonly<Record<string, nn.parallel.DataParallelOptions>> = {
  defaults: {},
  "small buckets": { bucketCapMb: 0.001 },
  gradientAsBucketView: { gradientAsBucketView: true },
  findUnusedParameters: { findUnusedParameters: true },
};

export function trainAsFixture({
  torch,
  nn,
  optim,
  functional,
  rank,
  argument,
}: RankScope<FixtureTraining>): Trained {
  const on = torch.device(argument.device);
  torch.setNumThreads(1);
  torch.manualSeed(rank);
  const model = new nn.Sequential(
    new nn.Linear(6, 16),
    new nn.Tanh(),
    new nn.BatchNorm1d(16),
    new nn.Linear(16, 3),
  ).to(on);
  const ddp = new nn.parallel.DistributedDataParallel(model, argument.options);
  const optimizer = new optim.SGD(ddp.parameters(), { lr: 0.1, momentum: 0.9 });
  const generator = new torch.Generator().manualSeed(100 + rank);
  const losses = Array.from({ length: 6 }, (_, step) => {
    const x = torch.randn([8, 6], { generator }).to(on);
    const y = torch.randn([8, 3], { generator }).to(on);
    optimizer.zeroGrad();
    let part = [x, y] as const;
    if (step === 3) {
      ddp.noSync(() => functional.mseLoss(ddp(x.narrow(0, 0, 4)), y.narrow(0, 0, 4)).backward());
      part = [x.narrow(0, 4, 4), y.narrow(0, 4, 4)];
    }
    const loss = functional.mseLoss(ddp(part[0]), part[1]);
    loss.backward();
    optimizer.step();
    return loss.item() as number;
  });
  const after = Object.entries(ddp.stateDict()).map(([key, tensor]) => {
    const array = tensor.cpu().data();
    return [key, Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64")];
  });
  return { losses, after: Object.fromEntries(after) as Record<string, string> };
}
