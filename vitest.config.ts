// How `npm test` runs: which files share a worker, a browser, a device. All run `dist/`, which set-up built before.
import { availableParallelism, totalmem } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { HANG_MS } from "./test/helpers/hang.ts";
import { BUILT, builtModules } from "./test/runner/built_modules.ts";
import { DearestFirst } from "./test/runner/sequencer.ts";

const common = {
  testTimeout: HANG_MS,
  hookTimeout: HANG_MS,
  expect: { poll: { timeout: HANG_MS / 2 } },
  pool: "forks" as const,
  server: { deps: { external: [BUILT] } },
};

/** A Mac has Metal itself, and simulates none. */
const mac = process.platform === "darwin";

/** Of `npm run test:gpu` and `test:mps`, which choose it. */
const testedDevice = process.env["MPSLAB_TEST_DEVICE"];

const env = {
  // What tests run is not what the user ran.
  MPSLAB_HISTORY: "off",
  // The library's tests are of the CPU where there is another device, too; those of `test/device` name theirs.
  ...(mac || testedDevice ? { MPSLAB_DEVICE: "cpu" } : {}),
};

/**
 * PyTorch works with one accelerator: where there is a CUDA device, nothing could be simulated beside it. Who needs Metal
 * simulates it.
 */
const onCpu = { ...env, CUDA_VISIBLE_DEVICES: "", MPSLAB_METAL: "" };

/**
 * Rooms whose files leave nothing behind that another would meet: they share a worker, which loads the library once. What
 * stands for a whole process (its environment, its memory, its threads) has one of its own elsewhere.
 */
const SHARING = [
  "test/lib/torch/{amp,autograd,capture,data,devices,nn,optim,profiler,random,serialize,sparse,tensor,vocabulary}/**/*.test.ts",
  "test/lib/torch/engine/!(garbage).test.ts",
  "test/native/{autograd,call,codegen}/**/*.test.ts",
];

const library = {
  test: { ...common, name: "library", include: SHARING, isolate: false, env: onCpu },
};

/** What asks something of a device other than the CPU alone, or compares one with the CPU: on simulated Metal they do. */
const NOT_OF_CPU =
  "test/device/{generators,mps,operators,shader_calls,shaders,shadow_gpt,shadow_operators,workarounds}.test.ts";

const everything = {
  test: {
    ...common,
    name: "mpslab",
    include: ["test/**/*.test.ts"],
    exclude: [
      ...configDefaults.exclude,
      ...SHARING,
      "test/browser/**",
      "test/native/cross/**",
      "test/packages/**",
      "test/packages_of_npm/**",
      "test/site/built/**",
      ...(mac ? ["test/simulated_metal/**"] : []),
      ...(testedDevice ? ["test/device/**"] : [NOT_OF_CPU]),
    ],
    env: onCpu,
  },
};

/** The suite for any device, on the one that the environment names. */
const deviceSuite = (name: string, named: Readonly<Record<string, string>> = {}) => ({
  test: { ...common, name, include: ["test/device/*.test.ts"], env: { ...env, ...named } },
});

/** Where no Mac is. */
const simulatedMetal = deviceSuite("simulated Metal", {
  MPSLAB_TEST_DEVICE: "mps",
  MPSLAB_METAL: "simulated",
});

/** Every layer and every optimizer against what PyTorch recorded of them on the CPU, queued on the simulated device. */
const layersOnSimulatedMetal = {
  test: {
    ...common,
    name: "layers on simulated Metal",
    include: [
      "test/lib/torch/nn/{layers,computed_layers,init}.test.ts",
      "test/lib/torch/nn/layers/layers.test.ts",
      "test/lib/torch/optim/{optim,optimizers,schedulers}.test.ts",
    ],
    setupFiles: ["test/simulated_metal/default_device.ts"],
    // PyTorch has no Metal kernel of some layers: RReLU, fractional and adaptive pooling in three dimensions.
    env: { ...env, MPSLAB_METAL: "simulated", PYTORCH_ENABLE_MPS_FALLBACK: "1" },
  },
};

/** A person's view of JupyterLab: one server and one browser for all files. */
const browser = {
  test: {
    ...common,
    name: "browser",
    include: ["test/browser/*.test.ts"],
    globalSetup: "test/browser/server.ts",
    env: onCpu,
  },
};

/** Installs what `npm run pack` makes, which it makes first. */
const packages = {
  test: {
    ...common,
    name: "packages",
    include: ["test/packages/*.test.ts"],
    globalSetup: "test/packages/pack.ts",
    env,
  },
};

/** The machine for which `npm run test:macos-link` or `test:linux-arm64-link` has compiled the addon. */
const linkTarget = process.env["MPSLAB_LINK_TARGET"];

/** Reads what they have compiled. */
const addonForAnother = {
  test: {
    ...common,
    name: `addon for ${linkTarget}`,
    include: ["test/native/cross/*.test.ts", `test/native/cross/${linkTarget}/*.test.ts`],
  },
};

/** Imports of what `npm run test:packages-of-npm` has installed. */
const packagesOfNpm = {
  test: { ...common, name: "packages of npm", include: ["test/packages_of_npm/*.test.ts"], env },
};

/** Reads what `npm run test:docs` has built. */
const builtSite = { test: { ...common, name: "built site", include: ["test/site/built/*.test.ts"] } };

/**
 * A worker starts kernels, whose processes take two cores and two gigabytes: a third worker on two cores made no run shorter. A
 * device is one, and its tests count its bytes.
 */
const maxWorkers = testedDevice
  ? 2
  : Math.max(2, Math.min(8, availableParallelism(), Math.floor(totalmem() / (4 * 2 ** 30))));

export default defineConfig({
  test: {
    maxWorkers,
    // A random order, where it is asked for, is vitest's own.
    ...(process.argv.some((arg) => arg.startsWith("--sequence.shuffle"))
      ? {}
      : { sequence: { sequencer: DearestFirst } }),
    projects: [
      everything,
      library,
      ...(testedDevice ? [] : [browser, packages]),
      ...(linkTarget ? [addonForAnother] : []),
      ...(process.env["MPSLAB_PACKAGES_OF_NPM"] ? [packagesOfNpm] : []),
      ...(process.env["MPSLAB_BUILT_SITE"] ? [builtSite] : []),
      ...(testedDevice ? [deviceSuite(`on ${testedDevice}`)] : []),
      ...(mac || testedDevice ? [] : [simulatedMetal, layersOnSimulatedMetal]),
    ].map((project) => ({ plugins: [builtModules()], ...project })),
  },
});
