// Tests what a collection of the young generation leaves of V8's own memory.
import { getHeapSpaceStatistics } from "node:v8";
import { expect, test } from "vitest";
import { collectGarbage } from "../../../../lib/torch/engine/garbage.ts";

const youngGenerationBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")!.space_size;

/**
 * Collects as a loop over large tensors does, which makes next to nothing in V8's heap between two collections. V8 counts
 * by the clock: on a busy machine a longer wait would be so long that the 16 KiB of each collection are too little.
 */
function collectNowAndThen(times: number): void {
  for (let time = 0; time < times; time++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    collectGarbage("minor");
  }
}

test("the young generation keeps its memory while little is made between its collections", () => {
  const before = youngGenerationBytes();

  collectNowAndThen(200);

  expect(youngGenerationBytes()).toBeGreaterThanOrEqual(before);
});
