// Decides which of three states applies, and what to do about the first two: libtorch without mps, libtorch with mps
// but no device, a device that works. Each call of the `mps` namespace that needs the device checks here first.
import { existsSync } from "node:fs";
import os from "node:os";
import { thisSystem } from "../../../platform/system.ts";
import { native } from "../../engine/native.ts";

export type MetalState = "not built" | "no device" | "ready";

export interface Availability {
  readonly state: MetalState;
  /** Why there is no device; null where there is one. */
  readonly reason: string | null;
}

/** The properties of a machine that decide whether it has Metal. */
export interface Machine {
  readonly platform: string;
  /** The architecture of this process. */
  readonly arch: string;
  /** `os.release()`: of macOS the version of its kernel, Darwin. */
  readonly release: string;
  /** The processor's name. */
  readonly processor: string;
  readonly container: boolean;
}

/** PyTorch's wheel loads on macOS 14, where libtorch finds no device and warns that mps needs this one. */
export const OLDEST_MACOS_WITH_MPS = 15;
/** macOS 15 is Darwin 24; from Darwin 25 on macOS counts one more. */
const DARWIN_OF_MACOS_0 = 9;

function thisMachine(): Machine {
  return {
    platform: thisSystem.name,
    arch: thisSystem.architecture,
    release: thisSystem.release,
    processor: os.cpus()[0]?.model ?? "",
    container: existsSync("/.dockerenv") || existsSync("/run/.containerenv"),
  };
}

/** `24.1.0` -> 15 */
function macosVersion(release: string): number {
  const darwin = Number.parseInt(release, 10);
  return darwin >= 25 ? darwin + 1 : darwin - DARWIN_OF_MACOS_0;
}

/** Why a libtorch that was built with mps finds no device. */
export function reasonWithoutDevice({ arch, release, processor }: Machine): string {
  const built = "libtorch was built with mps, but ";
  if (arch === "x64" && processor.includes("Apple"))
    return `${built}this Node is for x64 and runs under Rosetta, where mps is not: install Node for arm64.`;
  if (arch === "x64") return `${built}this is an Intel Mac, and mps works on Apple silicon alone.`;
  const version = macosVersion(release);
  if (version < OLDEST_MACOS_WITH_MPS)
    return `${built}this is macOS ${version}, and mps needs macOS ${OLDEST_MACOS_WITH_MPS}: update the system.`;
  return `${built}macOS shows it no GPU, as in a virtual machine.`;
}

/** Why libtorch has no mps. */
export function reasonWithoutMps(version: string, { platform, arch, container }: Machine): string {
  const built = `this libtorch ${version} (${platform} ${arch}) was built without mps`;
  if (platform === "darwin")
    return arch === "arm64"
      ? `${built}: install a PyTorch wheel for macOS on arm64.`
      : `${built}: wheels for mps are for arm64, and so must Node be.`;
  return container
    ? `${built}: this is a container, which has no Metal even on a Mac; run Node on the Mac itself.`
    : `${built}.`;
}

/** Whether Metal can be used here, and if not, why. A simulated device is ready. */
export function availability(): Availability {
  const { built, available } = native.devices();
  if (available.includes("mps")) return { state: "ready", reason: null };
  return built.includes("mps")
    ? { state: "no device", reason: reasonWithoutDevice(thisMachine()) }
    : { state: "not built", reason: reasonWithoutMps(native.version, thisMachine()) };
}

/** @throws TypeError that says which state holds and what to do, where there is no device */
export function requireMetal(call: string): void {
  const { reason } = availability();
  if (reason === null) return;
  const { available } = native.devices();
  throw new TypeError(
    `${call}: ${reason} Here are ${available.join(", ")}: work on one of those, simulate Metal with mps.simulate(), or go to a Mac.`,
  );
}
