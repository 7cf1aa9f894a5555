// The machine that set-up runs on; nothing else in native/setup asks for the system. Refuses machines without a PyTorch
// wheel before anything is installed; pip would only say that it found no matching distribution.
import { cpus } from "node:os";
import { SetupError, capture } from "./report.mjs";

/**
 * From the name of the wheel for Macs, `torch-2.15.0-cp311-cp311-macosx_14_0_arm64.whl`. Since PyTorch 2.3 there are no
 * wheels for Intel Macs.
 */
export const OLDEST_MACOS = 14;
/** The oldest on which that PyTorch finds a Metal device; `lib/torch/devices/mps/availability.ts` says so at run time. */
export const OLDEST_MACOS_WITH_MPS = 15;

/**
 * @typedef {object} Platform
 * @property {string} platform as in `process.platform`
 * @property {string} arch as in `process.arch`: that of Node, not of the processor
 * @property {boolean} translated whether Rosetta runs this Node, which was made for Intel, on Apple silicon
 * @property {string} macos version of macOS, empty elsewhere
 */

/** What Node reports about this machine. */
export const thisMachine = {
  platform: process.platform,
  arch: process.arch,
  processor: cpus()[0]?.model ?? "",
};

/**
 * @param {{ platform: string, arch: string, processor: string }} machine
 * @param {(program: string, args: string[]) => Promise<{ output: string }>} ask runs a program of macOS
 * @returns {Promise<Platform>}
 */
export async function readPlatform(machine = thisMachine, ask = capture) {
  const { platform, arch, processor } = machine;
  if (platform !== "darwin") return { platform, arch, translated: false, macos: "" };
  // On an Intel Mac sysctl fails, because the name is unknown there. Where sysctl may not run, the processor's name
  // tells: under Rosetta it is VirtualApple.
  const { output: flag } = await ask("/usr/sbin/sysctl", ["-n", "sysctl.proc_translated"]);
  const translated = flag.trim() === "1" || (arch === "x64" && processor.includes("Apple"));
  const { output: macos } = await ask("/usr/bin/sw_vers", ["-productVersion"]);
  return { platform, arch, translated, macos: macos.trim() };
}

/**
 * Writes a line about a macOS on which PyTorch works without Metal.
 *
 * @param {Platform} facts
 * @throws SetupError for a machine that PyTorch has no wheel for
 */
export function checkPlatform({ platform, arch, translated, macos }) {
  if (platform !== "darwin") return;
  if (translated) {
    throw new SetupError(
      "This Node was made for Intel Macs (x64) and runs under Rosetta, where PyTorch for Apple silicon cannot be loaded: install Node for arm64 (node -p process.arch then prints arm64), delete node_modules, then run the command again.",
    );
  }
  if (arch !== "arm64") {
    throw new SetupError(
      "This Mac has an Intel processor, for which there has been no PyTorch since 2.2.2: use a Mac with Apple silicon, or Linux.",
    );
  }
  const version = Number.parseInt(macos, 10);
  if (version < OLDEST_MACOS) {
    throw new SetupError(
      `macOS ${macos} is older than PyTorch supports: update to macOS ${OLDEST_MACOS_WITH_MPS} or newer, then run the command again.`,
    );
  }
  if (version < OLDEST_MACOS_WITH_MPS)
    process.stderr.write(
      `  macOS ${macos} runs PyTorch on the processor alone: its mps device needs macOS ${OLDEST_MACOS_WITH_MPS}.\n`,
    );
}
