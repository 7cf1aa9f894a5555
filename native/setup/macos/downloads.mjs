// Gets what compiles and links for a Mac on Linux, from the Python package index alone: zig, a C++ compiler that carries
// the headers of macOS, and PyTorch's wheel for Macs. Both are unpacked once for this user, like pip's own cache.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { OLDEST_MACOS } from "../platform.mjs";
import { venvProgram } from "../python.mjs";
import { SetupError, looksOffline } from "../report.mjs";

const ZIG_VERSION = "0.17.1";

const OFFLINE = "the Python package index cannot be reached";

/** Of 0.9 GB, headers and the libraries whose symbols are compared. */
const PARTS_OF_TORCH = String.raw`torch/(include/|version\.py$|lib/lib(c10|torch_cpu|torch_python)\.dylib$)`;

/** Nothing can be said about the addon here: this machine is of another kind, or the registry does not answer. */
export class CannotAsk extends SetupError {}

/**
 * @typedef {object} MacToolchain
 * @property {string} zig path of the compiler
 * @property {string} torch folder of the `torch` package for Macs
 * @property {string} version changes with what was downloaded
 */

/** @returns {Promise<MacToolchain>} */
export async function downloadMacToolchain(root, report, torchVersion) {
  const zig = await unpack(root, report, `ziglang==${ZIG_VERSION}`, [], "ziglang/");
  const torch = await unpack(
    root,
    report,
    `torch==${torchVersion}`,
    ["--python-version", "3.11", "--platform", `macosx_${OLDEST_MACOS}_0_arm64`],
    PARTS_OF_TORCH,
  );
  return {
    zig: path.join(zig, "ziglang", "zig"),
    torch: path.join(torch, "torch"),
    version: `${path.basename(zig)} ${path.basename(torch)}`,
  };
}

function cacheFolder() {
  const base = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
  return path.join(base, "mpslab", "macos");
}

/** Unpacks the members of a wheel whose names match, and returns their folder. */
async function unpack(root, report, requirement, options, members) {
  const folder = path.join(
    cacheFolder(),
    [requirement.replace("==", "-"), options.at(-1)].filter(Boolean).join("-"),
  );
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  // Made beside and moved: an interrupted run leaves no half of it.
  const making = mkdtempSync(path.join(cacheFolder(), "making-"));
  try {
    await report.step(`${requirement} for macOS`, async () => {
      await download(root, report, requirement, options, making);
      await extract(root, report, making, members);
    });
    renameSync(path.join(making, "unpacked"), folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

function download(root, report, requirement, options, folder) {
  const pip = ["-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps"];
  return report
    .run(
      venvProgram(root, "python"),
      [...pip, "--only-binary=:all:", "--dest", folder, ...options, requirement],
      {
        explain: (output) =>
          looksOffline(output)
            ? OFFLINE
            : `pip could not download ${requirement}: ${output.trim().split("\n").at(-1)}`,
      },
    )
    .catch((error) => {
      throw error.message.startsWith(OFFLINE) ? new CannotAsk(error.message) : error;
    });
}

async function extract(root, report, folder, members) {
  const program = [
    "import glob, os, re, sys, zipfile",
    "folder, members = sys.argv[1:]",
    'wheel = zipfile.ZipFile(glob.glob(os.path.join(folder, "*.whl"))[0])',
    'wheel.extractall(os.path.join(folder, "unpacked"), [name for name in wheel.namelist() if re.match(members, name)])',
    // zipfile forgets that a program may be run.
    'zig = os.path.join(folder, "unpacked", "ziglang", "zig")',
    "os.path.exists(zig) and os.chmod(zig, 0o755)",
  ].join("\n");
  await report.run(venvProgram(root, "python"), ["-c", program, folder, members], {
    explain: (output) => `The wheel in ${folder} could not be unpacked: ${output.trim().split("\n").at(-1)}`,
  });
}

/**
 * zig's wheels exist for more machines, but none other was tried.
 *
 * @param {{ platform: string, arch: string }} machine
 * @throws CannotAsk on any but Linux x64
 */
export function checkCanCompileForMac({ platform, arch }) {
  if (platform === "linux" && arch === "x64") return;
  throw new CannotAsk(`it compiles for a Mac on Linux x64, and this is ${platform} ${arch}`);
}
