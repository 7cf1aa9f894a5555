// The claims of the notes on PyTorch 2.8, `documents/torch_2_8_on_mps.txt`, in the order of its lines.
import { firstWithKernel } from "./releases.ts";
import type { Claims } from "./claims.ts";

export const torch28OnMps = {
  "lstm-leak": {
    claim: "The leak of LSTMs is mended",
    quote: "Previous memory leak issues in 2.7 have been resolved",
    instead: "memory grows here",
  },
  convolutions: {
    claim: "Convolutions run forward and backward on the device",
    quote: "Forward and backward passes work reliably",
  },
  "silu-and-gelu": {
    claim: "SiLU and GELU run on the device",
    quote: "SiLU and GELU work correctly",
  },
  complex: {
    claim: "Basic operations with complex tensors run on the device",
    quote: "Basic operations with complex tensors are functional",
  },
  "transfers-are-reliable": {
    claim: "Copies to the device and back are right",
    quote: "Data transfer between CPU and MPS is reliable",
    instead: "they are not, here",
  },
  quantization: {
    claim: "Basic quantization works",
    quote: "Basic quantization functionality works",
    instead: "quantized tensors have no kernels for MPS; products of int8 and int4 weights do",
    reading:
      "quantized tensors, PyTorch's own meaning of the word; the document names no call. Of int8 and int4 weights in float products it is right",
  },
  "transformer-batches": {
    claim: "Transformers have issues when the batch grows",
    quote: "Issues with batch scaling in transformer models",
    instead: "a batch gives what its parts give here",
  },
  sgn: {
    claim: "sgn has problems",
    quote: "Some operations (sgn,",
  },
  logdet: {
    claim: "logdet has problems",
    quote: "logdet, matrix_exp)",
  },
  "matrix-exp": {
    claim: "matrix_exp has problems",
    quote: "matrix_exp) still have problems",
    changed: {
      version: firstWithKernel("_compute_linear_combination"),
      source: "pytorch/pytorch#187764; native_functions.yaml of the wheels",
    },
  },
  "layer-norm": {
    claim: "LayerNorm needs improvement",
    quote: "LayerNorm and BatchNorm3d implementations need improvements",
    instead: "it agrees with the CPU here",
  },
  "sparse-basic": {
    claim: "Basic sparse operations show issues",
    quote: "Both basic and advanced sparse tensor operations show issues",
    changed: {
      version: firstWithKernel("_sparse_coo_tensor_with_dims_and_tensors"),
      source: "pytorch/pytorch#157238; native_functions.yaml of the wheels",
    },
  },
  "sparse-advanced": {
    claim: "Advanced sparse operations show issues",
    quote: "advanced sparse tensor operations",
    instead: "they work",
  },
  "in-place": {
    claim: "add_ and mul_ are unreliable",
    quote: "Operations like add_ and mul_ have reliability issues",
    instead: "they agree with the CPU here",
  },
  "driver-is-cached": {
    claim: "driver_allocated_memory() is what is cached",
    quote: 'print(f"Cached: {torch.mps.driver_allocated_memory()',
    instead: "it is the total; the cache is the difference to current_allocated_memory()",
  },
  "import-from-amp": {
    claim: "autocast and GradScaler are in torch.amp",
    quote: "# Import from torch.amp (not torch.cuda.amp)",
  },
  "scaler-without-a-device": {
    claim: "GradScaler() needs no device",
    quote: "# Initialize scaler (no device_type needed now)",
    instead: 'without CUDA it warns and does nothing: write GradScaler("mps")',
  },
  "autocast-float16": {
    claim: "autocast runs the forward in float16",
    quote: 'with autocast(device_type="mps", dtype=torch.float16):',
  },
  "bad-gradients": {
    claim: "A step with infinite gradients must be left out by hand",
    quote: "# Gradient checking (important for stability)",
    instead: "scaler.step() leaves it out, and update() halves the scale",
    reading:
      "without the check such a step would be taken. As a check that only prints, beside one that is built in, it does no harm",
  },
  "accumulation-steps": {
    claim: "A batch of 32 is four batches of 8",
    quote: "accumulation_steps = effective_batch_size // micro_batch_size",
  },
  "prefer-multiples-of-8": {
    claim: "Sizes that are multiples of 8 are faster",
    quote: "(prefer multiples of 8)",
    instead: "rounding up does not pay here",
  },
  "multiples-of-8": {
    claim: "512 is a multiple of 8, and 768 is none",
    quote: "attention_dim = 512  # Instead of 768, for example",
    instead: "both are",
  },
  "batch-norm-3d": {
    claim: "BatchNorm3d needs a replacement",
    quote: "# 1. Use Instance Normalization as an alternative to BatchNorm3D",
    instead: "it agrees with the CPU here",
  },
  "slightly-larger-eps": {
    claim: "An eps of 1e-5 is slightly larger",
    quote: "# Initialize with slightly larger eps",
    instead: "the line sets what is set already",
  },
  "eps-default": {
    claim: "The eps of LayerNorm is 1e-5 by default",
    quote: "Default is 1e-5, try 1e-4 if having issues",
  },
  "safe-layer-norm": {
    claim: "A norm on the CPU gives its result back to the device",
    quote: "return self.norm(x.cpu()).to(device)",
  },
  "sparse-product": {
    claim: "A sparse product must go to the CPU",
    quote: "# 1. Move operations to CPU when needed",
    changed: { version: firstWithKernel("addmm"), source: "native_functions.yaml of the wheels" },
  },
  "dense-representation": {
    claim: "A dense representation gives the same product",
    quote: "result = torch.matmul(dense_representation, dense)",
  },
  "oom-text": {
    claim: 'The error of a shortage has "out of memory" in its text',
    quote: 'if "out of memory" in str(e).lower():',
  },
  "yield-twice": {
    claim: "A context manager that yields twice tries again",
    quote: "yield  # Try once more",
    instead: "a block runs once; mps.retryOnOutOfMemory(run) takes a function",
  },
  "record-function": {
    claim: "A named block stands in the profiler's table",
    quote: 'with record_function("model_inference"):',
  },
  "log-level-memory": {
    claim: "PYTORCH_MPS_LOG_LEVEL=3 logs memory",
    quote: 'os.environ["PYTORCH_MPS_LOG_LEVEL"] = "3"',
    instead: "PYTORCH_DEBUG_MPS_ALLOCATOR logs what the allocator does",
  },
  cnns: {
    claim: "CNNs train: ResNet",
    quote: "Most reliable, especially ResNet and EfficientNet variants",
    instead: "this one does not, here",
  },
  rnns: {
    claim: "RNNs train: an LSTM",
    quote: "Now working well after fixes in 2.8",
    instead: "this one does not, here",
  },
  diffusion: {
    claim: "Diffusion models train",
    quote: "Generally stable if batch sizes are kept reasonable",
    instead: "this one does not, here",
  },
  mlps: {
    claim: "MLPs train",
    quote: "Very reliable across all operations",
    instead: "this one does not, here",
  },
  gans: {
    claim: "GANs may have unstable gradients",
    quote: "May have gradient instability",
    instead: "this one is stable here",
  },
  "graph-networks": {
    claim: "Graph networks suffer from sparse operations",
    quote: "Sparse operations can be problematic",
    changed: {
      version: firstWithKernel("addmm"),
      source: "native_functions.yaml of the wheels: addmm for SparseMPS",
    },
  },
} satisfies Claims;
