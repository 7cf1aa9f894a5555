// Bundles the kernel, and what a session loads, into dist/bundle/: Node takes a millisecond for each of the 700 files of the
// library and the runtime, three times as long as their code itself takes. The kernel's main program has a hundred more.
import { readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";

/** The program that Jupyter starts. */
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
 * An interrupt recognizes the frames of these modules by their file (kernel/runtime/interrupt/paused_stack.ts). So
 * host.js must contain these two modules and nothing else. A bundler puts what two entries import into a file of its
 * own; therefore BESIDE_ALONE is another entry that imports everything that these two import.
 */
const ALONE = ["kernel/runtime/host.js", "kernel/runtime/cell_runner.js"];
const BESIDE_ALONE = "kernel/runtime/beside_host.js";

/**
 * Modules through which a session passes objects to the library. They have files of their own, whose addresses are the
 * same in every build. So the library finds them even if it was rebuilt after the session began.
 */
const LENT = ["lib/comms/comms.js", "lib/deadlines.js", "lib/display.js", "lib/session.js"];

/** The prefix of the path of a module that is imported from its own file. */
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
  // The addresses in the kernel are not in `bundle/`: it names declarations, tables and programs outside of its bundle.
  const ofKernel = await bundle(dist, [KERNEL], "kernel", [ownAddresses(dist, "")]);
  removeEarlier(path.join(dist, "bundle"), new Set([...ofSessions, ...ofKernel]));
}

const DAY_MS = 86_400_000;

/**
 * Deletes files of earlier builds. A running kernel or session loads chunks of its own build when it needs them, so
 * chunks are kept for a day.
 */
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
  // Imported only here, because this file is loaded before npm's packages are installed.
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
    // Users see the names of functions, so a function keeps its name even if another one in its file has the same name.
    keepNames: true,
    sourcemap: true,
  });
  await made.close();
  return output.map(({ fileName }) => fileName);
}

/**
 * Keeps `import.meta.url` what it was before bundling, because modules find their neighbours by their own address.
 *
 * @param folder where the neighbours are, in dist/: `bundle/` if they are bundled too
 */
const ownAddresses = (dist, folder) => ({
  name: "own addresses",
  transform(code, file) {
    if (!code.includes("import.meta.url")) return null;
    const address = folder + path.relative(dist, file);
    const own = `import.meta.url.replace(/(.*\\/dist\\/)bundle\\/.*/, ${JSON.stringify(`$1${address}`)})`;
    // Everything stays on one line, so that the compiler's source map is still right by lines.
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
    // Exported by name, because a bundler would leave out a module without side effects here, and put it into host.js.
    return others.map((one, at) => `export * as m${at} from ${JSON.stringify(one)};`).join("\n");
  },
});

/**
 * The modules that are used as values, such as `torch.nn`, sorted by name. A bundler would turn such a module into an
 * object of getters, which `console.log(nn)` would show.
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

/** Leaves these modules out of the bundle: each is imported by Node from its own file. */
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
