// Compiles and links the addon for another machine. CMake reads the project's own CMakeLists.txt as on that machine and
// writes the commands; each is run here where its inputs have changed, so that a fresh look costs seconds.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { venvProgram } from "../python.mjs";
import { fingerprint, readStamp, writeStamp } from "../stamp.mjs";
import { headersOfHost } from "./targets.mjs";

const APPLE_HEADERS = ["native", "setup", "cross", "apple_headers"];

/**
 * @typedef {object} CrossBuild
 * @property {string} addon the file that the other machine would load
 * @property {readonly string[]} objects those that it was linked from
 * @property {string} compiler a C++ compiler for the target
 * @property {string} zig the same for any other
 * @property {string} torch folder of PyTorch's package for the target
 */

/**
 * @param {import("./targets.mjs").Target} target
 * @param {import("./toolchain.mjs").Toolchain} toolchain
 * @returns {Promise<CrossBuild>} also in `build.json` of the target's folder
 */
export async function buildFor(root, report, target, toolchain, compilers) {
  const folder = path.join(root, "build", "cross", target.name);
  const cmakeFolder = path.join(folder, "cmake");
  const compiler = await writeCompiler(path.join(folder, "bin"), target, toolchain.zig);
  const programs = [path.dirname(compiler), process.env.PATH, path.dirname(venvProgram(root, "cmake"))];
  const environment = {
    ...process.env,
    ZIG_GLOBAL_CACHE_DIR: path.join(folder, "zig"),
    ZIG_LOCAL_CACHE_DIR: path.join(folder, "zig"),
    PATH: programs.join(path.delimiter),
  };
  const run = (command, args, options) => report.run(command, args, { env: environment, ...options });

  await configure(root, run, cmakeFolder, compiler, target, toolchain);
  const commands = JSON.parse(readFileSync(path.join(cmakeFolder, "compile_commands.json"), "utf8")).map(
    (entry) => ({
      ...entry,
      output: path.resolve(entry.directory, / -o (\S+)/.exec(entry.command)[1]),
    }),
  );
  const made = new Keys(path.join(folder, "objects.json"));
  const keyOf = inputKeys(root, toolchain.version, readFileSync(compiler, "utf8"));
  const stale = commands.filter((entry) => made.of(entry.output) !== keyOf(entry));
  const compile = async (entry) => {
    await run("sh", ["-c", `exec ${entry.command}`], { cwd: entry.directory, explain: firstError(target) });
    made.set(entry.output, keyOf(entry));
  };
  if (stale.length > 0) {
    await report.step(`addon for ${target.system}: ${stale.length} of ${commands.length} files`, async () => {
      // These come first, because the other files read the precompiled headers.
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
    await run("sh", ["-c", link], { cwd: path.join(cmakeFolder, "native"), explain: firstError(target) });
    made.set(addon, linkKey);
  }
  const build = { addon, objects, compiler, zig: toolchain.zig, torch: toolchain.torch };
  writeStamp(path.join(folder, "build.json"), build);
  return build;
}

/** Writes the compiler that CMake and the recorded commands call: a script around zig. */
async function writeCompiler(folder, target, zig) {
  for (const [name, text] of Object.entries(target.programs))
    writeProgram(folder, name, `#!/bin/sh\n${text}\n`);
  // GCC's headers call their own deprecated functions.
  const headers = target.headersOfHost
    ? ["-nostdinc++", "-Wno-deprecated-declarations", ...(await headersOfHost()).map((one) => `-I"${one}"`)]
    : [];
  // zig would link a C++ library of its own, although the system has one. It would also check for undefined behaviour
  // at run time, which no other compiler does by default. It knows no bundles, as which Macs load addons, but Macs load
  // a dylib just the same.
  return writeProgram(
    folder,
    "c++",
    [
      "#!/bin/sh",
      `link="-nostdlib++ ${target.linkFlags}"`,
      "for word do",
      "  shift",
      '  case "$word" in',
      '    -c) link= && set -- "$@" -c ;;',
      '    -bundle) set -- "$@" -shared ;;',
      ...target.unknownWords.map((word) => `    ${word}) ;;`),
      '    *) set -- "$@" "$word" ;;',
      "  esac",
      "done",
      `exec "${zig}" c++ --target=${target.zigTarget} $link ${headers.join(" ")} -fno-sanitize=all -Wno-unused-command-line-argument "$@"`,
      "",
    ].join("\n"),
  );
}

function writeProgram(folder, name, text) {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, name);
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text, { mode: 0o755 });
  return file;
}

async function configure(root, run, cmakeFolder, compiler, target, toolchain) {
  const stampFile = path.join(cmakeFolder, "configured.json");
  const modules = path.join(root, "node_modules");
  const settings = {
    ...target.settings,
    CMAKE_BUILD_TYPE: "Release",
    CMAKE_EXPORT_COMPILE_COMMANDS: "ON",
    CMAKE_CXX_COMPILER: compiler,
    CMAKE_OBJCXX_COMPILER: compiler,
    CMAKE_CXX_COMPILER_WORKS: "1",
    CMAKE_OBJCXX_COMPILER_WORKS: "1",
    CMAKE_INSTALL_NAME_TOOL: path.join(path.dirname(compiler), "install_name_tool"),
    CMAKE_JS_INC: `${modules}/node-api-headers/include;${modules}/node-addon-api`,
    CMAKE_CXX_FLAGS: target.flags,
    CMAKE_OBJCXX_FLAGS: `${target.flags} -isystem ${path.join(root, ...APPLE_HEADERS)}`,
    TORCH: toolchain.torch,
  };
  const inputs = fingerprint(
    [path.join(root, "native"), path.join(root, "CMakeLists.txt")],
    /^CMakeLists\.txt$/,
    toolchain.version,
    // In a copy of the project, CMake would otherwise compile the first project's sources.
    root,
    JSON.stringify(settings),
    readFileSync(compiler),
  );
  if (readStamp(stampFile)?.inputs === inputs) return;
  const words = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
  await run("cmake", ["--fresh", "-S", root, "-B", cmakeFolder, "-G", "Unix Makefiles", ...words], {
    explain: (output) =>
      `CMake does not understand the addon's project for ${target.system}: ${lineWith(output, /CMake Error/)}`,
  });
  writeStamp(stampFile, { inputs });
}

/**
 * A key for what a command makes: its words, the toolchain, and the text of our own files that it reads. Those include each
 * other by their path from native/, and CMake's file of a whole folder includes them by their whole path.
 */
function inputKeys(root, ...versions) {
  const native = path.join(root, "native");
  const texts = new Map();
  const read = (file) => {
    if (!texts.has(file)) {
      const text = readFileSync(file, "utf8");
      const named = [...text.matchAll(/^\s*#\s*(?:include|import)\s*"([^"]+)"/gm)];
      texts.set(file, {
        text,
        includes: named.map(([, name]) => path.resolve(native, name)).filter((name) => existsSync(name)),
      });
    }
    return texts.get(file);
  };
  const addons = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).dependencies;
  const always = [
    ...versions,
    addons["node-addon-api"],
    addons["node-api-headers"],
    fingerprint([path.join(root, ...APPLE_HEADERS)], /\.h$/),
  ];
  return ({ command, file }) => {
    const seen = new Set();
    const open = [path.join(native, "addon", "precompiled.h"), file];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...read(next).includes);
    }
    return sha256(command, ...always, ...[...seen].sort().flatMap((name) => [name, read(name).text]));
  };
}

/**
 * Stores which inputs each file was made from. It is written after every file, so that an interrupted build continues
 * where it was.
 */
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
      // Only one error is reported, so the remaining work is dropped.
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
const firstError = (target) => (output) =>
  `The addon does not compile for ${target.system}: ${lineWith(output, /error:/)}`;
