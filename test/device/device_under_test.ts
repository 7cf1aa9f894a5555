// Which device the suite in this folder runs on, and how far its numbers may lie from the CPU's. `npm test` runs it on
// the CPU, `npm run test:gpu` on CUDA, `npm run test:mps` on Metal.
import type { DeviceName } from "../../lib/torch/vocabulary/device_name.ts";
import { expect } from "vitest";
import { type Tensor, accelerator, mps, torch } from "../../lib/index.ts";
import { collectGarbage } from "../../lib/torch/engine/garbage.ts";

export const device = torch.device(process.env["MPSLAB_TEST_DEVICE"] ?? "cpu");

/** Its operators are queued: the host goes on before they are done. */
export const queues = device !== "cpu";

/** Its work is done by this machine's processor: fewer numbers keep it as busy. */
export const simulated = device === "mps" && mps.simulation() !== null;

/**
 * The tolerance, relative to the largest element. cuDNN's convolutions round their factors to ten bits (TF32) unless
 * told otherwise.
 */
const TOLERANCE = queues ? 2e-3 : 1e-6;

export function expectNear(found: Tensor, expected: Tensor, tolerance = TOLERANCE): void {
  expect(found.shape).toEqual(expected.shape);
  expect(found.dtype).toBe(expected.dtype);
  if (expected.numel() === 0) return;
  const [a, b] = [found.cpu(), expected.cpu()];
  if (["bool", "int64", "int32", "uint8"].includes(expected.dtype)) {
    expect(a.tolist()).toEqual(b.tolist());
    return;
  }
  const scale = Math.max(1, b.abs().nanToNum().max().item() as number);
  const worst = a.sub(b).abs().nanToNum().max().item() as number;
  expect(worst / scale).toBeLessThan(tolerance);
  expect(a.isnan().sum().item()).toBe(b.isnan().sum().item());
}

/** Bytes of live tensors on the device, those that nobody holds any more collected first. */
export function liveBytes(on: DeviceName = device): number {
  let min = Infinity;
  // What the queue still held at one collection goes with the next.
  for (;;) {
    collectGarbage("full");
    accelerator.synchronize(on);
    const bytes = accelerator.memoryAllocated(on);
    if (bytes >= min) return min;
    min = bytes;
  }
}
