// Bundles the kernel, and what a session loads, into dist/bundle/: Node takes a millisecond for each of the 700 files of the
// library and the runtime, three times as long as their code itself takes. The kernel's main program has a hundred more.
import { readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";

/** What Jupyter starts. */
const KERNEL = "kernel/main.js";

/**
 * What a session starts or imports by its address. All of them share one copy of each module: a tensor of a cell is one of the
 * runtime's.
 */
const ENTRIES = [
  "kernel/runtime/host.js",
  "kernel/runtime/requests.js",
  "kernel/runtime/modules/local_modules.js",
  "kernel/runtime/modules/tslab.js",
  "kernel/runtime/modules/checked_package.js",
  "kernel/runtime/snapshots/writer.js",
  "lib/index.js",
  "lib/charts/render_worker.js",
  "lib/lab/remote/agent.js",
  "lib/torch/data/workers/worker_main.js",
];

/**
 * An interrupt tells the frames of these modules from all others by their file (kernel/runtime/interrupt/paused_stack.ts): both
 * come into host.js, and nothing else. What two entries import comes into a file of its own, so another entry imports
 * everything that these import.
 */
const ALONE = ["kernel/runtime/host.js", "kernel/runtime/cell_runner.js"];
const BESIDE_ALONE = "kernel/runtime/beside_host.js";

/**
 * A session lends these to the library. In a file of their own they have one address in every build: the library finds them
 * also where it was built anew after the session began.
 */
const LENT = ["lib/comms/comms.js", "lib/deadlines.js", "lib/display.js", "lib/session.js"];

/** Stands before the path of a module that others import from its file. */
const OWN_FILE = "mpslab-own-file:";

/** @param root the folder whose dist/ was compiled */
export async function bundlePrograms(root) {
  const dist = path.join(root, "dist");
  const ownFiles = [...findNamespaces(dist), ...LENT];
  const ofSessions = await bundle(dist, [...ENTRIES, BESIDE_ALONE, ...ownFiles], "lib", [
    ownAddresses(dist, "bundle/"),
    besideAlone(dist),
    inOwnFiles(dist, ownFiles),
  ]);
  // The kernel names declarations, tables and programs, which are no part of its bundle.
  const ofKernel = await bundle(dist, [KERNEL], "kernel", [ownAddresses(dist, "")]);
  removeEarlier(path.join(dist, "bundle"), new Set([...ofSessions, ...ofKernel]));
}

const DAY_MS = 86_400_000;

/** A kernel or a session that runs loads parts of its own build as it needs them: chunks stay for a day. */
function removeEarlier(folder, written) {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = path.join(folder, name);
    const { mtimeMs } = statSync(file);
    const isChunk = path.basename(path.dirname(file)) === "chunks";
    const isInUse = written.has(name.replace(/\.map$/, "")) || (isChunk && Date.now() - mtimeMs < DAY_MS);
    if (/\.js(\.map)?$/.test(name) && !isInUse) rmSync(file);
  }
}

/**
 * @param chunks the folder of what entries share; frames of the library are told from the user's by theirs
 * @returns the names of the files
 */
async function bundle(dist, entries, chunks, plugins) {
  // This file is loaded before npm's packages are there.
  const { rolldown } = await import("rolldown");
  const made = await rolldown({
    input: Object.fromEntries(entries.map((file) => [file, path.join(dist, file)])),
    platform: "node",
    external: (specifier) => !/^[./]/.test(specifier) && !path.isAbsolute(specifier),
    plugins,
  });
  const { output } = await made.write({
    dir: path.join(dist, "bundle"),
    entryFileNames: "[name]",
    chunkFileNames: `${chunks}/chunks/[name]-[hash].js`,
    // Users read the names of functions, also of one that shares a file with another of its name.
    keepNames: true,
    sourcemap: true,
  });
  await made.close();
  return output.map(({ fileName }) => fileName);
}

/**
 * A module finds its neighbours by its own address.
 *
 * @param folder where they are, in dist/: `bundle/` where they are bundled too
 */
const ownAddresses = (dist, folder) => ({
  name: "own addresses",
  transform(code, file) {
    if (!code.includes("import.meta.url")) return null;
    const address = folder + path.relative(dist, file);
    const own = `import.meta.url.replace(/(.*\\/dist\\/)bundle\\/.*/, ${JSON.stringify(`$1${address}`)})`;
    // On the same line, so that the map of the compiler stays right to the line.
    return { code: code.replaceAll("import.meta.url", own), map: null };
  },
});

const besideAlone = (dist) => ({
  name: "beside the modules that stay alone",
  resolveId: (file) => (file === path.join(dist, BESIDE_ALONE) ? file : null),
  load(file) {
    if (file !== path.join(dist, BESIDE_ALONE)) return null;
    const alone = ALONE.map((one) => path.join(dist, one));
    const imported = alone.flatMap((one) => {
      const imports = readFileSync(one, "utf8").matchAll(/ from "(\..+)"/g);
      return [...imports].map(([, specifier]) => path.resolve(path.dirname(one), specifier));
    });
    const others = imported.filter((one) => !alone.includes(one));
    // With their names: what has no side effects would be left out, and come into host.js.
    return others.map((one, at) => `export * as m${at} from ${JSON.stringify(one)};`).join("\n");
  },
});

/**
 * The modules that are values somewhere, as `torch.nn` is, in the order of their names. A bundler would make an object of
 * getters of such a module, and `console.log(nn)` would show them.
 */
function findNamespaces(dist) {
  const found = new Set();
  for (const file of readdirSync(path.join(dist, "lib"), { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".js")) continue;
    const text = readFileSync(path.join(dist, "lib", file), "utf8");
    for (const [, specifier] of text.matchAll(/^(?:import|export) \* as \w+ from "(\..+)"/gm))
      found.add(path.join("lib", path.dirname(file), specifier));
  }
  return [...found].sort();
}

/** Leaves modules to Node: others import each from its file. */
const inOwnFiles = (dist, ownFiles) => ({
  name: "modules in files of their own",
  resolveId(specifier, importer) {
    if (importer === undefined || !/^[./]/.test(specifier)) return null;
    const file = path.relative(dist, path.resolve(path.dirname(importer), specifier));
    return ownFiles.includes(file) ? { id: OWN_FILE + file, external: true } : null;
  },
  renderChunk(code, { fileName }) {
    const relative = (file) => {
      const between = path.relative(path.dirname(fileName), file);
      return between.startsWith(".") ? between : `./${between}`;
    };
    const named = new RegExp(`"${OWN_FILE}([^"]+)"`, "g");
    return { code: code.replaceAll(named, (_, file) => JSON.stringify(relative(file))), map: null };
  },
});
