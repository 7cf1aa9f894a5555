// The machines that the addon can be compiled for on Linux x64 with zig, a C++ compiler that carries the headers of
// many systems and the symbols of their libraries. Plain data, except where it asks for the folders of C++ headers.
import path from "node:path";
import { OLDEST_MACOS } from "../platform.mjs";
import { SetupError, capture } from "../report.mjs";

/** The oldest Linux that the addon runs on. The headers of C++ that it is compiled with ask for 2.32 at least. */
const OLDEST_GLIBC = "2.34";

/**
 * @typedef {object} Target
 * @property {string} name as in the name of its package: `darwin-arm64`
 * @property {string} platform as in `process.platform`
 * @property {string} arch as in `process.arch`
 * @property {string} system for messages
 * @property {string} torchWheel the platform in the name of PyTorch's wheel
 * @property {string} torchLibraries those of the wheel that are linked, or whose symbols are compared: a regular expression
 * @property {string} zigTarget
 * @property {readonly string[]} unknownWords words of CMake's that zig's linker does not know
 * @property {string} flags of the compiler
 * @property {string} linkFlags
 * @property {boolean} headersOfHost whether the headers of C++ are those of this machine's compiler
 * @property {Record<string, string>} programs by whose answers CMake knows the system
 * @property {Record<string, string>} settings of CMake
 */

/** @type {readonly Target[]} */
const TARGETS = [
  {
    name: "darwin-arm64",
    platform: "darwin",
    arch: "arm64",
    system: "macOS",
    torchWheel: `macosx_${OLDEST_MACOS}_0_arm64`,
    torchLibraries: String.raw`lib(c10|torch_cpu|torch_python)\.dylib`,
    zigTarget: `aarch64-macos.${OLDEST_MACOS}.0`,
    unknownWords: ["-Wl,-headerpad_max_install_names", "-Wl,-search_paths_first"],
    // Mac compilers print the same warnings as zig, so warnings count as errors.
    flags: "-Werror",
    linkFlags: "",
    headersOfHost: false,
    // Stand-ins for programs of macOS. Without install_name_tool, CMake leaves the rpaths out.
    programs: { sw_vers: `echo ${OLDEST_MACOS}.0`, install_name_tool: ":" },
    settings: {
      CMAKE_SYSTEM_NAME: "Darwin",
      CMAKE_SYSTEM_VERSION: "23.0.0",
      CMAKE_SYSTEM_PROCESSOR: "arm64",
      CMAKE_OSX_DEPLOYMENT_TARGET: `${OLDEST_MACOS}.0`,
    },
  },
  {
    name: "linux-arm64",
    platform: "linux",
    arch: "arm64",
    system: "Linux arm64",
    torchWheel: "manylinux_2_28_aarch64",
    torchLibraries: String.raw`lib(c10|torch_cpu)\.so`,
    zigTarget: `aarch64-linux-gnu.${OLDEST_GLIBC}`,
    unknownWords: [],
    flags: "",
    // Leaves out the symbols for debuggers, which zig adds unasked: 24 MB.
    linkFlags: "-s",
    // zig carries the headers of LLVM's C++ library, but PyTorch for Linux is compiled with GCC's. GCC's headers are
    // the same for every 64-bit processor, except where they ask the compiler.
    headersOfHost: true,
    programs: {},
    settings: {
      CMAKE_SYSTEM_NAME: "Linux",
      CMAKE_SYSTEM_PROCESSOR: "aarch64",
      // For Linux zig gives the precompiled headers to its linker, which does not know them.
      CMAKE_DISABLE_PRECOMPILE_HEADERS: "ON",
    },
  },
];

/** @throws SetupError for an unknown name */
export function targetNamed(name) {
  const target = TARGETS.find((one) => one.name === name);
  if (target !== undefined) return target;
  throw new SetupError(
    `There is no way to compile for ${name ?? "(none)"} here: name ${TARGETS.map((one) => one.name).join(" or ")}, or run the command without a platform on that machine.`,
  );
}

/** The folders of the headers of this machine's C++ library. */
export async function headersOfHost() {
  const compiler = process.env.CXX ?? "c++";
  const { output } = await capture(compiler, ["-E", "-x", "c++", "-v", "/dev/null"]);
  const folders = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => path.isAbsolute(line) && /\/c\+\+\/\d+/.test(line) && !line.endsWith("/backward"));
  if (folders.length > 0) return [...new Set(folders.map((folder) => path.normalize(folder)))];
  throw new SetupError(
    `${compiler} does not say where the headers of its C++ library are: install g++ (on Debian: apt install g++), or set CXX to it.`,
  );
}
