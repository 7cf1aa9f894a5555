// Exact byte counts in tests: collect first what earlier tests dropped, so that it cannot go in between.
import { collectGarbage } from "../../lib/torch/engine/garbage.ts";
import { native } from "../../lib/torch/engine/native.ts";

/** Bytes that the CPU's tensors hold now, those of garbage included. */
export function allocatedBytes(): number {
  return native.memoryStats("cpu").allocatedBytes;
}

/** The same after full collections: where a measurement starts. */
export function collectedBytes(): number {
  let min = Infinity;
  // A graph that one collection frees held closures, and these held tensors: they go with the next.
  for (;;) {
    collectGarbage("full");
    const bytes = allocatedBytes();
    if (bytes >= min) return min;
    min = bytes;
  }
}
