// Exact byte counts in tests: collect first what earlier tests dropped, so that it cannot go in between.
import { collectGarbage } from "../../lib/torch/engine/garbage.ts";
import { native } from "../../lib/torch/engine/native.ts";

/** Bytes that the CPU's tensors hold now, those of garbage included. */
export function allocatedBytes(): number {
  return native.memoryStats("cpu").allocatedBytes;
}

/**
 * The same after full collections: where a measurement starts. A test that ran something before it asks afterwards for
 * at most as many bytes, not as many: V8 may see the last result of that run in a slot of the stack that nothing reads.
 */
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
