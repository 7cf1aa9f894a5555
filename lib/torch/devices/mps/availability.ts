// Decides which of three states applies, and what to do about the first two: libtorch without mps, libtorch with mps
// but no device, a device that works. Each call of the `mps` namespace that needs the device checks here first.
import { existsSync } from "node:fs";
import os from "node:os";
import { thisSystem } from "../../../platform/system.ts";
import { native } from "../../engine/native.ts";
import { type DescribedMachine, type Machine, readMachine } from "./machine.ts";

export type MetalState = "not built" | "no device" | "ready";

export interface Availability {
  readonly state: MetalState;
  /** Why there is no device; null if there is one. */
  readonly reason: string | null;
}

/**
 * The version of macOS that mps needs. PyTorch's wheel also loads on macOS 14, where libtorch finds no device, and
 * warns about it.
 */
export const OLDEST_MACOS_WITH_MPS = 15;
/** macOS 15 is Darwin 24; from Darwin 25 on macOS counts one more. */
const DARWIN_OF_MACOS_0 = 9;

function thisMachine(): Machine {
  return {
    platform: thisSystem.name,
    arch: thisSystem.architecture,
    macos: macosVersion(thisSystem.release),
    processor: os.cpus()[0]?.model ?? "",
    container: existsSync("/.dockerenv") || existsSync("/run/.containerenv"),
  };
}

/** The version of macOS for a version of its kernel, Darwin: `24.1.0` -> 15 */
export function macosVersion(release: string): number {
  const darwin = Number.parseInt(release, 10);
  return darwin >= 25 ? darwin + 1 : darwin - DARWIN_OF_MACOS_0;
}

/** Why a libtorch that was built with mps finds no device. */
export function reasonWithoutDevice({ arch, macos, processor }: Machine): string {
  const built = "libtorch was built with mps, but ";
  if (arch === "x64" && processor.includes("Apple"))
    return `${built}this Node is for x64 and runs under Rosetta, where mps is not: install Node for arm64.`;
  if (arch === "x64") return `${built}this is an Intel Mac, and mps works on Apple silicon alone.`;
  if (macos < OLDEST_MACOS_WITH_MPS)
    return `${built}this is macOS ${macos}, and mps needs macOS ${OLDEST_MACOS_WITH_MPS}: update the system.`;
  return `${built}macOS shows it no GPU, as in a virtual machine.`;
}

/** Why libtorch has no mps. */
function reasonWithoutMps(version: string, { platform, arch, processor, container }: Machine): string {
  const built = `this libtorch ${version} (${platform} ${arch}) was built without mps`;
  if (platform === "darwin") {
    if (arch === "arm64") return `${built}: install a PyTorch wheel for macOS on arm64.`;
    return processor.includes("Apple")
      ? `${built}: this Node is for x64 and runs under Rosetta; install Node for arm64, and a wheel for it.`
      : `${built}: this is an Intel Mac, and wheels with mps are for Apple silicon alone.`;
  }
  return container
    ? `${built}: this is a container, which has no Metal even on a Mac; run Node on the Mac itself.`
    : `${built}.`;
}

/**
 * Whether Metal can be used here, and if not, why. A simulated device is ready.
 *
 * @param machine another machine, to learn what would be said there; without it this one is meant
 * @throws TypeError, RangeError for a machine that cannot be described like this
 * @example mps.availability({ macos: 14 }).state // "no device"
 */
export function availability(machine?: DescribedMachine): Availability {
  if (machine !== undefined) return availabilityOf(readMachine("mps.availability", machine));
  const { built, available } = native.devices();
  if (available.includes("mps")) return { state: "ready", reason: null };
  return built.includes("mps") ? withoutDevice(thisMachine()) : withoutMps(thisMachine());
}

/** What libtorch finds on such a machine, by the rules in its source for wheels, processors and versions of macOS. */
function availabilityOf(machine: Required<DescribedMachine>): Availability {
  const { platform, arch, macos, gpu } = machine;
  if (platform !== "darwin" || arch !== "arm64") return withoutMps(machine);
  return macos >= OLDEST_MACOS_WITH_MPS && gpu ? { state: "ready", reason: null } : withoutDevice(machine);
}

const withoutDevice = (machine: Machine): Availability => ({
  state: "no device",
  reason: reasonWithoutDevice(machine),
});

const withoutMps = (machine: Machine): Availability => ({
  state: "not built",
  reason: reasonWithoutMps(native.version, machine),
});

/** @throws TypeError if there is no device: it says which of the states applies, and what to do */
export function requireMetal(call: string): void {
  const { reason } = availability();
  if (reason === null) return;
  const { available } = native.devices();
  throw new TypeError(
    `${call}: ${reason} Here are ${available.join(", ")}: work on one of those, simulate Metal with mps.simulate(), or go to a Mac.`,
  );
}
