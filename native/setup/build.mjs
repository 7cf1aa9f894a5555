// Set-up of the Node side: npm packages, the addon, the operators' declarations, JavaScript.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, totalmem } from "node:os";
import path from "node:path";
import { bundlePrograms } from "./bundle.mjs";
import { SetupError, builtShare, capture, looksOffline } from "./report.mjs";
import { fingerprint, readStamp, writeStamp } from "./stamp.mjs";
import { describeTorch, venvProgram } from "./python.mjs";

const SOURCE = /\.(cc|h|mm|txt)$/;
const TYPESCRIPT = /\.(ts|json)$/;

/** `npm ci` where what is installed is not what the lock file says. */
export async function setUpNodePackages(root, report) {
  if (installedMatchesLock(root)) return;
  await report.step("npm packages", () =>
    // No package that we use needs its install script: packages with native code contain their binaries.
    report.run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      explain: (output) =>
        looksOffline(output)
          ? "The npm registry cannot be reached: check the network connection, then run the command again."
          : `npm ci failed: ${output.split("\n").find((line) => /npm (error|ERR!)/.test(line)) ?? "see its output."}`,
    }),
  );
}

function installedMatchesLock(root) {
  const installed = readStamp(path.join(root, "node_modules", ".package-lock.json"))?.packages;
  if (!installed) return false;
  const locked = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")).packages;
  // Optional packages are skipped: those of other platforms are in the lock file, but rightly not installed.
  return Object.entries(locked).every(
    ([name, { version, optional }]) => name === "" || optional || installed[name]?.version === version,
  );
}

/** Returns the folder of the addon. The one with AddressSanitizer is separate from the one that is used. */
const addonFolder = (root, { asan }) => path.join(root, "build", asan ? "asan" : "native");
export const addonFile = (root, options = { asan: false }) =>
  path.join(addonFolder(root, options), "Release", "mpslab.node");

/** The library for CUDA's graphs and NCCL. It exists beside the addon if that was compiled where CUDA's headers are. */
const CUDA_LIBRARY = "mpslab_cuda.so";

/** The addon, and what it loads from its own folder. */
export const filesOfAddon = (addon) =>
  [addon, path.join(path.dirname(addon), CUDA_LIBRARY)].filter((file) => existsSync(file));

/**
 * Compiles the addon against libtorch.
 *
 * @param {string} root the folder whose `build/` holds the addon
 * @param {{ asan: boolean, sources?: string }} options `sources`: the package's folder. Default: `root`, as in a clone.
 */
export async function buildAddon(root, report, torch, options = { asan: false }) {
  const folder = addonFolder(root, options);
  const sourceFolder = options.sources ?? root;
  const stampFile = path.join(folder, "mpslab.json");
  const sources = fingerprint([path.join(sourceFolder, "native")], SOURCE, torch.folder, torch.version);
  const done = readStamp(stampFile)?.sources === sources && existsSync(addonFile(root, options));
  if (!done) {
    const variant = options.asan ? " with AddressSanitizer" : "";
    await report.step(`addon against libtorch ${torch.version}${variant}`, async (progress) => {
      await checkCompiler();
      removeForeignBuild(folder, sourceFolder, torch);
      await compileAddon(root, report, torch, { ...options, sources: sourceFolder }, progress);
      writeStamp(
        path.join(folder, "Release", "addon.json"),
        addonRecord(sourceFolder, addonFile(root, options), torch.folder),
      );
      writeStamp(stampFile, { sources });
    });
  }
  linkTorch(path.dirname(addonFile(root, options)), torch.folder);
}

/**
 * Returns what is recorded beside an addon: the version of its sources, the PyTorch that it was compiled against, and a
 * hash.
 */
export function addonRecord(sources, addon, torchFolder) {
  return {
    version: JSON.parse(readFileSync(path.join(sources, "package.json"), "utf8")).version,
    torch: describeTorch(torchFolder).version,
    sha256: filesOfAddon(addon)
      .reduce((hash, file) => hash.update(readFileSync(file)), createHash("sha256"))
      .digest("hex"),
  };
}

async function compileAddon(root, report, torch, options, progress) {
  const cmakeJs = createRequire(path.join(options.sources, "package.json")).resolve("cmake-js/package.json");
  await report.run(
    process.execPath,
    [
      path.join(path.dirname(cmakeJs), "bin", "cmake-js"),
      "compile",
      "-O",
      addonFolder(root, options),
      ...(options.asan ? ["--CDMPSLAB_ASAN=ON"] : []),
    ],
    {
      cwd: options.sources,
      onOutput: (output) => progress(builtShare(output)),
      env: {
        ...process.env,
        MPSLAB_TORCH: torch.folder,
        CMAKE_BUILD_PARALLEL_LEVEL: process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? String(compilersAtOnce()),
        PATH: `${process.env.PATH}${path.delimiter}${path.dirname(venvProgram(root, "cmake"))}`,
      },
      explain: (output) =>
        `The addon did not compile: ${
          output
            .split("\n")
            .find((line) => /error:|CMake Error/.test(line))
            ?.trim() ?? "see the compiler's output."
        }`,
    },
  );
}

/**
 * Deletes a build that belongs to other folders, because CMake keeps the folders of its first run. In the copy of a
 * clone CMake would go on compiling the first clone's sources; after a change of MPSLAB_TORCH it would go on using the
 * first PyTorch's headers.
 */
export function removeForeignBuild(folder, sources, torch) {
  const cache = path.join(folder, "CMakeCache.txt");
  if (!existsSync(cache)) return;
  const text = readFileSync(cache, "utf8");
  const kept = (name) => new RegExp(`^${name}:\\w+=(.*)$`, "m").exec(text)?.[1];
  if (kept("CMAKE_HOME_DIRECTORY") === realpathSync(sources) && kept("TORCH") === torch.folder) return;
  rmSync(folder, { recursive: true });
}

/** The addon looks for libtorch in `torch/lib` beside itself. */
function linkTorch(folder, torch) {
  const link = path.join(folder, "torch");
  try {
    if (readlinkSync(link) === torch) return;
  } catch {
    // There is no link yet.
  }
  rmSync(link, { force: true });
  mkdirSync(folder, { recursive: true });
  symlinkSync(torch, link);
}

/**
 * The memory that is reckoned for one compiler: reading libtorch's headers takes 0.95 GB with GCC 12, and the machine
 * itself needs some.
 */
const COMPILER_BYTES = 1.5e9;

/** How many compilers the machine has cores and memory for. */
export function compilersAtOnce(cores = availableParallelism(), memoryBytes = totalmem()) {
  return Math.max(1, Math.min(cores, Math.floor(memoryBytes / COMPILER_BYTES)));
}

async function checkCompiler() {
  const compiler = process.env.CXX ?? "c++";
  if ((await capture(compiler, ["--version"])).status === 0) return;
  throw new SetupError(
    `No C++ compiler was found (${compiler} does not run): install one (on Debian: apt install g++; on a Mac: xcode-select --install), or set CXX to its path.`,
  );
}

export const tsc = (root) => path.join(root, "node_modules", "typescript", "bin", "tsc");

/** Writes the generated files of `lib/torch`: see `native/codegen/generate.ts`. */
export async function generateOperators(root, report, torch) {
  const stampFile = path.join(root, "build", "operators.json");
  const generated = ["tensor/ops", "types/arithmetic/digits", "engine/metal_kernels"].map((file) =>
    path.join(root, "lib", "torch", `${file}.generated.ts`),
  );
  const inputs = fingerprint([path.join(root, "native")], TYPESCRIPT, torch.folder, torch.version);
  if (readStamp(stampFile)?.inputs === inputs && generated.every((file) => existsSync(file))) return;
  await report.step("operators' declarations", async () => {
    await compileTypeScript(root, report, path.join(root, "native", "tsconfig.json"));
    await report.run(
      process.execPath,
      [path.join(root, "dist", "native", "codegen", "generate.js"), torch.folder],
      {
        explain: (output) =>
          `The operators' declarations could not be made: ${output.trim().split("\n").at(-1)}`,
      },
    );
    writeStamp(stampFile, { inputs });
  });
}

/** Compiles kernel/ and lib/ into dist/, and bundles what is started or imported from outside. */
export async function buildJavaScript(root, report) {
  const stampFile = path.join(root, "build", "javascript.json");
  const sources = fingerprint(
    ["kernel", "lib", "native", "tsconfig.json"].map((entry) => path.join(root, entry)),
    /\.(ts|json)$|^bundle\.mjs$/,
  );
  const isWhole = existsSync(path.join(root, "dist", "bundle", "kernel", "main.js"));
  if (readStamp(stampFile)?.sources === sources && isWhole) return;
  await report.step("JavaScript", async () => {
    // Without this, a step that is interrupted would leave an old stamp beside output of several versions of the
    // sources.
    rmSync(stampFile, { force: true });
    removeStaleOutput(root);
    await compileTypeScript(root, report, path.join(root, "tsconfig.json"));
    await bundlePrograms(root);
    writeStamp(stampFile, { sources });
  });
}

const EMITTED = /\.(js|js\.map|d\.ts)$/;

/** Deletes output in dist/ whose source was moved or deleted, because an import of it would still succeed. */
export function removeStaleOutput(root) {
  const dist = path.join(root, "dist");
  if (!existsSync(dist)) return;
  for (const file of readdirSync(dist, { recursive: true })) {
    if (!EMITTED.test(file) || file.startsWith(`bundle${path.sep}`)) continue;
    const source = path.join(root, file.replace(EMITTED, ".ts"));
    if (!existsSync(source)) rmSync(path.join(dist, file));
  }
}

function compileTypeScript(root, report, project) {
  return report.run(process.execPath, [tsc(root), "-p", project], {
    explain: (output) => `The TypeScript sources have errors: ${output.trim().split("\n")[0]}`,
  });
}
