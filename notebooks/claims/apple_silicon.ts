// The claims of the first lesson, `documents/apple_silicon.txt`, in the order of its lines.
import { firstWithMacosAbove } from "./releases.ts";
import type { Claims } from "./claims.ts";

export const appleSilicon = {
  "to-mps-gives-an-mps-tensor": {
    claim: '.to("mps") gives an mps tensor',
    quote: "It still returns an mps tensor and selects MPS-backed execution.",
  },
  "four-bytes": {
    claim: "A float32 feature takes four bytes",
    quote: "uses four bytes for every feature value",
  },
  "twelve-mib": {
    claim: "The batch takes 12.0 MiB",
    quote: "2one float32 batch: 12.0 MiB",
  },
  "macos-14": {
    claim: "macOS 14.0 or later will do",
    quote: "macOS 14.0 or later",
    changed: {
      version: firstWithMacosAbove(14),
      source: "the message in libtorch_cpu.dylib of the wheel for Macs",
    },
  },
  "python-3.10": {
    claim: "Python 3.10 or later will do",
    quote: "Python 3.10 or later",
    changed: { version: "2.15", source: "pytorch/pytorch#197242" },
  },
  "three-logits": {
    claim: "The mean over the positions gives three logits a report",
    quote: "then produce three logits per report",
  },
  "embeddings-matmuls-norms": {
    claim: "Embeddings, products and norms run as Metal kernels",
    quote: "Metal kernels run embeddings, matmuls, norms",
  },
  "gradients-on-mps": {
    claim: "Gradient kernels run on mps",
    quote: "gradient kernels run on mps",
  },
  "model-stays": {
    claim: "The model stays on the device across steps",
    quote: "parameter updates happen on mps",
  },
  "mixed-devices-fail": {
    claim: "Model and batch on different devices fail",
    quote: "the forward pass still fails if model and batch land on different devices",
  },
  "weights-changed": {
    claim: "A step with a learning rate of 0.1 changes the weights",
    quote: "1weights changed: True",
  },
  "finite-loss": {
    claim: "Its loss is finite",
    quote: "2finite loss: True",
  },
  "device-contract-check": {
    claim: "A check of the contract catches it before training",
    quote: "Catch that failure before a full training run by checking the device contract:",
  },
  "stops-the-loop": {
    claim: "Without the variable such an operator stops the program",
    quote: "can stop an otherwise valid training loop",
  },
  "fallback-is-no-promise": {
    claim: "The variable does not make everything work",
    quote: "not a promise that every unsupported operation will work",
  },
  "switches-of-the-text": {
    claim: "The path of the text has four changes of backend",
    quote: "2backend changes: 4",
  },
  "synchronize-waits": {
    claim: "synchronize() waits for the queued work",
    quote: "PyTorch exposes torch.mps.synchronize() for that boundary.",
  },
  "item-waits": {
    claim: "Reading a loss waits for the device",
    quote: "loss.item() when loss is an MPS tensor",
  },
  "no-numpy": {
    claim: "Elements are read on the CPU",
    quote: "Calling .numpy() directly on an MPS tensor isn't the route back to NumPy",
  },
  "queued-before-finished": {
    claim: "Queueing ends long before the work does (35 ms of work, queued in 3 ms)",
    quote: "launches 35 ms of mps work, but Python finishes queueing it in 3 ms",
  },
  "weights-are-not-the-bill": {
    claim: "Weights are not the whole bill",
    quote: "weights aren't the whole bill",
  },
  "current-counts-live-tensors": {
    claim: "current_allocated_memory() counts live tensors",
    quote: "current_allocated_memory() for bytes occupied by live tensors",
  },
  "driver-counts-cached-blocks": {
    claim: "driver_allocated_memory() counts cached blocks too",
    quote: "including cached allocator blocks and MPS/MPSGraph allocations",
  },
  "empty-cache-releases": {
    claim: "empty_cache() gives unoccupied memory back",
    quote: "empty_cache() to release unoccupied cached memory",
  },
  "live-allocation": {
    claim: "The counter rises by the tensor's bytes",
    quote: 'print("live tensor allocation increased:", after > before)',
  },
  "recommended-reported": {
    claim: "A recommended limit is reported",
    quote: 'print("recommended limit reported:"',
  },
  "no-limit-warning": {
    claim: "PyTorch warns that no limit may end in a failure of the system",
    quote: "disabling the high watermark can cause system failure",
  },
  "half-batch": {
    claim: "Half the batch is 50% of the positions",
    quote: "2half batch : 50% of token positions",
  },
  "half-length": {
    claim: "Half the length is 50% of the positions",
    quote: "3half length: 50% of token positions",
  },
  "attention-has-two-axes": {
    claim: "Shorter sequences reduce attention scores faster than smaller batches do",
    quote: "because attention has two sequence axes",
  },
  "two-questions": {
    claim: "is_built() and is_available() answer different questions",
    quote: "is_built() and is_available() answer different setup questions.",
  },
} satisfies Claims;
