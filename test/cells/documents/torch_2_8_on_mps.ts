// %% 1
if (mps.isAvailable()) {
  mps.setPerProcessMemoryFraction(0.75);
  console.log(`Allocated: ${(mps.currentAllocatedMemory() / 1024 ** 2).toFixed(0)} MB`);
  console.log(mps.driverAllocatedMemory() >= mps.currentAllocatedMemory());
  mps.emptyCache();
} else {
  console.log("Allocated: 0 MB\ntrue");
}
// > Allocated: 0 MB
// > true

// %% 2
const tags: string[] = [];
const sizes: number[] = [];
function logMemory(tag = "") {
  tags.push(tag);
  sizes.push(lab.mark(tag).sample.allocatedBytes);
}
logMemory("Before forward pass");
const output = model(input);
logMemory("After forward pass");
lossFn(output, target).backward();
logMemory("After backward pass");
console.log(tags.join(", "), sizes[1]! > sizes[0]!, sizes[2]! > sizes[0]!);
// > Before forward pass, After forward pass, After backward pass true true

// %% 3
// The document's step by hand is what step() does by itself.
const scaler = new amp.GradScaler();
let steps = 0;
for (const [inputs, targets] of loader) {
  const loss = torch.autocast({ deviceType: device, dtype: device === "cpu" ? "bfloat16" : "float16" }, () =>
    lossFn(model(inputs.to(device)), targets.to(device)),
  );
  scaler.scale(loss).backward();
  scaler.unscale_(optimizer);
  const areFinite = model.parameters().every(({ grad }) => grad === null || grad.isfinite().all().item());
  if (areFinite) {
    scaler.step(optimizer);
    steps++;
  } else console.log("Skipping step due to bad gradients");
  scaler.update();
  optimizer.zeroGrad();
}
console.log(steps);
// > 2

// %% 4
const effectiveBatchSize = 32;
const microBatchSize = 8;
const steps4 = effectiveBatchSize / microBatchSize;
const attention = new nn.MultiheadAttention(16, 2, { batchFirst: true }).to(device);
const sequences = torch.randn([effectiveBatchSize, 5, 16]).to(device);
const whole = attention(sequences, sequences, sequences)[0].square().mean();
whole.backward();
const gradient = attention.outProj.weight.grad!.clone();
attention.zeroGrad();
for (const part of sequences.split(microBatchSize))
  attention(part, part, part)[0].square().mean().div(steps4).backward();
console.log(torch.allclose(gradient, attention.outProj.weight.grad!, { atol: 1e-6 }));
// > true

// %% 5
const volume = torch.randn([2, 3, 4, 4, 4], { device });
console.log(new nn.InstanceNorm3d(3).to(device)(volume).shape);
const layerNorm = new nn.LayerNorm(4).to(device);
const x5 = torch.randn([2, 4], { device }).mul(1e-3);
const small = layerNorm(x5);
layerNorm.eps = 1;
console.log(layerNorm(x5).abs().max().item() < small.abs().max().item() / 100);
const safe = new mps.workarounds.SafeLayerNorm(4).to(device);
console.log(torch.allclose(safe(x5).cpu(), new nn.LayerNorm(4)(x5.cpu())));
// > [ 2, 3, 4, 4, 4 ]
// > true
// > true

// %% 6
const sparse = torch.sparseCooTensor(torch.tensor([[0, 1], [1, 0]]), torch.tensor([0.5, 0.25]), [2, 2]);
function sparseMatmulSafe(sparse: Tensor, dense: Tensor): Tensor {
  return sparse.device === "mps" ? sparse.cpu().matmul(dense.cpu()).to("mps") : sparse.matmul(dense);
}
const dense = torch.eye(2, { device });
const onDevice = sparse.toDense().to(device).matmul(dense);
console.log(onDevice.tolist(), torch.equal(sparseMatmulSafe(sparse, dense.cpu()), onDevice.cpu()));
// > [ [ 0, 0.5 ], [ 0.25, 0 ] ] true

// %% 7
const x7 = torch.ones([2], { device });
const y7 = torch.ones([2], { device });
const sum = x7.add(y7);
console.log(sum.tolist(), x7.tolist(), x7.add_(y7).tolist());
// > [ 2, 2 ] [ 1, 1 ] [ 2, 2 ]

// %% 8
const retried = mps.retryOnOutOfMemory(() => model(input));
console.log(retried.shape);
// > [ 4, 3 ]

// %% 9
const profile9 = torch.profiler.profile({}, () => {
  torch.profiler.recordFunction("model_inference", () => model(input));
});
const table9 = profile9.keyAverages().table({ sortBy: "cpu_time_total", rowLimit: 10 });
console.log(table9.includes("model_inference"), table9.includes("aten::linear"));
// > true true

// %% 10
// Not `param.data = param.data.float()`: a parameter stays the tensor that its optimizer knows.
const doubles = new nn.Linear(2, 2).to("float64");
if (doubles.parameters().some(({ dtype }) => dtype === "float64")) doubles.float();
console.log(doubles.weight.dtype, doubles.to(device)(torch.ones([1, 2], { device })).dtype);
// > float32 float32

// %% 11
const workers = new data.DataLoader(dataset, {
  batchSize: 32,
  pinMemory: false,
  numWorkers: Math.min(os.cpus().length, 8),
});
for (const [inputs] of workers) console.log(inputs.shape);
// > [ 8, 4 ]

// %% 12
function processBatch(images: Tensor): Tensor {
  const processed = images.cpu();
  return torch.noGrad(() => model(processed.to(device)).cpu());
}
console.log(processBatch(inputs).device, processBatch(inputs).requiresGrad);
// > cpu false
