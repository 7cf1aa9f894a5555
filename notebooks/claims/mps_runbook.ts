// The claims of the runbook, `documents/mps_runbook.txt`, in the order of its lines.
import type { Claims } from "./claims.ts";

export const mpsRunbook = {
  "some-kernels-on-the-cpu": {
    claim: "Some operators still go to the CPU",
    quote: "Some kernels still route through CPU",
  },
  "looks-like-a-leak": {
    claim: "Without a collection and empty_cache() memory looks like a leak",
    quote: "at epoch boundaries or memory looks like a leak",
  },
  "dummy-product": {
    claim: "A product shows on which device work is done",
    quote: "and a dummy matmul device",
  },
  "growth-over-26-percent": {
    claim: "A rise of more than 26% in ten epochs means retained tensors",
    quote: "If unified memory rises more than 26 percent over ten epochs with",
  },
  "order-of-reductions": {
    claim: "A reduction in another order gives another number",
    quote: "and floating-point reductions differ",
  },
  "launch-overhead": {
    claim: "Launching costs when batches are small",
    quote: "kernel launch overhead matter when batch is small",
    instead: "512 launches cost no more than one",
  },
  "item-every-step": {
    claim: "loss.item() in every step serializes the stream",
    quote: "a tight loop that calls loss.item() every step to feed a progress bar",
  },
  "worker-memory": {
    claim: "Each worker process is another resident set",
    quote: "each worker is another resident set competing for unified memory",
  },
  "staged-twice": {
    claim: "A trace shows tensors that are staged twice",
    quote: "whether you are accidentally duplicating tensors during host-to-device staging",
  },
  "first-is-slower": {
    claim: "The first time is slower, because kernels are compiled",
    quote: "The first epoch often includes lazy compilation and cache warming paths that will not repeat.",
    instead: "it is no slower here",
  },
  descriptors: {
    claim: "Spawned workers inherit the budget of file descriptors",
    quote: "Spawned dataloader workers inherit file descriptor budgets",
  },
  "scaling-and-unscaling": {
    claim: "Scaling and unscaling match",
    quote: "verify that scaling and unscaling steps still match",
  },
  "checkpointing-trades": {
    claim: "Checkpointing trades compute for memory",
    quote: "Checkpointing trades compute for memory",
  },
  "omp-threads": {
    claim: "OMP_NUM_THREADS changes how a program runs",
    quote: "Drift in OMP_NUM_THREADS",
  },
} satisfies Claims;
