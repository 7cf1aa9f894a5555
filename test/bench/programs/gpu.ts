// On a GPU: what queuing one operator costs the host, a training step of ViT-tiny, and what memory is left after a flush.
import { accelerator, functional as F, lab, nn, optim, torch, type Tensor } from "mpslab";

const device = torch.device(process.env["MPSLAB_DEVICE"] ?? "cuda");
const CALLS = 500;
const ROUNDS = 60;
const BATCH_SIZE = 128;
const STEPS = 20;

/** Host time for one queued operator, once compiled; the queue is drained between the rounds, so that it never fills. */
function launchNs(call: () => unknown): number {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < CALLS; i++) call();
    rounds.push(Number(process.hrtime.bigint() - start) / CALLS);
    accelerator.synchronize(device);
  }
  return rounds.slice(ROUNDS / 2).toSorted((a, b) => a - b)[ROUNDS / 4]!;
}

class Block extends nn.Module {
  readonly norm1 = new nn.LayerNorm(192);
  readonly qkv = new nn.Linear(192, 3 * 192);
  readonly proj = new nn.Linear(192, 192);
  readonly norm2 = new nn.LayerNorm(192);
  readonly fc1 = new nn.Linear(192, 768);
  readonly fc2 = new nn.Linear(768, 192);

  override forward(x: Tensor): Tensor {
    const [batch, tokens] = x.shape as [number, number, number];
    const [q, k, v] = this.qkv(this.norm1(x))
      .view([batch, tokens, 3, 3, 64])
      .permute([2, 0, 3, 1, 4])
      .unbind(0);
    const attention = F.scaledDotProductAttention(q!, k!, v!).transpose(1, 2).reshape([batch, tokens, 192]);
    const attended = x.add(this.proj(attention));
    return attended.add(this.fc2(F.gelu(this.fc1(this.norm2(attended)))));
  }
}

class VisionTransformer extends nn.Module {
  readonly patches = new nn.Conv2d(3, 192, 16, { stride: 16 });
  readonly token = new nn.Parameter(torch.zeros([1, 1, 192]));
  readonly positions = new nn.Parameter(torch.randn([1, 197, 192]).mul(0.02));
  readonly blocks = Array.from({ length: 12 }, () => new Block());
  readonly norm = new nn.LayerNorm(192);
  readonly head = new nn.Linear(192, 1000);

  override forward(images: Tensor): Tensor {
    const patches = this.patches(images).flatten(2).transpose(1, 2);
    let x = torch.cat([this.token.expand([images.shape[0]!, -1, -1]), patches], 1).add(this.positions);
    for (const block of this.blocks) x = block(x);
    return this.head(this.norm(x).select(1, 0));
  }
}

function trainingStepMs(): number {
  const model = new VisionTransformer().to(device);
  const optimizer = new optim.AdamW(model.parameters(), { lr: 1e-4 });
  const images = torch.randn([BATCH_SIZE, 3, 224, 224]).to(device);
  const labels = torch.randint(0, 1000, [BATCH_SIZE], { dtype: "int64" }).to(device);
  const step = () => {
    optimizer.zeroGrad();
    F.crossEntropy(model(images), labels).backward();
    optimizer.step();
  };
  for (let i = 0; i < 5; i++) step();
  accelerator.synchronize(device);
  const start = performance.now();
  for (let i = 0; i < STEPS; i++) step();
  accelerator.synchronize(device);
  return (performance.now() - start) / STEPS;
}

torch.manualSeed(0);
const x = torch.randn([1024]).to(device);
const y = torch.randn([1024]).to(device);
const a = torch.randn([64, 64]).to(device);
const figures: Record<string, number> = {
  "launch add, ns": launchNs(() => x.add(y)),
  "launch mul, ns": launchNs(() => x.mul(y)),
  "launch relu, ns": launchNs(() => x.relu()),
  "launch mm, ns": launchNs(() => a.mm(a)),
  "launch sum, ns": launchNs(() => x.sum()),
  "launch view, ns": launchNs(() => a.view([4096])),
};
figures["ViT-tiny training step, ms"] = trainingStepMs();
lab.flush();
figures["allocated after the flush, MB"] = accelerator.memoryAllocated(device) / 1e6;
figures["reserved after the flush, MB"] = accelerator.memoryReserved(device) / 1e6;
console.log(JSON.stringify(figures));
