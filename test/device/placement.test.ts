// Tests where tensors are: moving them, and the errors of mixing devices.
import { describe, expect, it } from "vitest";
import { DeviceMismatchError, functional as F, nn, torch } from "../../lib/index.ts";
import { collectGarbage } from "../../lib/torch/engine/garbage.ts";
import { native } from "../../lib/torch/engine/native.ts";
import { device, queues } from "./device_under_test.ts";

const others = native
  .devices()
  .available.filter((one) => one.startsWith(`${device}:`))
  .slice(1);

describe(`a tensor on ${device}`, () => {
  it("is made there, moved there and back with its values", () => {
    const made = torch.ones([2, 2], { device });
    const moved = torch.tensor([[1, 2]]).to(device);
    expect([made.device, moved.device].map((name) => name.replace(/:0$/, ""))).toEqual([device, device]);
    expect(moved.cpu().tolist()).toEqual([[1, 2]]);
    expect(moved.to(device)).toBe(moved);
  });

  it("prints its values and, unless it is the CPU's, its device", () => {
    const text = String(torch.tensor([1, 2], { dtype: "float32" }).to(device));
    expect(text).toMatch(
      queues ? /^tensor\(\[1\., 2\.\], device="?'?(cuda:0|mps:?0?)'?"?\)$/ : /^tensor\(\[1\., 2\.\]\)$/,
    );
  });

  it.skipIf(!queues)("gives no typed array before it is copied to the CPU", () => {
    expect(() => torch.ones([2], { device }).data()).toThrow(/\.cpu\(\)/);
  });

  it("goes where the default device is", () => {
    try {
      torch.setDefaultDevice(device);
      expect(torch.zeros([1]).device.replace(/:0$/, "")).toBe(device);
    } finally {
      torch.setDefaultDevice("cpu");
    }
  });
});

describe.skipIf(!queues)(`mixing ${device} and the CPU`, () => {
  const there = torch.ones([2], { device });
  const here = torch.ones([2]);
  it.each<[string, () => unknown]>([
    ["add", () => there.add(here)],
    ["matmul", () => there.matmul(here)],
    ["cat", () => torch.cat([there, here])],
    ["where", () => torch.where(there.gt(0), there, here)],
    ["a layer left on the CPU", () => new nn.Linear(2, 2)(there)],
    ["a target left on the CPU", () => F.mseLoss(there, here)],
  ])("%s names both devices and the way out", (_, call) => {
    expect(call).toThrow(DeviceMismatchError);
    expect(call).toThrow(/(cuda:0|mps:0|mps).*cpu|cpu.*(cuda:0|mps:0|mps)/);
    expect(call).toThrow(/\.to\("/);
  });

  it("a number of the CPU meets any device", () => {
    expect(there.add(torch.tensor(3)).tolist()).toEqual([4, 4]);
  });
});

// Two GPUs are needed: this machine has one, or none.
describe.skipIf(others.length === 0)(`mixing ${device}:0 and ${others[0] ?? "another"}`, () => {
  const first = torch.ones([2], { device });
  const second = torch.ones([2], { device: others[0]! });

  it("is refused as mixing with the CPU is", () => {
    expect(() => first.add(second)).toThrow(DeviceMismatchError);
  });

  it("works after a move, and each device counts its own memory", () => {
    expect(first.add(second.to(device)).tolist()).toEqual([2, 2]);
    collectGarbage("full");
    const before = native.memoryStats(others[0]!).allocatedBytes;
    const held = torch.zeros([1024 * 1024], { device: others[0]! });
    expect(native.memoryStats(others[0]!).allocatedBytes - before).toBe(held.nbytes);
  });
});
