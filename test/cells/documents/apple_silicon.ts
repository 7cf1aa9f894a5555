// %% 1
const [batch, tokens, features] = [32, 128, 768];
const batchBytes = batch * tokens * features * 4;
console.log("shape:", [batch, tokens, features]);
console.log(`one float32 batch: ${(batchBytes / 1024 ** 2).toFixed(1)} MiB`, batchBytes === lab.budget([batch, tokens, features], "float32"));
// > shape: [ 32, 128, 768 ]
// > one float32 batch: 12.0 MiB true

// %% 2
const x = torch.arange(6, { dtype: "float32" }).reshape([2, 3]).to(device);
const y = new nn.Linear(3, 2).to(device)(x);
console.log("mps built:", mps.isBuilt(), "available:", mps.isAvailable(), "output shape:", y.shape);
// > mps: mps built: true available: true output shape: [ 2, 2 ]
// > cpu: mps built: false available: false output shape: [ 2, 2 ]

// %% 3
let classifier = new nn.Linear(768, 3).to(device);
const ticketBatch = torch.randn([32, 128, 768]).to(device);
const ticketVectors = ticketBatch.mean(1);
const logits = classifier(ticketVectors);
const ofModel = classifier.parameters()[0]!.device;
console.log("model and batch agree:", ofModel === ticketBatch.device, "logits shape:", logits.shape);
// > model and batch agree: true logits shape: [ 32, 3 ]

// %% 4
const sgd = new optim.SGD(classifier.parameters(), { lr: 0.1 });
const labels = torch.tensor([0, 2, 1, 0], { device });
const weightsBefore = classifier.weight.detach().clone();
sgd.zeroGrad();
const loss = functional.crossEntropy(classifier(ticketVectors.narrow(0, 0, 4)), labels);
loss.backward();
sgd.step();
console.log("weights changed:", !torch.equal(weightsBefore, classifier.weight.detach()), Number.isFinite(loss.item()));
// > weights changed: true true

// %% 5
function requireSameDevice(modelDevice: torch.Device, batch: Tensor): void {
  if (batch.device !== modelDevice)
    throw new Error(`batch device does not match model device ${modelDevice}`);
}
try {
  requireSameDevice(torch.device("mps"), torch.randn([8, 4], { device: "cpu" }));
} catch (error) {
  console.log("caught:", (error as Error).message);
}
// > mps: caught: batch device does not match model device mps
// > cpu: caught: The device mps is not available here; cpu is.

// %% 6
const path = ["host batch", "mps forward", "fallback op", "mps classifier", "host log"];
const backends = path.map((stage) => stage.split(" ")[0]);
console.log("backend changes:", backends.slice(1).filter((backend, i) => backend !== backends[i]).length);
// > backend changes: 4

// %% 7
const a = torch.randn([256, 256], { device });
const w = torch.randn([256, 256], { device });
for (let i = 0; i < 3; i++) a.matmul(w);
accelerator.synchronize();
const start = performance.now();
for (let i = 0; i < 10; i++) a.matmul(w);
accelerator.synchronize();
console.log("elapsed is positive:", performance.now() - start > 0);
// > elapsed is positive: true

// %% 8
const reported = torch.tensor(2.5, { device }).detach().cpu().item();
console.log(`reported loss: ${reported.toFixed(1)}`);
// > reported loss: 2.5

// %% 9
if (mps.isAvailable()) {
  const before = mps.currentAllocatedMemory();
  const ones = torch.ones([1024, 1024], { device: "mps" });
  console.log("live tensor allocation increased:", mps.currentAllocatedMemory() > before, mps.recommendedMaxMemory() > 0);
  ones.dispose();
  mps.emptyCache();
} else console.log("MPS allocator counters need an available mps device");
// > mps: live tensor allocation increased: true true
// > cpu: MPS allocator counters need an available mps device

// %% 10
const baseline = 32 * 128;
for (const [label, batch, tokens] of [["baseline", 32, 128], ["half batch", 16, 128], ["half length", 32, 64]] as const)
  console.log(`${label.padEnd(11)}: ${(100 * batch * tokens) / baseline}% of token positions`);
// > baseline   : 100% of token positions
// > half batch : 50% of token positions
// > half length: 50% of token positions
