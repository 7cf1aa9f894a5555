// The claims of the page of reference, `documents/mps_backend.txt`, in the order of its lines.
import { firstWithName } from "./releases.ts";
import type { Claims } from "./claims.ts";

export const mpsBackend = {
  "significantly-faster": {
    claim: "The Apple GPU is significantly faster",
    quote: "enabling significantly faster computation on Apple GPUs",
    instead: "not for a product of this size",
  },
  "macos-12": {
    claim: "MPS is there from macOS 12.3 on",
    quote: "MPS support is available on macOS 12.3+",
    changed: { version: "2.5", source: "pytorch/pytorch#133141, pytorch/pytorch#139425" },
  },
  "intel-macs": {
    claim: "An AMD GPU of an Intel Mac will do",
    quote: "AMD GPU on Intel-based Macs.",
    changed: { version: "2.3", source: "pytorch/pytorch#114602, no wheels for Intel Macs" },
  },
  "no-extra-installation": {
    claim: "The standard wheel for Macs has MPS in it",
    quote: "No additional installation steps are required.",
  },
  "created-there": {
    claim: "A tensor made with a device is made there",
    quote: "# Method 1: Specify device during creation",
  },
  "keep-data-there": {
    claim: "Data that stays on the device spares copies",
    quote: "to avoid expensive CPU-GPU transfers",
  },
  "fraction-range": {
    claim: "The fraction goes from 0 to 2",
    quote: "# Set memory fraction limit (0-2 range)",
  },
  "fraction-0": {
    claim: "0 is no limit",
    quote: "# 0 = unlimited",
  },
  "fraction-1": {
    claim: "1 is the recommended memory",
    quote: "1 = recommended max",
  },
  "fraction-beyond-1": {
    claim: "Above 1 it goes beyond the recommended memory",
    quote: ">1 = beyond recommended",
  },
  "fraction-0.8": {
    claim: "0.8 limits to 80% of the recommended memory",
    quote: "# Set conservative memory limit (80% of recommended)",
  },
  "no-streams": {
    claim: "MPS has no streams for users",
    quote: "MPS doesn’t have user-controllable streams",
    changed: { version: firstWithName("Stream"), source: "pytorch/pytorch#191415" },
  },
  seeded: {
    claim: "A seed gives the same numbers again",
    quote: "# Set random seed for reproducibility",
  },
  "state-restored": {
    claim: "A restored state gives the same numbers again",
    quote: "# Restore RNG state",
  },
  "random-seed": {
    claim: "seed() chooses a random seed",
    quote: "# Generate random seed",
  },
  "event-in-mps": {
    claim: "Event is in torch.mps",
    quote: "from torch.mps import Event",
  },
  "event-query": {
    claim: "query() says whether the operations are done",
    quote: "if end_event.query():",
  },
  "custom-shader": {
    claim: "The kernel of the text fills 16 numbers with 3.14",
    quote: "print(x)  # tensor([3.14, 3.14, ..., 3.14])",
  },
  "larger-batches": {
    claim: "Larger batches use the device better",
    quote: "# Larger batches better utilize GPU",
    instead: "not for a product with a 512 x 512 matrix",
  },
  "pin-memory-not-needed": {
    claim: "Pinned memory is not needed",
    quote: "pin_memory=False  # Not needed for MPS",
  },
  "profiler-stacks": {
    claim: "The profiler records shapes and stacks of mps work",
    quote: "with_stack=True",
  },
  "profiler-sees-the-cpu": {
    claim: "The profiler sees the CPU's side of MPS",
    quote: "MPS profiling currently focuses on CPU-side overhead.",
  },
  "layers-supported": {
    claim: "Linear, Conv2d and RNN are supported",
    quote: "Neural network layers (Linear, Conv2d, RNN, etc.)",
  },
  "losses-supported": {
    claim: "Loss functions are supported",
    quote: "• Loss functions",
  },
  fft: {
    claim: "FFT is supported",
    quote: 'print("FFT is supported on MPS")',
  },
  "not-implemented-text": {
    claim: "An operator without a kernel ends in this error",
    quote: "is not currently implemented for the MPS device.",
  },
  fork: {
    claim: "MPS may have issues after a fork",
    quote: "# MPS may have issues with fork",
    instead: "PyTorch does not look for one",
  },
  "python-3.8": {
    claim: "Python 3.8 will do",
    quote: "Python 3.8 or later",
    changed: { version: "2.5", source: "pytorch/pytorch#138979" },
  },
  "device-count": {
    claim: "device_count() is 0 or 1",
    quote: "Get number of MPS devices (0 or 1)",
  },
} satisfies Claims;
