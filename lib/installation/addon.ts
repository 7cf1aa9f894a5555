// Finds the addon. A clone has compiled its own. An installed package takes the one that was compiled on this machine,
// or the one in the package for this platform. It copies that addon into a folder of the user's, beside a link to
// libtorch: the addon looks for `torch/lib` beside itself, and neither npm nor pip can pack such a link.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { thisSystem } from "../platform/system.ts";
import { INSTALLER, PACKAGE_ROOT, packageManifest, setUpFolder, userFolder } from "./package.ts";
import { torchFolder, torchRefusal } from "./torch_package.ts";
import { WAY_OUT } from "./ways_out.ts";

/** The record that set-up writes beside the addon. */
interface AddonRecord {
  /** The version of mpslab from whose sources the addon was compiled. */
  readonly version: string;
  /** The PyTorch against which it was compiled: `2.15.0`. */
  readonly torch: string;
  readonly sha256: string;
}

const FILE = "mpslab.node";
/** The part of the addon that uses CUDA graphs. It exists only if CUDA's headers were present at compile time. */
const CUDA_FILE = "mpslab_cuda.so";
const RECORD = "addon.json";

/**
 * The beginning of the name of the package for this platform, `@mpslab/linux-x64-torch2.15`. The version of PyTorch
 * follows it.
 */
const PLATFORM_PACKAGE = `@mpslab/${thisSystem.name}-${thisSystem.architecture}-torch`;

/** The folder in which the addon was compiled or packed; null if there is none for this version of mpslab. */
export function addonFolder(): string | null {
  const compiled = path.join(setUpFolder(), "build", "native", "Release");
  if (existsSync(path.join(compiled, FILE)) && recordIn(compiled)?.version === packageManifest().version)
    return compiled;
  return INSTALLER === "clone" ? null : packedFolder();
}

function packedFolder(): string | null {
  const names = Object.keys(packageManifest().optionalDependencies ?? {});
  const name = names.find((other) => other.startsWith(PLATFORM_PACKAGE));
  if (name === undefined) return null;
  try {
    return path.dirname(
      createRequire(path.join(PACKAGE_ROOT, "package.json")).resolve(`${name}/package.json`),
    );
  } catch {
    return null;
  }
}

function recordIn(folder: string): AddonRecord | null {
  try {
    return JSON.parse(readFileSync(path.join(folder, RECORD), "utf8")) as AddonRecord;
  } catch {
    return null;
  }
}

/**
 * The file to load. `MPSLAB_ADDON` names another, such as the build with AddressSanitizer.
 *
 * @throws Error in one sentence if the addon or libtorch is missing, or one does not fit the other
 */
export function addonToLoad(): string {
  const other = process.env["MPSLAB_ADDON"];
  if (other) return other;
  const folder = addonFolder();
  const record = folder && recordIn(folder);
  if (!folder || !record)
    throw new Error(
      `libtorch cannot be loaded: there is no addon for ${thisSystem.name} ${thisSystem.architecture}. Run ${WAY_OUT.addon}.`,
    );
  const torch = INSTALLER === "clone" ? path.join(folder, "torch") : torchFolder();
  if (torch === null)
    throw new Error(
      `libtorch cannot be loaded: no torch package was set up for this user. Run ${WAY_OUT.libtorch}.`,
    );
  const refusal = torchRefusal(record.torch, torch);
  if (refusal !== null) throw new Error(refusal);
  return INSTALLER === "clone" ? path.join(folder, FILE) : place(folder, record, realpathSync(torch));
}

/** A copy of the addon with its link, made once for each addon and each torch package. */
function place(source: string, { sha256 }: AddonRecord, torch: string): string {
  const key = createHash("sha256").update(`${sha256}\n${torch}`).digest("hex").slice(0, 16);
  const folder = path.join(userFolder(), "addons", key);
  const file = path.join(folder, FILE);
  if (existsSync(file)) return file;
  try {
    mkdirSync(path.dirname(folder), { recursive: true });
    const made = mkdtempSync(`${folder}-`);
    symlinkSync(torch, path.join(made, "torch"));
    for (const name of [FILE, CUDA_FILE].filter((each) => existsSync(path.join(source, each))))
      copyFileSync(path.join(source, name), path.join(made, name));
    renameUnlessThere(made, folder);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(
      `libtorch cannot be loaded: the addon's folder ${folder} could not be made (${message}). Set XDG_DATA_HOME to a folder that can be written.`,
      { cause },
    );
  }
  return file;
}

/** Another process may have made the same copy in the meantime. */
function renameUnlessThere(made: string, folder: string): void {
  try {
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
