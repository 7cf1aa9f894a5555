// Refuses machines without a PyTorch wheel before anything is installed. pip would only say that it found no matching
// distribution.
import { SetupError, capture } from "./report.mjs";

/**
 * The version in the name of the wheel for Macs, `torch-2.15.0-cp311-cp311-macosx_14_0_arm64.whl`. Since 2.3 there is
 * none for Intel.
 */
const OLDEST_MACOS = 14;

/**
 * @typedef {object} Platform
 * @property {string} platform as in `process.platform`
 * @property {string} arch as in `process.arch`: that of Node, not of the processor
 * @property {boolean} translated whether Rosetta runs this Node, which was made for Intel, on Apple silicon
 * @property {string} macos version of macOS, empty elsewhere
 */

/** @returns {Promise<Platform>} */
export async function readPlatform() {
  const { platform, arch } = process;
  if (platform !== "darwin") return { platform, arch, translated: false, macos: "" };
  // An Intel Mac does not know the name: sysctl then fails.
  const translated = await capture("/usr/sbin/sysctl", ["-n", "sysctl.proc_translated"]);
  const { output: macos } = await capture("/usr/bin/sw_vers", ["-productVersion"]);
  return { platform, arch, translated: translated.output.trim() === "1", macos: macos.trim() };
}

/** @param {Platform} facts */
export function checkPlatform({ platform, arch, translated, macos }) {
  if (platform !== "darwin") return;
  if (translated) {
    throw new SetupError(
      "This Node was made for Intel Macs and runs under Rosetta, where PyTorch for Apple silicon cannot be loaded: install Node for arm64 (node -p process.arch then prints arm64), delete node_modules, then run the command again.",
    );
  }
  if (arch !== "arm64") {
    throw new SetupError(
      "This Mac has an Intel processor, for which there has been no PyTorch since 2.2.2: use a Mac with Apple silicon, or Linux.",
    );
  }
  if (Number.parseInt(macos, 10) < OLDEST_MACOS) {
    throw new SetupError(
      `macOS ${macos} is older than PyTorch supports: update to macOS ${OLDEST_MACOS} or newer, then run the command again.`,
    );
  }
}
