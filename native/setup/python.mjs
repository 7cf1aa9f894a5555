// Set-up of the Python side: an interpreter, `.venv`, JupyterLab and its tools, and libtorch.
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { thisMachine } from "./platform.mjs";
import { SetupError, capture, looksOffline } from "./report.mjs";
import { fingerprint, readStamp, writeStamp } from "./stamp.mjs";

/**
 * The PyTorch that the addon is compiled against and tested with. Another one is used only if MPSLAB_TORCH names it.
 */
export const TORCH_VERSION = "2.15.0";
/** The oldest Python that its wheel takes (`Requires-Python`). */
const OLDEST_PYTHON = [3, 11];
/** The newest that it has wheels for on every platform. */
const NEWEST_PYTHON = [3, 14];

const NO_NETWORK =
  "The Python package index cannot be reached: check the network connection, then run the command again.";

export function venvProgram(root, name) {
  return path.join(root, ".venv", "bin", name);
}

/** @returns a Python that can make virtual environments */
async function findPython() {
  const asked = process.env.MPSLAB_PYTHON;
  for (const name of asked
    ? [asked]
    : ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11"]) {
    const { status, output } = await capture(name, [
      "-c",
      "import sys, venv, ensurepip; print(*sys.version_info[:2])",
    ]);
    if (status !== 0) continue;
    const [major, minor] = output.trim().split(" ").map(Number);
    if (major > OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1])) return name;
  }
  throw new SetupError(
    asked
      ? `MPSLAB_PYTHON is ${asked}, which is no Python ${OLDEST_PYTHON.join(".")} or newer with the venv module: set it to one, or unset it.`
      : `No Python ${OLDEST_PYTHON.join(".")} or newer with the venv module was found: install one (on Debian: apt install python3-venv; on a Mac: brew install python@3.13, or python.org), or set MPSLAB_PYTHON to its path.`,
  );
}

/** The packages of `requirements.txt` that opening and running notebooks needs; the others are for tests. */
const FOR_NOTEBOOKS = new Set([
  "jupyterlab",
  "jupyterlab_widgets",
  "anywidget",
  "nbclient",
  "nbconvert",
  "jsonschema",
]);

/**
 * JupyterLab in the `.venv` of a user's folder, for an installed package.
 *
 * @param {string} sources the package's folder
 */
export async function setUpJupyter(root, report, sources) {
  const named = readFileSync(path.join(sources, "requirements.txt"), "utf8")
    .split("\n")
    .filter((line) => FOR_NOTEBOOKS.has(line.split("==")[0]));
  const stampFile = path.join(root, ".venv", "mpslab.json");
  const requirements = named.join("\n");
  if (readStamp(stampFile)?.requirements === requirements && hasJupyterLab(root)) return;
  await report.step("JupyterLab", async () => {
    await makeVenv(root, report);
    await pip(root, report, named);
    writeStamp(stampFile, { requirements });
  });
}

/**
 * Checked in addition to the stamp, which may outlive what it stands for: a removal may have been cut short, or Python
 * upgraded.
 */
const hasJupyterLab = (root) =>
  existsSync(venvProgram(root, "python")) && existsSync(venvProgram(root, "jupyter-lab"));

/** `.venv` with what `requirements.txt` names, and with our translator for papermill. */
export async function setUpPython(root, report) {
  const stampFile = path.join(root, ".venv", "mpslab.json");
  const requirements = readFileSync(path.join(root, "requirements.txt"), "utf8");
  const translatorFolder = path.join(root, "kernel", "papermill");
  const translator = fingerprint([translatorFolder], /\.(py|toml)$/);
  const done = readStamp(stampFile);
  if (done?.requirements !== requirements || done.translator !== translator) {
    await report.step("Python packages into .venv", async () => {
      await makeVenv(root, report);
      if (done?.requirements !== requirements)
        await pip(root, report, ["-r", path.join(root, "requirements.txt")]);
      // Not isolated: the build needs only what is already in .venv, and an isolated build would download that again.
      await pip(root, report, ["--no-build-isolation", "--no-deps", "--force-reinstall", translatorFolder]);
      writeStamp(stampFile, { requirements, translator });
    });
  }
  letScriptsBeCommonJs(root);
}

/** Some of the packages that `requirements.txt` names, in `.venv`, for programs that need no Jupyter. */
export async function setUpPackages(root, report, names) {
  const stampFile = path.join(root, ".venv", "mpslab-packages.json");
  const requirements = readFileSync(path.join(root, "requirements.txt"), "utf8");
  const named = requirements.split("\n").filter((line) => names.includes(line.split("==")[0]));
  const installed = readStamp(stampFile)?.packages ?? [];
  const isWhole = readStamp(path.join(root, ".venv", "mpslab.json"))?.requirements === requirements;
  if (isWhole || named.every((line) => installed.includes(line))) return;
  await report.step(`${names.join(", ")} into .venv`, async () => {
    await makeVenv(root, report);
    await pip(root, report, named);
    writeStamp(stampFile, { packages: named });
  });
}

/**
 * Registers the kernel with the Jupyter in `.venv`, whose papermill and nbconvert then run notebooks without further
 * settings. Does so again where the Node that is named there is gone, as after an upgrade, and where an earlier version of
 * this clone has named its program.
 */
export async function registerKernel(root, report) {
  const venv = path.join(root, ".venv");
  const kernelspec = path.join(venv, "share", "jupyter", "kernels", "mpslab");
  const known = readStamp(path.join(kernelspec, "kernel.json"));
  const node = known?.argv?.[0] ?? "";
  const isEarlier =
    known?.argv?.[1] === path.join(root, "dist", "kernel", "main.js") ||
    !existsSync(path.join(kernelspec, "logo-svg.svg"));
  if (known !== null && !isEarlier && (!path.isAbsolute(node) || existsSync(node))) return;
  await report.run(
    process.execPath,
    [path.join(root, "dist", "kernel", "cli.js"), "install", "--prefix", venv],
    {
      explain: () => `The kernel could not be made known to ${venv}: check that the folder can be written.`,
    },
  );
}

/** Installs cmake into `.venv` if the machine has none. */
export async function setUpCmake(root, report) {
  if (existsSync(venvProgram(root, "cmake")) || (await capture("cmake", ["--version"])).status === 0) return;
  await report.step("cmake into .venv", async () => {
    await makeVenv(root, report);
    await pip(root, report, ["cmake==3.31.6"]);
    await linkCmake(root, report);
  });
}

/**
 * Replaces the script that pip installs for cmake by a link to cmake's own program. The script does not find its Python
 * below a folder with a name like `my $5`.
 */
async function linkCmake(root, report) {
  const script = venvProgram(root, "cmake");
  const program = "import cmake, os; print(os.path.join(cmake.CMAKE_BIN_DIR, 'cmake'))";
  const binary = await report.run(venvProgram(root, "python"), ["-c", program], {
    explain: () =>
      "pip installed cmake into .venv, but Python does not find it there: delete .venv and run the command again.",
  });
  rmSync(script);
  symlinkSync(path.relative(path.dirname(script), binary.trim()), script);
}

let venv;
/** Makes `.venv` once, for all steps that fill it. */
function makeVenv(root, report) {
  venv ??= (async () => {
    if (existsSync(venvProgram(root, "python")) && existsSync(venvProgram(root, "pip"))) return;
    const python = await findPython();
    // Clears an incomplete `.venv`: pip would take packages for installed although their programs are gone.
    await report.run(python, ["-m", "venv", "--clear", path.join(root, ".venv")], {
      explain: () =>
        `${python} could not make a virtual environment in .venv: check that the folder can be written.`,
    });
  })();
  return venv;
}

/**
 * JupyterLab runs CommonJS scripts of its own in Node. Below this project's package.json Node would take them for
 * modules; each start would then print their source and report that there is no nodejs.
 */
function letScriptsBeCommonJs(root) {
  const file = path.join(root, ".venv", "package.json");
  if (!existsSync(file)) writeFileSync(file, '{ "type": "commonjs" }\n');
}

// pip runs one at a time: two of them in one environment may undo each other's work.
let lastPip = Promise.resolve();
function pip(root, report, args) {
  const run = lastPip.then(() =>
    report.run(
      // Not the program `pip`: in the copy of a clone that one installs into the first clone.
      venvProgram(root, "python"),
      ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", ...args],
      {
        explain: (output) => explainPip(root, args, output),
      },
    ),
  );
  lastPip = run.catch(() => {});
  return run;
}

async function explainPip(root, args, output) {
  if (looksOffline(output)) return NO_NETWORK;
  const missing = /No matching distribution found for (\S+)/.exec(output)?.[1];
  if (!missing) return `pip could not install ${args.join(" ")}: ${lastError(output)}`;
  const described = await capture(venvProgram(root, "python"), [
    "-c",
    "import platform, sysconfig; print(platform.python_version(), 'on', sysconfig.get_platform())",
  ]);
  return `The Python package index has no ${missing} for Python ${described.output.trim()}: set MPSLAB_PYTHON to a Python from ${OLDEST_PYTHON.join(".")} to ${NEWEST_PYTHON.join(".")} for this machine's processor, delete .venv, then run the command again.`;
}

const lastError = (output) =>
  output
    .split("\n")
    .findLast((line) => /error/i.test(line))
    ?.trim() ?? "see its output.";

/**
 * Returns the folder of a `torch` package: MPSLAB_TORCH, else an importable PyTorch of our version, else one that pip
 * installs into `.venv`.
 */
export async function findTorch(root, report) {
  const asked = process.env.MPSLAB_TORCH;
  if (asked) return describeTorch(path.resolve(asked));
  const stampFile = path.join(root, ".venv", "mpslab-torch.json");
  const known = readStamp(stampFile);
  if (known?.wanted === TORCH_VERSION && existsSync(known.folder)) return describeTorch(known.folder);
  const folder = await report.step(`libtorch ${TORCH_VERSION}`, async () => {
    await makeVenv(root, report);
    return (await importableTorch()) ?? (await installTorch(root, report));
  });
  writeStamp(stampFile, { wanted: TORCH_VERSION, folder });
  return describeTorch(folder);
}

/** The version of the PyTorch in a folder. */
export function describeTorch(folder) {
  if (!existsSync(path.join(folder, "include", "ATen", "ATen.h"))) {
    throw new SetupError(
      `${folder} holds no PyTorch with headers (include/ATen/ATen.h is missing): set MPSLAB_TORCH to the folder that python -c "import torch; print(torch.__path__[0])" prints, or unset it.`,
    );
  }
  const version = /__version__ *= *['"]([^'"]+)/.exec(
    readFileSync(path.join(folder, "version.py"), "utf8"),
  )?.[1];
  return { folder, version: version ?? "unknown" };
}

/**
 * Returns the folder of the PyTorch that the user's Python finds, if it is of our version. Does not import it, which
 * would take seconds.
 */
async function importableTorch() {
  const program =
    "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')";
  const { status, output } = await capture(process.env.MPSLAB_PYTHON ?? "python3", ["-c", program]);
  const folder = output.trim().split("\n").at(-1);
  if (status !== 0 || !folder || !existsSync(path.join(folder, "version.py"))) return null;
  return describeTorch(folder).version.split("+")[0] === TORCH_VERSION ? folder : null;
}

/**
 * Installs only a part of PyTorch on Linux without an NVIDIA GPU, where the rest (3 GB of CUDA libraries) would be
 * wasted. The addon links torch_cpu and c10, which need only CUDA's profiling and runtime libraries, in the version
 * that torch names.
 */
async function installTorch(root, report) {
  const python = venvProgram(root, "python");
  const slim = thisMachine.platform === "linux" && (await capture("nvidia-smi", ["-L"])).status !== 0;
  await pip(root, report, slim ? ["--no-deps", `torch==${TORCH_VERSION}`] : [`torch==${TORCH_VERSION}`]);
  if (slim) {
    const toolkit = await report.run(
      python,
      [
        "-c",
        `import importlib.metadata as m, re; print(*[re.split("[;]", r)[0].split("==")[1].strip() for r in m.requires("torch") if r.startswith("cuda-toolkit")])`,
      ],
      {
        explain: () =>
          "The installed torch does not say which CUDA toolkit it needs: set MPSLAB_TORCH to another PyTorch.",
      },
    );
    if (toolkit.trim()) await pip(root, report, [`cuda-toolkit[cudart,cupti]==${toolkit.trim()}`]);
  }
  const folder = await report.run(
    python,
    ["-c", "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"],
    {
      explain: () =>
        "pip installed torch into .venv, but Python does not find it there: delete .venv and run the command again.",
    },
  );
  return folder.trim();
}
