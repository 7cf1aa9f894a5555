// Training steps of a ResNet-18 and of a nanoGPT with DistributedDataParallel on one GPU a process: the twin of
// data_parallel_gpu.py. The environment says which rank it is, as torchrun's does.
import { cuda, functional as F, nn, optim, torch, type Tensor } from "mpslab";
import { Gpt } from "./gpt.ts";

const { distributed } = torch;
const [STEPS, CHUNKS, WARM_UP] = [10, 5, 15];
const [LENGTH, VOCABULARY] = [256, 50304];
const SIZE = { width: 768, heads: 12, length: LENGTH, vocabulary: VOCABULARY, layers: 12 };
const [SEQUENCES, IMAGES, CLASSES] = [8, 32, 1000];

class BasicBlock extends nn.Module {
  readonly conv1: nn.Conv2d;
  readonly bn1: nn.BatchNorm2d;
  readonly conv2: nn.Conv2d;
  readonly bn2: nn.BatchNorm2d;
  readonly downsample: nn.Sequential | null;

  constructor(inputs: number, outputs: number, stride: number) {
    super();
    this.conv1 = new nn.Conv2d(inputs, outputs, 3, { stride, padding: 1, bias: false });
    this.bn1 = new nn.BatchNorm2d(outputs);
    this.conv2 = new nn.Conv2d(outputs, outputs, 3, { padding: 1, bias: false });
    this.bn2 = new nn.BatchNorm2d(outputs);
    this.downsample =
      stride === 1
        ? null
        : new nn.Sequential(
            new nn.Conv2d(inputs, outputs, 1, { stride, bias: false }),
            new nn.BatchNorm2d(outputs),
          );
  }

  override forward(x: Tensor): Tensor {
    const out = this.bn2(this.conv2(F.relu(this.bn1(this.conv1(x)))));
    return F.relu(out.add(this.downsample === null ? x : this.downsample(x)));
  }
}

const resnet18 = (): nn.Sequential =>
  new nn.Sequential(
    new nn.Conv2d(3, 64, 7, { stride: 2, padding: 3, bias: false }),
    new nn.BatchNorm2d(64),
    new nn.ReLU(),
    new nn.MaxPool2d(3, { stride: 2, padding: 1 }),
    ...[
      [64, 64, 1],
      [64, 64, 1],
      [64, 128, 2],
      [128, 128, 1],
      [128, 256, 2],
      [256, 256, 1],
      [256, 512, 2],
      [512, 512, 1],
    ].map(([inputs, outputs, stride]) => new BasicBlock(inputs!, outputs!, stride!)),
    new nn.AdaptiveAvgPool2d(1),
    new nn.Flatten(),
    new nn.Linear(512, CLASSES),
  );

/** Median over the chunks of the milliseconds of a step. The host waits after each chunk. */
function stepMs(step: () => void): number {
  for (let i = 0; i < WARM_UP; i++) step();
  cuda.synchronize();
  const times = Array.from({ length: CHUNKS }, () => {
    const start = performance.now();
    for (let i = 0; i < STEPS; i++) step();
    cuda.synchronize();
    return (performance.now() - start) / STEPS;
  });
  return times.toSorted((a, b) => a - b)[CHUNKS >> 1]!;
}

function measure(model: nn.Module, dtype: "float32" | "bfloat16", loss: (model: nn.Layer) => Tensor): number {
  const ddp = new nn.parallel.DistributedDataParallel(model.to("cuda")) as unknown as nn.Layer;
  const optimizer = new optim.AdamW(ddp.parameters(), { lr: 1e-4 });
  return stepMs(() => {
    torch.tidy(() => {
      optimizer.zeroGrad();
      const value =
        dtype === "float32"
          ? loss(ddp)
          : torch.autocast({ deviceType: "cuda", dtype: "bfloat16" }, () => loss(ddp));
      value.backward();
      optimizer.step();
    });
  });
}

function rank(): Record<string, number> {
  const number = Number(process.env["RANK"]);
  cuda.setDevice(number);
  distributed.initProcessGroup({ backend: "nccl", deviceId: `cuda:${number}`, timeoutMs: 60_000 });
  torch.manualSeed(0);
  const images = torch.rand([IMAGES, 3, 224, 224]).to("cuda");
  const labels = torch.randint(CLASSES, [IMAGES]).to("cuda");
  const ids = torch.randint(VOCABULARY, [SEQUENCES, LENGTH]).to("cuda");
  const next = torch.randint(VOCABULARY, [SEQUENCES * LENGTH]).to("cuda");
  const figures: Record<string, number> = {};
  for (const dtype of ["float32", "bfloat16"] as const) {
    figures[`ResNet-18, ${dtype}, ms`] = measure(resnet18(), dtype, (model) =>
      F.crossEntropy(model(images), labels),
    );
    figures[`nanoGPT, ${dtype}, ms`] = measure(new Gpt(SIZE), dtype, (model) =>
      F.crossEntropy(model(ids).view([-1, VOCABULARY]), next),
    );
  }
  distributed.destroyProcessGroup();
  return figures;
}

console.log(JSON.stringify(rank()));
