// %% 1
// Option 1: the variables stand above the import, as in the document.
process.env.PYTORCH_MPS_HIGH_WATERMARK_RATIO = "1.5";
process.env.PYTORCH_MPS_LOW_WATERMARK_RATIO = "1.2";
import { mps } from "mpslab";
// Option 2: the function.
if (mps.isAvailable()) mps.setPerProcessMemoryFraction(0.9);
console.log(process.env.PYTORCH_MPS_HIGH_WATERMARK_RATIO, process.env.PYTORCH_MPS_LOW_WATERMARK_RATIO);
// > 1.5 1.2

// %% 2
let large: Tensor | null = torch.ones([1024, 1024], { device });
large.dispose();
const before = mps.driverAllocatedMemory();
mps.emptyCache();
console.log(mps.driverAllocatedMemory() <= before);
// > mps: true
// ! cpu: TypeError: mps.driverAllocatedMemory: this libtorch 2.15.0

// %% 3
lossOf(model(inputs.to(device))).backward();
for (const param of model.parameters()) param.grad = null;
console.log(model.parameters().map((param) => param.grad));
// > [ null, null ]

// %% 4
class Checkpointed extends nn.Module {
  expensive = new nn.Sequential(new nn.Linear(4, 4), new nn.Tanh());
  forward(x: Tensor): Tensor {
    return torch.checkpoint((x) => this.expensive(x), [x]);
  }
}
const checkpointed = new Checkpointed().to(device);
const leaf = inputs.to(device).requiresGrad_();
checkpointed(leaf).sum().backward();
const own = leaf.grad!.clone();
leaf.grad = null;
checkpointed.expensive(leaf).sum().backward();
console.log(torch.equal(own, leaf.grad!));
// > true

// %% 5
// Accumulated gradients are those of the large batch.
optimizer.zeroGrad();
for (const [inputs, targets] of loader) {
  const loss = lossFn(model(inputs.to(device)), targets.to(device));
  loss.div(accumulationSteps).backward();
}
const accumulated = model.parameters()[0]!.grad!.clone();
optimizer.zeroGrad();
lossFn(model(dataset.tensors[0].to(device)), dataset.tensors[1].to(device)).backward();
console.log(torch.allclose(accumulated, model.parameters()[0]!.grad!, { atol: 1e-6 }));
optimizer.step();
// > true

// %% 6
const half = new nn.Sequential(new nn.Linear(4, 3)).to(device, "float16");
torch.autocast({ deviceType: device, dtype: "float16", enabled: false }, () => {
  const outputs = half(inputs.to("float16").to(device));
  lossFn(outputs, targets.to(device)).backward();
  console.log(outputs.dtype, half.parameters()[0]!.grad!.dtype);
});
// > float16 float16

// %% 7
const modelData = torch.load("model.pt", { mapLocation: "cpu" }) as Record<string, Tensor>;
for (const [key, value] of Object.entries(modelData))
  modelData[key] = (value.dtype === "float64" ? value.float() : value).to(device);
console.log(modelData.weight!.dtype, modelData.weight!.device === device);
// > float32 true

// %% 8
const batches = new data.DataLoader(dataset, { batchSize: 32 });
for (const [inputs] of batches) {
  const moved = inputs.to(device, { nonBlocking: true });
  console.log(moved.shape, torch.equal(moved.cpu(), inputs));
}
// > [ 8, 4 ] true

// %% 9
process.env.PYTORCH_ENABLE_MPS_FALLBACK = "1";
import { torch as again } from "mpslab";
console.log(again.linalg.svdvals(torch.eye(2, { device })).tolist());
// > [ 1, 1 ]

// %% 10
%env PYTORCH_MPS_LOG_LEVEL=1
// ! MagicError: PyTorch has no variable PYTORCH_MPS_LOG_LEVEL; for mps it reads

// %% 11
mps.profiler.profile({ mode: "interval", waitUntilCompleted: true }, () => {
  console.log(model(inputs.to(device)).shape);
});
// > mps: [ 4, 3 ]
// ! cpu: TypeError: mps.profiler.start: this libtorch 2.15.0

// %% 12
if (mps.profiler.isMetalCaptureEnabled()) mps.profiler.metalCapture("capture.gputrace", () => model(inputs.to(device)));
console.log(mps.profiler.isMetalCaptureEnabled());
// > mps: false
// ! cpu: TypeError: mps.profiler.isMetalCaptureEnabled: this libtorch 2.15.0

// %% 13
torch.compile(model, { backend: "mps" });
// ! UnavailableError: torch.compile is not available
