// Training steps of small models, forward, backward and Adam: what PyTorch's fused operators carry, from TypeScript.
// `models.js LSTM` runs one of them alone, for a profiler.
import { functional as F, nn, optim, torch, type Tensor } from "mpslab";

torch.setNumThreads(2);

class Lstm extends nn.Module {
  readonly lstm = new nn.LSTM(64, 128, { numLayers: 2, batchFirst: true });
  readonly head = new nn.Linear(128, 10);

  override forward(x: Tensor): Tensor {
    return this.head(this.lstm(x)[0].select(1, -1));
  }
}

class TransformerBlock extends nn.Module {
  readonly block = new nn.TransformerEncoderLayer(128, 4, {
    dimFeedforward: 256,
    dropout: 0,
    batchFirst: true,
  });
  readonly head = new nn.Linear(128, 10);

  override forward(x: Tensor): Tensor {
    return this.head(this.block(x).mean(1));
  }
}

/** ViT-Ti/4 (Touvron et al., arXiv:2012.12877) for pictures of 32 x 32. */
class VisionTransformer extends nn.Module {
  readonly patches = new nn.Conv2d(3, 192, 4, { stride: 4 });
  readonly classToken = new nn.Parameter(torch.zeros([1, 1, 192]));
  readonly positions = new nn.Parameter(torch.zeros([1, 65, 192]));
  readonly blocks = new nn.ModuleList(
    Array.from(
      { length: 12 },
      () =>
        new nn.TransformerEncoderLayer(192, 3, {
          dimFeedforward: 768,
          dropout: 0,
          activation: "gelu",
          batchFirst: true,
          normFirst: true,
        }),
    ),
  );
  readonly norm = new nn.LayerNorm(192);
  readonly head = new nn.Linear(192, 10);

  override forward(x: Tensor): Tensor {
    const tokens = this.patches(x).flatten(2).transpose(1, 2);
    let y = torch.cat([this.classToken.expand([x.shape[0]!, -1, -1]), tokens], 1).add(this.positions);
    for (const block of this.blocks) y = block(y);
    return this.head(this.norm(y.select(1, 0)));
  }
}

const mlp = () => new nn.Sequential(new nn.Linear(784, 512), new nn.ReLU(), new nn.Linear(512, 10));

const cnn = () =>
  new nn.Sequential(
    new nn.Conv2d(1, 16, 3, { padding: 1 }),
    new nn.ReLU(),
    new nn.MaxPool2d(2),
    new nn.Conv2d(16, 32, 3, { padding: 1 }),
    new nn.ReLU(),
    new nn.MaxPool2d(2),
    new nn.Flatten(),
    new nn.Linear(32 * 7 * 7, 10),
  );

const MODELS: Record<string, [make: () => nn.Layer, shape: number[]]> = {
  "MLP step, ms": [mlp, [512, 784]],
  "CNN step, ms": [cnn, [64, 1, 28, 28]],
  "LSTM step, ms": [() => new Lstm(), [32, 24, 64]],
  "transformer block step, ms": [() => new TransformerBlock(), [16, 32, 128]],
  "ViT-tiny step, ms": [() => new VisionTransformer(), [8, 3, 32, 32]],
};

const medians: Record<string, number> = {};
const wanted = process.argv[2] ?? "";
for (const [name, [make, shape]] of Object.entries(MODELS).filter(([model]) => model.startsWith(wanted))) {
  torch.manualSeed(0);
  const model = make();
  const optimizer = new optim.Adam(model.parameters());
  const x = torch.randn(shape);
  const target = torch.randint(0, 10, [shape[0]!], { dtype: "int64" });
  const stepMs: number[] = [];
  for (let step = 0; step < 60; step++) {
    const start = performance.now();
    optimizer.zeroGrad();
    const loss = F.crossEntropy(model(x), target);
    loss.backward();
    optimizer.step();
    stepMs.push(performance.now() - start);
  }
  stepMs.sort((a, b) => a - b);
  medians[name] = stepMs[stepMs.length >> 1]!;
}
console.log(JSON.stringify(medians));
