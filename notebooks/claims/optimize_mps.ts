// The claims of the guide to PyTorch 2.7, `documents/optimize_mps.txt`, in the order of its lines.
import { firstWithKernel } from "./releases.ts";
import type { Claims } from "./claims.ts";

export const optimizeMps = {
  "variables-before-import": {
    claim: "Variables must be set before torch is imported",
    quote: "Set environment variables before importing torch",
  },
  "watermark-variables": {
    claim: "The watermarks can be set to 1.5 and 1.2",
    quote: 'os.environ["PYTORCH_MPS_HIGH_WATERMARK_RATIO"] = "1.5"',
  },
  "high-watermark-default": {
    claim: "The high watermark is 1.7 by default",
    quote: "# Default: 1.7",
  },
  "low-watermark-default": {
    claim: "The low watermark is 1.4 by default",
    quote: "# Default: 1.4",
  },
  "fraction-of-available-memory": {
    claim: "A fraction of 0.9 is 90% of available memory",
    quote: "# Use up to 90% of available memory",
    instead: "it is 90% of what Metal recommends, whatever is free",
    reading:
      '"available" is what is free at that moment. Of the memory that Metal recommends the comment is right',
  },
  "empty-cache-fragmentation": {
    claim: "empty_cache() prevents fragmentation",
    quote: "to prevent memory fragmentation",
    instead: "a heap is given back when all of it is free; holes stay",
    reading:
      "the holes between live tensors go away. That heaps without a live tensor are given back is right",
  },
  "grad-none-is-faster": {
    claim: "param.grad = None is faster than optimizer.zero_grad()",
    quote: "(faster than `optimizer.zero_grad()`)",
    changed: { version: "2.0", source: "pytorch/pytorch#92731, set_to_none is True by default" },
  },
  "checkpoint-memory": {
    claim: "Checkpointing is for training with little memory",
    quote: "For memory-constrained training:",
  },
  accumulation: {
    claim: "Accumulated gradients are those of the large batch",
    quote: "To simulate large batches via gradient accumulation:",
  },
  "no-full-amp": {
    claim: "MPS lacks full AMP support",
    quote: "MPS lacks full AMP support.",
    changed: {
      version: firstWithKernel("_amp_foreach_non_finite_check_and_unscale_"),
      source: "pytorch/pytorch#99272 (autocast, 2.5), #150255 (GradScaler)",
    },
  },
  "manual-half-precision": {
    claim: "Half-precision inputs with autocast off replace it",
    quote: "This is the manual alternative:",
    instead: "the weights stay float32, and the first product fails; the model must be converted too",
    reading:
      "the lines as they stand, which convert the inputs alone. Of a model that is in float16 already they are right",
  },
  float64: {
    claim: "float64 must become float32 before it goes to mps",
    quote: "Convert to float32 before moving models to MPS:",
  },
  "dictionary-to": {
    claim: "A loaded dictionary has to()",
    quote: 'model_data = model_data.to("mps")',
    instead: "its tensors are moved one by one",
  },
  "pin-memory": {
    claim: "pin_memory=True is to be avoided",
    quote: "Avoid `pin_memory=True` for MPS:",
  },
  "fallback-variable": {
    claim: "PYTORCH_ENABLE_MPS_FALLBACK=1 allows the CPU as a fallback",
    quote: 'os.environ["PYTORCH_ENABLE_MPS_FALLBACK"] = "1"',
  },
  "some-linear-algebra": {
    claim: "Some operators of linear algebra are not supported",
    quote: "Many operations are still not supported on MPS",
  },
  "grid-sampler-3d": {
    claim: "grid_sampler_3d is not supported",
    quote: "(e.g., grid_sampler_3d, some linear algebra ops)",
    changed: {
      version: firstWithKernel("grid_sampler_3d"),
      source: "pytorch/pytorch#160541; native_functions.yaml of the wheels",
    },
  },
  "log-level-fallbacks": {
    claim: "PYTORCH_MPS_LOG_LEVEL=1 logs fallbacks",
    quote: 'os.environ["PYTORCH_MPS_LOG_LEVEL"] = "1"',
    instead: "no release from 2.7 to 2.15 reads it; bit 4 of PYTORCH_MPS_LOG_PROFILE_INFO logs fallbacks",
  },
  signposts: {
    claim: "The profiler of mps sets intervals",
    quote: 'torch.mps.profiler.profile(mode="interval", wait_until_completed=True)',
  },
  "capture-enabled": {
    claim: "torch.mps.is_metal_capture_enabled() says whether captures work",
    quote: "if torch.mps.is_metal_capture_enabled():",
    instead: "it is torch.mps.profiler.is_metal_capture_enabled()",
  },
  "capture-without-a-name": {
    claim: "metal_capture() needs no name",
    quote: "with torch.mps.metal_capture():",
    instead: "torch.mps.profiler.metal_capture(fname) takes the file's name",
  },
  "compile-backend": {
    claim: 'torch.compile has a backend "mps"',
    quote: 'model = torch.compile(model, backend="mps")',
    instead: "the default backend, inductor, compiles for mps",
  },
} satisfies Claims;
