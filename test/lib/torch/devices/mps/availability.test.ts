// Which of the three states Metal is in and why, for machines of every kind.
import { describe, expect, it } from "vitest";
import { mps, torch } from "../../../../../lib/index.ts";
import type { DescribedMachine, Machine } from "../../../../../lib/torch/devices/mps/machine.ts";
import { macosVersion, reasonWithoutDevice } from "../../../../../lib/torch/devices/mps/availability.ts";
import { refuses } from "../../tensor/misuse.ts";

const withoutMps = (system: string) => `this libtorch ${torch.version} (${system}) was built without mps`;

describe("mps.availability of another machine", () => {
  it.each<[string, DescribedMachine, mps.MetalState, string | null]>([
    ["a Mac with Apple silicon and macOS 26", {}, "ready", null],
    ["the oldest macOS that mps works on", { macos: 15 }, "ready", null],
    [
      "macOS 14",
      { macos: 14 },
      "no device",
      "libtorch was built with mps, but this is macOS 14, and mps needs macOS 15: update the system.",
    ],
    [
      "a virtual machine",
      { gpu: false },
      "no device",
      "libtorch was built with mps, but macOS shows it no GPU, as in a virtual machine.",
    ],
    [
      "Node for x64 on Apple silicon",
      { arch: "x64", processor: "VirtualApple @ 2.50GHz" },
      "not built",
      `${withoutMps("darwin x64")}: this Node is for x64 and runs under Rosetta; install Node for arm64, and a wheel for it.`,
    ],
    [
      "an Intel Mac",
      { arch: "x64", processor: "Intel(R) Core(TM) i7-9750H" },
      "not built",
      `${withoutMps("darwin x64")}: this is an Intel Mac, and wheels with mps are for Apple silicon alone.`,
    ],
    ["Linux", { platform: "linux", arch: "x64" }, "not built", `${withoutMps("linux x64")}.`],
    [
      "a container on a Mac",
      { platform: "linux", container: true },
      "not built",
      `${withoutMps("linux arm64")}: this is a container, which has no Metal even on a Mac; run Node on the Mac itself.`,
    ],
  ])("%s", (_, machine, state, reason) => {
    expect(mps.availability(machine)).toEqual({ state, reason });
  });

  refuses([
    [
      "a macOS before Apple silicon",
      () => mps.availability({ macos: 10 }),
      "RangeError",
      "mps.availability: macos must be an integer of at least 11, got 10.",
    ],
    [
      "Python's name of a platform",
      () => mps.availability({ platform: "macos" as never }),
      "TypeError",
      'mps.availability: platform must be one of "darwin", "linux", "win32", got "macos".',
    ],
    [
      "a processor by its number",
      () => mps.availability({ processor: 2 as never }),
      "TypeError",
      "mps.availability: processor must be a string, got 2.",
    ],
    [
      "an option that does not exist",
      () => mps.availability({ os: 14 } as never),
      "TypeError",
      'mps.availability: unknown option "os"; it takes platform, arch, macos, processor, container, gpu.',
    ],
  ]);
});

// A libtorch of one's own may have mps where no wheel does.
describe("libtorch that was built with mps for x64", () => {
  const mac: Machine = { platform: "darwin", arch: "x64", macos: 26, processor: "", container: false };

  it.each([
    [
      "VirtualApple @ 2.50GHz",
      "this Node is for x64 and runs under Rosetta, where mps is not: install Node for arm64.",
    ],
    ["Intel(R) Core(TM) i7-9750H", "this is an Intel Mac, and mps works on Apple silicon alone."],
  ])("on %s", (processor, reason) => {
    expect(reasonWithoutDevice({ ...mac, processor })).toBe(`libtorch was built with mps, but ${reason}`);
  });
});

it.each([
  ["23.6.0", 14],
  ["24.1.0", 15],
  ["25.1.0", 26],
])("Darwin %s is macOS %s", (release, macos) => {
  expect(macosVersion(release)).toBe(macos);
});
