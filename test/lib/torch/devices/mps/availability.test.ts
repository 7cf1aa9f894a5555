// Why a machine has no Metal, for machines of every kind.
import { describe, expect, it } from "vitest";
import {
  type Machine,
  reasonWithoutDevice,
  reasonWithoutMps,
} from "../../../../../lib/torch/devices/mps/availability.ts";

const mac: Machine = {
  platform: "darwin",
  arch: "arm64",
  release: "24.6.0",
  processor: "Apple M2",
  container: false,
};

describe("libtorch with mps and no device", () => {
  it.each<[string, Partial<Machine>, string]>([
    [
      "Node for x64 on Apple silicon",
      { arch: "x64", processor: "VirtualApple @ 2.50GHz" },
      "libtorch was built with mps, but this Node is for x64 and runs under Rosetta, where mps is not: install Node for arm64.",
    ],
    [
      "an Intel Mac",
      { arch: "x64", processor: "Intel(R) Core(TM) i7-9750H" },
      "libtorch was built with mps, but this is an Intel Mac, and mps works on Apple silicon alone.",
    ],
    [
      "macOS 14, whose kernel is Darwin 23",
      { release: "23.6.0" },
      "libtorch was built with mps, but this is macOS 14, and mps needs macOS 15: update the system.",
    ],
    [
      "a virtual machine",
      {},
      "libtorch was built with mps, but macOS shows it no GPU, as in a virtual machine.",
    ],
    [
      "a virtual machine of macOS 26, whose kernel is Darwin 25",
      { release: "25.1.0" },
      "libtorch was built with mps, but macOS shows it no GPU, as in a virtual machine.",
    ],
  ])("%s", (_, differs, reason) => {
    expect(reasonWithoutDevice({ ...mac, ...differs })).toBe(reason);
  });
});

describe("libtorch without mps", () => {
  it.each<[string, Partial<Machine>, string]>([
    ["Linux", { platform: "linux", arch: "x64" }, "this libtorch 2.15.0 (linux x64) was built without mps."],
    [
      "a container",
      { platform: "linux", container: true },
      "this libtorch 2.15.0 (linux arm64) was built without mps: this is a container, which has no Metal even on a Mac; run Node on the Mac itself.",
    ],
    [
      "a Mac with a wheel of another kind",
      {},
      "this libtorch 2.15.0 (darwin arm64) was built without mps: install a PyTorch wheel for macOS on arm64.",
    ],
    [
      "a Mac with Node for x64",
      { arch: "x64" },
      "this libtorch 2.15.0 (darwin x64) was built without mps: wheels for mps are for arm64, and so must Node be.",
    ],
  ])("%s", (_, differs, reason) => {
    expect(reasonWithoutMps("2.15.0", { ...mac, ...differs })).toBe(reason);
  });
});
