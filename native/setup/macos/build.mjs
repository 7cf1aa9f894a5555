// Compiles and links the addon for macOS on Linux. CMake reads the project's own CMakeLists.txt as on a Mac and writes the
// commands; each is run here where its inputs have changed, so that a fresh look costs seconds.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { OLDEST_MACOS } from "../platform.mjs";
import { venvProgram } from "../python.mjs";
import { fingerprint, readStamp, writeStamp } from "../stamp.mjs";

/**
 * @typedef {object} MacBuild
 * @property {string} addon the Mach-O file that a Mac would load
 * @property {readonly string[]} objects those that it was linked from
 * @property {string} compiler a C++ compiler for macOS on arm64
 * @property {string} zig the same for any target
 * @property {string} torch folder of PyTorch's package for Macs
 */

/** @returns {Promise<MacBuild>} also in build/macos/build.json */
export async function buildForMac(root, report, toolchain, compilers) {
  const folder = path.join(root, "build", "macos");
  const cmakeFolder = path.join(folder, "cmake");
  const compiler = writeProgramsOfMac(path.join(folder, "bin"), toolchain.zig);
  const programs = [path.dirname(compiler), process.env.PATH, path.dirname(venvProgram(root, "cmake"))];
  const environment = {
    ...process.env,
    ZIG_GLOBAL_CACHE_DIR: path.join(folder, "zig"),
    ZIG_LOCAL_CACHE_DIR: path.join(folder, "zig"),
    PATH: programs.join(path.delimiter),
  };
  const run = (command, args, options) => report.run(command, args, { env: environment, ...options });

  await configure(root, run, cmakeFolder, compiler, toolchain);
  const commands = JSON.parse(readFileSync(path.join(cmakeFolder, "compile_commands.json"), "utf8")).map(
    (entry) => ({
      ...entry,
      output: path.resolve(entry.directory, / -o (\S+)/.exec(entry.command)[1]),
    }),
  );
  const made = new Keys(path.join(folder, "objects.json"));
  const keyOf = inputKeys(root, toolchain.version);
  const stale = commands.filter((entry) => made.of(entry.output) !== keyOf(entry));
  const compile = async (entry) => {
    await run("sh", ["-c", `exec ${entry.command}`], { cwd: entry.directory, explain: firstError });
    made.set(entry.output, keyOf(entry));
  };
  if (stale.length > 0) {
    await report.step(`addon for macOS: ${stale.length} of ${commands.length} files`, async () => {
      // The others read the precompiled headers.
      const isHeader = ({ output }) => output.endsWith(".pch");
      await inParallel(stale.filter(isHeader), compilers, compile);
      await inParallel(
        stale.filter((entry) => !isHeader(entry)),
        compilers,
        compile,
      );
    });
  }
  const addon = path.join(cmakeFolder, "native", "mpslab.node");
  const linkFile = path.join(cmakeFolder, "native", "CMakeFiles", "mpslab.dir", "link.txt");
  const link = readFileSync(linkFile, "utf8").trim();
  const objects = commands.map(({ output }) => output).filter((output) => output.endsWith(".o"));
  const linkKey = sha256(link, ...objects.map((object) => made.of(object)));
  if (made.of(addon) !== linkKey) {
    await run("sh", ["-c", link], { cwd: path.join(cmakeFolder, "native"), explain: firstError });
    made.set(addon, linkKey);
  }
  const build = { addon, objects, compiler, zig: toolchain.zig, torch: toolchain.torch };
  writeStamp(path.join(folder, "build.json"), build);
  return build;
}

/** The programs by whose answers CMake knows a Mac. */
function writeProgramsOfMac(folder, zig) {
  const program = (name, text) => {
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, name);
    if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text, { mode: 0o755 });
    return file;
  };
  // Without an answer, CMake leaves the rpaths out.
  program("sw_vers", `#!/bin/sh\necho ${OLDEST_MACOS}.0\n`);
  program("install_name_tool", "#!/bin/sh\n");
  // zig links no bundle, but a dylib, which loads as an addon just the same. It would link a C++ library of its own, where
  // a Mac has one, and check for undefined behaviour at run time, which no Mac's compiler does.
  return program(
    "c++",
    [
      "#!/bin/sh",
      "libraries=-nostdlib++",
      "for word do",
      "  shift",
      '  case "$word" in',
      '    -c) libraries= && set -- "$@" -c ;;',
      '    -bundle) set -- "$@" -shared ;;',
      "    -Wl,-headerpad_max_install_names | -Wl,-search_paths_first) ;;",
      '    *) set -- "$@" "$word" ;;',
      "  esac",
      "done",
      `exec "${zig}" c++ --target=aarch64-macos.${OLDEST_MACOS}.0 $libraries -fno-sanitize=all -Wno-unused-command-line-argument "$@"`,
      "",
    ].join("\n"),
  );
}

async function configure(root, run, cmakeFolder, compiler, toolchain) {
  const stampFile = path.join(cmakeFolder, "configured.json");
  const inputs = fingerprint(
    [path.join(root, "native"), path.join(root, "CMakeLists.txt")],
    /^CMakeLists\.txt$/,
    toolchain.version,
    // A copy of the project would compile the first one's sources.
    root,
    readFileSync(compiler),
  );
  if (readStamp(stampFile)?.inputs === inputs) return;
  const modules = path.join(root, "node_modules");
  const settings = {
    CMAKE_BUILD_TYPE: "Release",
    CMAKE_EXPORT_COMPILE_COMMANDS: "ON",
    CMAKE_SYSTEM_NAME: "Darwin",
    CMAKE_SYSTEM_VERSION: "23.0.0",
    CMAKE_SYSTEM_PROCESSOR: "arm64",
    CMAKE_OSX_DEPLOYMENT_TARGET: `${OLDEST_MACOS}.0`,
    CMAKE_CXX_COMPILER: compiler,
    CMAKE_OBJCXX_COMPILER: compiler,
    CMAKE_CXX_COMPILER_WORKS: "1",
    CMAKE_OBJCXX_COMPILER_WORKS: "1",
    CMAKE_INSTALL_NAME_TOOL: path.join(path.dirname(compiler), "install_name_tool"),
    CMAKE_JS_INC: `${modules}/node-api-headers/include;${modules}/node-addon-api`,
    CMAKE_CXX_FLAGS: "-Werror",
    CMAKE_OBJCXX_FLAGS: `-Werror -isystem ${path.join(root, "native", "setup", "macos", "apple_headers")}`,
    TORCH: toolchain.torch,
  };
  const words = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
  await run("cmake", ["--fresh", "-S", root, "-B", cmakeFolder, "-G", "Unix Makefiles", ...words], {
    explain: (output) =>
      `CMake does not understand the addon's project as a Mac would: ${lineWith(output, /CMake Error/)}`,
  });
  writeStamp(stampFile, { inputs });
}

/**
 * A key for what a command makes: its words, the toolchain, and the text of our own files that it reads. They include each
 * other by their path from native/.
 */
function inputKeys(root, version) {
  const native = path.join(root, "native");
  const texts = new Map();
  const read = (file) => {
    if (!texts.has(file)) {
      const text = readFileSync(path.join(native, file), "utf8");
      const targets = [...text.matchAll(/^\s*#\s*(?:include|import)\s*"([^"]+)"/gm)].map(
        ([, target]) => target,
      );
      texts.set(file, { text, targets: targets.filter((target) => existsSync(path.join(native, target))) });
    }
    return texts.get(file);
  };
  const addons = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).dependencies;
  const always = [
    version,
    addons["node-addon-api"],
    addons["node-api-headers"],
    fingerprint([path.join(native, "setup", "macos", "apple_headers")], /\.h$/),
  ];
  return ({ command, file }) => {
    const seen = new Set();
    const open = [
      "addon/precompiled.h",
      ...(file.startsWith(`${native}/`) ? [path.relative(native, file)] : []),
    ];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...read(next).targets);
    }
    return sha256(command, ...always, ...[...seen].sort().flatMap((name) => [name, read(name).text]));
  };
}

/** With which inputs each file was made, kept after every one: an interrupted build goes on where it was. */
class Keys {
  #file;
  #keys;
  constructor(file) {
    this.#file = file;
    this.#keys = readStamp(file) ?? {};
  }
  of(output) {
    return existsSync(output) ? this.#keys[output] : undefined;
  }
  set(output, key) {
    this.#keys[output] = key;
    writeStamp(this.#file, this.#keys);
  }
}

async function inParallel(entries, workers, work) {
  const open = [...entries];
  const worker = async () => {
    try {
      for (let entry = open.shift(); entry !== undefined; entry = open.shift()) await work(entry);
    } catch (error) {
      // One error is told: the others need not be waited for.
      open.length = 0;
      throw error;
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

function sha256(...texts) {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${text}\n`);
  return hash.digest("hex");
}

const lineWith = (output, pattern) =>
  output
    .split("\n")
    .find((line) => pattern.test(line))
    ?.trim() ?? "see its output.";
const firstError = (output) => `The addon would not compile on a Mac: ${lineWith(output, /error:/)}`;
