// Set-up on machines that lack something: one sentence says what, and the way out; never a stack trace.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { compilersAtOnce, removeForeignBuild } from "../../../native/setup/build.mjs";
import { targetNamed } from "../../../native/setup/cross/targets.mjs";
import { Unavailable, checkCanCross, downloadToolchain } from "../../../native/setup/cross/toolchain.mjs";
import { checkNode, nodeSupport } from "../../../native/setup/node_support.mjs";
import {
  OLDEST_MACOS_WITH_MPS as SAID_BY_SETUP,
  checkPlatform,
  readPlatform,
} from "../../../native/setup/platform.mjs";
import { OLDEST_MACOS_WITH_MPS } from "../../../lib/torch/devices/mps/availability.ts";
import { registerKernel, setUpPython } from "../../../native/setup/python.mjs";
import { SetupError, createReport, explainUnwritable } from "../../../native/setup/report.mjs";
import { fingerprint, writeStamp } from "../../../native/setup/stamp.mjs";

const root = path.resolve(import.meta.dirname, "../../..");
/** Nothing listens there: a download from it is refused at once. */
const NOWHERE = "http://127.0.0.1:9";

let clone: string;
beforeEach(() => {
  clone = mkdtempSync(path.join(tmpdir(), "mpslab-setup-"));
  for (const file of ["package.json", "package-lock.json", "requirements.txt", "CMakeLists.txt", "native"]) {
    cpSync(path.join(root, file), path.join(clone, file), { recursive: true });
  }
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

/** Programs that a machine has, and no others. */
function onlyPrograms(...names: string[]): string {
  const bin = path.join(clone, "bin");
  mkdirSync(bin);
  for (const name of names) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    if (found) symlinkSync(found, path.join(bin, name));
  }
  return bin;
}

function setUp(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const { PATH, HOME } = process.env;
  const result = spawnSync(process.execPath, [path.join(clone, "native", "setup.mjs"), ...args], {
    encoding: "utf8",
    env: { PATH: PATH ?? "", HOME: HOME ?? "", ...environment },
  });
  const sentences = result.stderr.split("\n").filter((line) => line.startsWith("mpslab: "));
  return { status: result.status, sentences, stderr: result.stderr };
}

const installed = () => symlinkSync(path.join(root, "node_modules"), path.join(clone, "node_modules"));

describe("set-up says in one sentence what is missing, and how to get it", () => {
  it("no Python", () => {
    installed();
    const { status, sentences, stderr } = setUp(["build"], { PATH: onlyPrograms("npm", "sh") });
    expect(sentences).toEqual([
      "mpslab: No Python 3.11 or newer with the venv module was found: install one (on Debian: apt install python3-venv; on a Mac: brew install python@3.13, or python.org), or set MPSLAB_PYTHON to its path.",
    ]);
    expect(stderr).not.toContain("    at ");
    expect(status).toBe(1);
  });

  it("a Python older than PyTorch's wheels need", () => {
    installed();
    const bin = onlyPrograms("npm", "sh");
    writeFileSync(path.join(bin, "python3"), "#!/bin/sh\necho 3 10\n", { mode: 0o755 });
    const { sentences } = setUp(["build"], { PATH: bin });
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toMatch(/^mpslab: No Python 3\.11 or newer with the venv module was found: /);
  });

  it("a Python that was asked for and is none", () => {
    installed();
    const { sentences } = setUp(["build"], { MPSLAB_PYTHON: "/nowhere/python3" });
    expect(sentences).toEqual([
      "mpslab: MPSLAB_PYTHON is /nowhere/python3, which is no Python 3.11 or newer with the venv module: set it to one, or unset it.",
    ]);
  });

  it("no PyTorch where MPSLAB_TORCH says", () => {
    installed();
    symlinkSync(path.join(root, ".venv"), path.join(clone, ".venv"));
    const { sentences } = setUp(["build"], { MPSLAB_TORCH: "/nowhere/torch" });
    expect(sentences).toEqual([
      'mpslab: /nowhere/torch holds no PyTorch with headers (include/ATen/ATen.h is missing): set MPSLAB_TORCH to the folder that python -c "import torch; print(torch.__path__[0])" prints, or unset it.',
    ]);
  });

  it("no C++ compiler", () => {
    installed();
    symlinkSync(path.join(root, ".venv"), path.join(clone, ".venv"));
    for (const folder of ["kernel", "lib"]) symlinkSync(path.join(root, folder), path.join(clone, folder));
    cpSync(path.join(root, "tsconfig.json"), path.join(clone, "tsconfig.json"));
    const { sentences } = setUp(["build"], { CXX: "/nowhere/c++" });
    expect(sentences).toEqual([
      "mpslab: No C++ compiler was found (/nowhere/c++ does not run): install one (on Debian: apt install g++; on a Mac: xcode-select --install), or set CXX to its path.",
    ]);
  });

  it("no network for npm", () => {
    symlinkSync(path.join(root, ".venv"), path.join(clone, ".venv"));
    const { sentences, stderr } = setUp(["build"], {
      npm_config_registry: NOWHERE,
      npm_config_fetch_retries: "0",
      npm_config_cache: path.join(clone, "cache"),
    });
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toContain(
      "mpslab: The npm registry cannot be reached: check the network connection, then run the command again.",
    );
    expect(stderr).not.toContain("    at ");
  });

  it("no network for pip", () => {
    installed();
    const { sentences, stderr } = setUp(["build"], {
      PIP_INDEX_URL: NOWHERE,
      // Without a retry pip does not say why it found nothing.
      PIP_RETRIES: "1",
      PIP_NO_CACHE_DIR: "1",
      PIP_CONFIG_FILE: "/dev/null",
    });
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toContain(
      "mpslab: The Python package index cannot be reached: check the network connection, then run the command again.",
    );
    expect(stderr).not.toContain("    at ");
  });

  it("a package index without a version for this Python, which is no failure of the network", () => {
    installed();
    const { sentences, stderr } = setUp(["build"], {
      PIP_NO_INDEX: "1",
      PIP_FIND_LINKS: clone,
      PIP_CONFIG_FILE: "/dev/null",
    });
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toMatch(
      /^mpslab: The Python package index has no [a-z_-]+==[\d.]+ for Python 3\.\d+\.\d+ on \S+: set MPSLAB_PYTHON to a Python from 3\.11 to 3\.14 for this machine's processor, delete \.venv, then run the command again\./,
    );
    expect(stderr).not.toContain("network");
  });

  it("a notebook that is not there", () => {
    const { status, sentences } = setUp(["start", "--execute", "notebooks/99-none.ipynb"], {});
    expect(sentences).toEqual([
      `mpslab: There is no notebook ${clone}/notebooks/99-none.ipynb: check the path.`,
    ]);
    expect(status).toBe(1);
  });

  it("a sentence, and where the whole output is, when the sources do not compile", () => {
    installed();
    symlinkSync(path.join(root, ".venv"), path.join(clone, ".venv"));
    writeFileSync(path.join(clone, "native", "module.cc"), "// An addon that cannot be.\nint main( {\n");
    writeFileSync(path.join(clone, "native", "CMakeLists.txt"), "add_library(mpslab MODULE module.cc)\n");
    cpSync(path.join(root, "tsconfig.json"), path.join(clone, "tsconfig.json"));
    for (const folder of ["kernel", "lib"]) symlinkSync(path.join(root, folder), path.join(clone, folder));
    const { sentences } = setUp(["build"], {});
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toMatch(/^mpslab: The addon did not compile: .*module\.cc:2:\d+: error: /);
    expect(sentences[0]).toContain(`(The whole output is in ${clone}/build/setup.log.)`);
  });
});

it("the programs of .venv know the kernel, and keep the one that was chosen for them", async () => {
  symlinkSync(path.join(root, "dist"), path.join(clone, "dist"));
  const report = createReport(clone);
  const file = path.join(clone, ".venv/share/jupyter/kernels/mpslab/kernel.json");
  await registerKernel(clone, report);
  const { argv } = JSON.parse(readFileSync(file, "utf8")) as { argv: string[] };
  expect(argv[1]).toBe(path.join(root, "dist/bundle/kernel/main.js"));
  writeFileSync(file, "{}");
  await registerKernel(clone, report);
  expect(readFileSync(file, "utf8")).toBe("{}");
  const earlier = [argv[0], path.join(clone, "dist/kernel/main.js")];
  writeFileSync(file, JSON.stringify({ argv: earlier }));
  await registerKernel(clone, report);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ argv });
});

it("JupyterLab's own scripts in .venv are CommonJS, though the project is not", async () => {
  const venv = path.join(clone, ".venv");
  const requirements = readFileSync(path.join(clone, "requirements.txt"), "utf8");
  // All is installed already: nothing but this is to be seen to.
  writeStamp(path.join(venv, "mpslab.json"), { requirements, translator: fingerprint([], /./) });
  await setUpPython(clone, createReport(clone));
  writeFileSync(path.join(venv, "script.js"), 'console.log(typeof require("node:fs"));\n');
  const { stdout } = spawnSync(process.execPath, [path.join(venv, "script.js")], { encoding: "utf8" });
  expect(stdout).toBe("object\n");
});

it.each([
  [8, 16e9, 8],
  [8, 6e9, 4],
  [2, 1e9, 1],
])("%d cores and %d bytes compile %d files at once", (cores, memoryBytes, files) => {
  expect(compilersAtOnce(cores, memoryBytes)).toBe(files);
});

describe("a Mac", () => {
  const SUPPORTED = { platform: "darwin", arch: "arm64", translated: false, macos: "15.0" };

  it.each([
    [
      "with an Intel processor",
      { arch: "x64" },
      "This Mac has an Intel processor, for which there has been no PyTorch since 2.2.2: use a Mac with Apple silicon, or Linux.",
    ],
    [
      "whose Node runs under Rosetta",
      { arch: "x64", translated: true },
      "This Node was made for Intel Macs (x64) and runs under Rosetta, where PyTorch for Apple silicon cannot be loaded: install Node for arm64 (node -p process.arch then prints arm64), delete node_modules, then run the command again.",
    ],
    [
      "with a macOS older than the wheel",
      { macos: "13.7.1" },
      "macOS 13.7.1 is older than PyTorch supports: update to macOS 15 or newer, then run the command again.",
    ],
  ])("%s is refused", (_, facts, sentence) => {
    expect(() => checkPlatform({ ...SUPPORTED, ...facts })).toThrow(new SetupError(sentence));
  });

  it.each([{}, { macos: "15.2" }, { macos: "26.0" }])("of Apple silicon is accepted: %o", (facts) => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    checkPlatform({ ...SUPPORTED, ...facts });
    expect(written).not.toHaveBeenCalled();
    written.mockRestore();
  });

  it("with macOS 14 is accepted with a line: PyTorch's wheel loads, and finds no Metal", () => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    checkPlatform({ ...SUPPORTED, macos: "14.7" });
    expect(written.mock.calls).toEqual([
      ["  macOS 14.7 runs PyTorch on the processor alone: its mps device needs macOS 15.\n"],
    ]);
    written.mockRestore();
    expect(SAID_BY_SETUP).toBe(OLDEST_MACOS_WITH_MPS);
  });

  /** What its programs print, by name: sw_vers of macOS 26.5, a sysctl that does not know the name. */
  const asked = (answers: Readonly<Record<string, string>>) => async (program: string) => ({
    output: answers[path.basename(program)] ?? "",
  });
  const UNKNOWN = "sysctl: unknown oid 'sysctl.proc_translated'\n";

  it.each([
    ["Apple silicon", { arch: "arm64", processor: "Apple M4" }, "0\n", false],
    ["Node for x64 under Rosetta", { arch: "x64", processor: "VirtualApple @ 2.50GHz" }, "1\n", true],
    ["the same where sysctl is not allowed", { arch: "x64", processor: "VirtualApple @ 2.50GHz" }, "", true],
    ["an Intel Mac", { arch: "x64", processor: "Intel(R) Core(TM) i7-9750H" }, UNKNOWN, false],
  ])("is read: %s", async (_, machine, sysctl, translated) => {
    const ask = asked({ sysctl, sw_vers: "26.5\n" });
    expect(await readPlatform({ platform: "darwin", ...machine }, ask)).toEqual({
      platform: "darwin",
      arch: machine.arch,
      translated,
      macos: "26.5",
    });
  });

  it("that is refused has nothing installed", () => {
    const intelMac = 'Object.defineProperties(process,{platform:{value:"darwin"},arch:{value:"x64"}})';
    const { status, sentences } = setUp(["build"], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(intelMac)}`,
    });
    expect(sentences).toEqual([expect.stringContaining("This Mac has an Intel processor")]);
    expect(status).toBe(1);
    expect(readdirSync(clone)).not.toContain("node_modules");
    expect(readdirSync(clone)).not.toContain(".venv");
  });
});

describe("the addon for another machine is not compiled, and nothing is said of it,", () => {
  it.each([
    ["darwin", "arm64"],
    ["linux", "arm64"],
  ])("on %s %s", (platform, arch) => {
    expect(() => checkCanCross({ platform, arch })).toThrow(
      new Unavailable(`it compiles for other machines on Linux x64, and this is ${platform} ${arch}`),
    );
  });

  it("for a machine that there is no way to", () => {
    expect(() => targetNamed("win32-x64")).toThrow(
      "There is no way to compile for win32-x64 here: name darwin-arm64 or linux-arm64, or run the command without a platform on that machine.",
    );
  });

  it("where the package index does not answer", async () => {
    symlinkSync(path.join(root, ".venv"), path.join(clone, ".venv"));
    vi.stubEnv("XDG_CACHE_HOME", path.join(clone, "cache"));
    vi.stubEnv("PIP_INDEX_URL", NOWHERE);
    vi.stubEnv("PIP_RETRIES", "1");
    vi.stubEnv("PIP_NO_CACHE_DIR", "1");
    vi.stubEnv("PIP_CONFIG_FILE", "/dev/null");
    vi.stubEnv("PIP_FIND_LINKS", "");
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const asked = downloadToolchain(clone, createReport(clone), targetNamed("darwin-arm64"), "2.15.0");
    await expect(asked).rejects.toThrow(Unavailable);
    await expect(asked).rejects.toThrow(/^the Python package index cannot be reached /);
    written.mockRestore();
    vi.unstubAllEnvs();
    expect(readdirSync(path.join(clone, "cache/mpslab/cross"))).toEqual([]);
  });
});

it("Linux is accepted on any processor", () => {
  for (const arch of ["x64", "arm64"])
    expect(() => checkPlatform({ platform: "linux", arch, translated: false, macos: "" })).not.toThrow();
});

describe("Node", () => {
  it.each(["18.20.0", "20.18.3", "21.7.0", "22.11.0"])("%s is refused", (version) => {
    expect(() => checkNode(version)).toThrow(
      `Node ${version} is not supported: install Node 24, or 20.19 or newer of 20, then run the command again.`,
    );
  });

  it.each(["20.19.0", "20.20.2", "24.0.0"])("%s is accepted without a word", (version) => {
    expect(nodeSupport(version)).toEqual({ ok: true, text: null });
  });

  it.each([
    [
      "22.14.0",
      "  Node 22.14.0 runs mpslab, but only 20.19 or newer of 20, and 24 are promised: when a package's generator loops for ever after an await, Stop ends the session and its variables are lost.\n",
    ],
    ["25.1.0", "  Node 25.1.0 runs mpslab, but only 20.19 or newer of 20, and 24 are promised.\n"],
  ])("%s is accepted with a line about what is promised", (version, line) => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    checkNode(version);
    expect(written.mock.calls).toEqual([[line]]);
    written.mockRestore();
  });
});

describe("a build directory of CMake", () => {
  const torch = { folder: "/packages/torch" };
  const build = () => path.join(clone, "build", "native");
  const configure = (sources: string, torchFolder: string) => {
    mkdirSync(build(), { recursive: true });
    writeFileSync(
      path.join(build(), "CMakeCache.txt"),
      `TORCH:PATH=${torchFolder}\nCMAKE_HOME_DIRECTORY:INTERNAL=${sources}\n`,
    );
    removeForeignBuild(build(), clone, torch);
    return existsSync(build());
  };

  it("is kept where it is of this clone and this PyTorch", () => {
    expect(configure(realpathSync(clone), torch.folder)).toBe(true);
  });

  it.each([
    ["of the clone that this one was copied from", "/first/clone", torch.folder],
    ["of another PyTorch", null, "/other/torch"],
  ])("%s is begun anew", (_, sources, folder) => {
    expect(configure(sources ?? realpathSync(clone), folder)).toBe(false);
  });
});

it("a folder that cannot be written is named, with what to do", () => {
  const error = Object.assign(new Error("EROFS"), { code: "EROFS", path: "/clone/build" });
  expect(explainUnwritable(error, "/clone")).toBe(
    "/clone/build cannot be written, and set-up keeps everything it makes below /clone: copy the folder to a place of your own, or run the command as its owner.",
  );
  expect(explainUnwritable(new Error("another"), "/clone")).toBeNull();
});
