// Training steps of three small models, as ever and captured. On the CPU the smallest alone: there the others compute
// more than they launch.
import { accelerator, functional as F, nn, optim, torch, type Tensor } from "mpslab";

const device = torch.device(process.env["MPSLAB_DEVICE"] ?? "cpu");
const STEPS = 60;
const [WIDTH, HEADS, LENGTH, VOCABULARY, LAYERS, BATCH] = [128, 4, 64, 65, 4, 12];

class Attention extends nn.Module {
  readonly qkv = new nn.Linear(WIDTH, 3 * WIDTH, { bias: false });
  readonly out = new nn.Linear(WIDTH, WIDTH, { bias: false });

  override forward(x: Tensor): Tensor {
    const [batch] = x.shape as [number];
    const heads = this.qkv(x)
      .split(WIDTH, 2)
      .map((part) => part.view([batch, LENGTH, HEADS, WIDTH / HEADS]).transpose(1, 2));
    const attended = F.scaledDotProductAttention(heads[0]!, heads[1]!, heads[2]!, { isCausal: true });
    return this.out(attended.transpose(1, 2).contiguous().view([batch, LENGTH, WIDTH]));
  }
}

class Block extends nn.Module {
  readonly norm1 = new nn.LayerNorm(WIDTH);
  readonly attention = new Attention();
  readonly norm2 = new nn.LayerNorm(WIDTH);
  readonly dense = new nn.Sequential(
    new nn.Linear(WIDTH, 4 * WIDTH),
    new nn.GELU(),
    new nn.Linear(4 * WIDTH, WIDTH),
  );

  override forward(x: Tensor): Tensor {
    const attended = x.add(this.attention(this.norm1(x)));
    return attended.add(this.dense(this.norm2(attended)));
  }
}

class Gpt extends nn.Module {
  readonly tokens = new nn.Embedding(VOCABULARY, WIDTH);
  readonly positions = new nn.Embedding(LENGTH, WIDTH);
  readonly blocks = new nn.Sequential(...Array.from({ length: LAYERS }, () => new Block()));
  readonly norm = new nn.LayerNorm(WIDTH);
  readonly head = new nn.Linear(WIDTH, VOCABULARY, { bias: false });
  readonly places = new nn.Buffer(torch.arange(LENGTH));

  override forward(ids: Tensor): Tensor {
    return this.head(this.norm(this.blocks(this.tokens(ids).add(this.positions(this.places)))));
  }
}

/** Median milliseconds of a step that is waited for. */
function stepMs(step: () => Tensor): number {
  for (let i = 0; i < 15; i++) step().dispose();
  accelerator.synchronize(device);
  const times: number[] = [];
  for (let i = 0; i < STEPS; i++) {
    const start = performance.now();
    step().dispose();
    accelerator.synchronize(device);
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[STEPS / 2]!;
}

const figures: Record<string, number> = {};

function measure(
  name: string,
  model: nn.Layer,
  adam: typeof optim.Adam | typeof optim.AdamW,
  loss: () => Tensor,
): void {
  const optimizer = new adam(model.parameters(), { lr: 1e-3 });
  const step = () => {
    optimizer.zeroGrad();
    const value = loss();
    value.backward();
    optimizer.step();
    return value;
  };
  figures[`${name}, as ever, ms`] = stepMs(step);
  figures[`${name}, captured, ms`] = stepMs(torch.capture(step));
}

torch.manualSeed(0);
if (device !== "cpu") {
  const gpt = new Gpt().to(device);
  const [ids, next] = [0, 1].map(() => torch.randint(VOCABULARY, [BATCH, LENGTH]).to(device)) as [
    Tensor,
    Tensor,
  ];
  measure("nanoGPT", gpt as unknown as nn.Layer, optim.AdamW, () =>
    F.crossEntropy((gpt(ids) as Tensor).view([-1, VOCABULARY]), next.view([-1])),
  );
  const autoencoder = new nn.Sequential(
    new nn.Linear(784, 128),
    new nn.ReLU(),
    new nn.Linear(128, 16),
    new nn.ReLU(),
    new nn.Linear(16, 128),
    new nn.ReLU(),
    new nn.Linear(128, 784),
    new nn.Sigmoid(),
  ).to(device);
  const images = torch.rand([64, 784]).to(device);
  measure("autoencoder", autoencoder as unknown as nn.Layer, optim.Adam, () =>
    F.mseLoss(autoencoder(images), images),
  );
}
const tiny = new nn.Sequential(
  new nn.Linear(4, 64),
  new nn.Tanh(),
  new nn.Linear(64, 64),
  new nn.Tanh(),
  new nn.Linear(64, 2),
).to(device);
const state = torch.rand([1, 4]).to(device);
measure("4-64-64-2", tiny as unknown as nn.Layer, optim.Adam, () =>
  F.logSoftmax(tiny(state), -1).select(0, 0).select(0, 1).neg(),
);
console.log(JSON.stringify(figures));
