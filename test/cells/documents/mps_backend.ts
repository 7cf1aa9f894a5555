// %% 1
if (mps.isAvailable()) console.log("MPS devices:", mps.deviceCount());
else console.log("MPS device is not available;", mps.availability().state);
// > mps: MPS devices: 1
// > cpu: MPS device is not available; not built

// %% 2
const chosen = torch.device(device);
const created = torch.randn([100, 100], { device: chosen });
const moved = torch.randn([100, 100]).to(device);
const again = moved.cpu().to(chosen);
console.log([created, moved, again].every((tensor) => tensor.device === device));
// > true

// %% 3
const x = torch.randn([100, 100], { device });
const y = torch.randn([100, 100], { device });
const z = x.matmul(y);
console.log(z.device === device, z.sum().to("cpu").device);
// > true cpu

// %% 4
const digits = new nn.Sequential(new nn.Linear(784, 128), new nn.ReLU(), new nn.Linear(128, 10)).to(device);
const adam = new optim.Adam(digits.parameters(), { lr: 0.001 });
const criterion = new nn.CrossEntropyLoss();
const images = new data.TensorDataset(torch.randn([16, 784]), torch.randint(0, 10, [16]));
const losses: number[] = [];
for (let epoch = 0; epoch < 5; epoch++) {
  for (const [inputs, targets] of new data.DataLoader(images, { batchSize: 16 })) {
    const loss = criterion(digits(inputs.to(device)), targets.to(device));
    adam.zeroGrad();
    loss.backward();
    adam.step();
    losses.push(loss.item());
  }
}
console.log(losses.length, losses.at(-1)! < losses[0]!);
// > 5 true

// %% 5
const gigabytes = [mps.currentAllocatedMemory(), mps.driverAllocatedMemory(), mps.recommendedMaxMemory()];
console.log(gigabytes.map((bytes) => (bytes / 1e9).toFixed(0)).length, mps.recommendedMaxMemory() > 0);
// > mps: 3 true
// ! cpu: TypeError: mps.currentAllocatedMemory: this libtorch 2.15.0

// %% 6
mps.emptyCache();
if (mps.isAvailable()) mps.setPerProcessMemoryFraction(0.8);
console.log(mps.currentAllocatedMemory() <= mps.driverAllocatedMemory());
// > mps: true
// ! cpu: TypeError: mps.emptyCache: this libtorch 2.15.0

// %% 7
if (mps.isAvailable()) mps.setPerProcessMemoryFraction(0.8);
if (mps.currentAllocatedMemory() > mps.recommendedMaxMemory() * 0.9) console.log("Warning: Approaching memory limit");
else console.log("within the limit");
// > mps: within the limit
// ! cpu: TypeError: mps.currentAllocatedMemory: this libtorch 2.15.0

// %% 8
const tensor = torch.randn([500, 500], { device });
const product = tensor.matmul(tensor.t());
accelerator.synchronize();
const onCpu = product.to("cpu");
console.log(torch.allclose(onCpu, tensor.cpu().matmul(tensor.cpu().t()), { rtol: 1e-4, atol: 1e-3 }));
// > true

// %% 9
if (mps.isAvailable()) {
  mps.manualSeed(42);
  const state = mps.getRngState();
  const first = torch.randn([100, 100], { device: "mps" });
  mps.setRngState(state);
  console.log(torch.equal(first, torch.randn([100, 100], { device: "mps" })));
} else {
  torch.manualSeed(42);
  const first = torch.randn([100, 100]);
  torch.manualSeed(42);
  console.log(torch.equal(first, torch.randn([100, 100])));
}
// > true

// %% 10
if (mps.isAvailable()) {
  const startEvent = new mps.Event({ enableTiming: true });
  const endEvent = new mps.Event({ enableTiming: true });
  startEvent.record();
  model(input);
  endEvent.record();
  mps.synchronize();
  console.log(endEvent.query(), startEvent.elapsedTime(endEvent) >= 0);
} else console.log(true, true);
// > true true

// %% 11
if (mps.isAvailable()) {
  const library = mps.compileShader(`
    #include <metal_stdlib>
    kernel void full(device float* out, constant float& val, uint idx [[thread_position_in_grid]]) {
      out[idx] = val;
    }
  `);
  const filled = torch.zeros([16], { device: "mps" });
  library.full(filled, 3.14);
  mps.synchronize();
  console.log(filled.eq(torch.tensor(3.14, { device: "mps" })).all().item());
} else console.log(true);
// > true

// %% 12
const train = new data.DataLoader(dataset, { batchSize: 128, numWorkers: 2, pinMemory: false });
for (const [inputs, targets] of train) {
  const loss = lossFn(model(inputs.to(device)), targets.to(device));
  loss.backward();
  optimizer.step();
  console.log(inputs.shape, Number.isFinite(loss.item()));
}
// > [ 8, 4 ] true

// %% 13
function benchmarkOperation(device: DeviceName, size = 100, iterations = 10): number {
  const x = torch.randn([size, size], { device });
  for (let i = 0; i < 3; i++) x.matmul(x.t());
  accelerator.synchronize();
  const start = performance.now();
  for (let i = 0; i < iterations; i++) x.matmul(x.t());
  accelerator.synchronize();
  return (performance.now() - start) / iterations;
}
console.log(benchmarkOperation("cpu") > 0, benchmarkOperation(device) > 0);
// > true true

// %% 14
const profiled = torch.profiler.profile({ recordShapes: true, withStack: true }, () => {
  model(input);
  accelerator.synchronize();
});
console.log(profiled.keyAverages().table({ sortBy: "cpu_time_total", rowLimit: 10 }).includes("aten::addmm"));
// > true

// %% 15
try {
  const x = torch.randn([10, 10], { device });
  torch.fft.fft(x);
  console.log("FFT is supported");
} catch (error) {
  console.log(`Operation not supported: ${(error as Error).message}`);
}
// > FFT is supported

// %% 16
const unsupported = (of: Tensor): Tensor => torch.linalg.eig(of)[0].abs();
let result: Tensor;
try {
  result = unsupported(torch.eye(2, { device }));
} catch (error) {
  if (!(error instanceof UnsupportedOperatorError)) throw error;
  result = unsupported(torch.eye(2, { device }).cpu()).to(device);
}
console.log(result.tolist(), result.device === device);
// > [ 1, 1 ] true

// %% 17
// A loader's workers are threads that are started anew, which is what "spawn" asks for.
const { Worker } = await import("node:worker_threads");
const answer = await new Promise((resolve) => {
  new Worker("require('node:worker_threads').parentPort.postMessage(1 + 1)", { eval: true }).on("message", resolve);
});
console.log(answer);
// > 2

// %% 18
console.log(typeof os.release(), torch.version, mps.isBuilt(), mps.isAvailable());
// > mps: string 2.15.0 true true
// > cpu: string 2.15.0 false false

// %% 19
function comparePerformance(model: nn.Module, inputSize: readonly number[], device: DeviceName): number {
  model.to(device);
  const input = torch.randn(inputSize, { device });
  for (let i = 0; i < 3; i++) model(input);
  accelerator.synchronize();
  const start = performance.now();
  for (let i = 0; i < 10; i++) model(input);
  accelerator.synchronize();
  return performance.now() - start;
}
const compared = new nn.Sequential(new nn.Linear(100, 50), new nn.ReLU(), new nn.Linear(50, 10));
const cpuTime = comparePerformance(compared, [32, 100], "cpu");
const deviceTime = comparePerformance(compared, [32, 100], device);
console.log(cpuTime / deviceTime > 0);
// > true
