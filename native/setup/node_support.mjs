// Says which versions of Node run mpslab. Set-up asks it before the first step, and `mpslab doctor` asks it too.
import { SetupError } from "./report.mjs";

/** The versions that package.json's `engines` promises. */
const PROMISED = "20.19 or newer of 20, and 24";

/**
 * `ok` is false where the pinned packages do not run. `text` completes the sentence "Node 22.14.0 ..."; null where there is
 * nothing to say.
 */
export function nodeSupport(version) {
  const [major, minor] = version.split(".").map(Number);
  if (major === 24 || (major === 20 && minor >= 19)) return { ok: true, text: null };
  if (major < 22 || (major === 22 && minor < 12))
    return { ok: false, text: "is not supported: install Node 24, or 20.19 or newer of 20" };
  const gap =
    major === 22
      ? ": when a package's generator loops for ever after an await, Stop ends the session and its variables are lost"
      : "";
  return { ok: true, text: `runs mpslab, but only ${PROMISED} are promised${gap}` };
}

/** Refuses a version, or prints a line about one that is not promised. */
export function checkNode(version = process.versions.node) {
  const { ok, text } = nodeSupport(version);
  if (!ok) throw new SetupError(`Node ${version} ${text}, then run the command again.`);
  if (text !== null) process.stderr.write(`  Node ${version} ${text}.\n`);
}
