// Makes the wheel for pip: the npm package with the packages that it runs on, the addon, a launcher in Python, and the
// kernelspec as data of the environment. `wheel pack` writes the record and the archive.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { OLDEST_MACOS } from "../../native/setup/platform.mjs";
import { TORCH_VERSION, venvProgram } from "../../native/setup/python.mjs";
import { licenceList, shippedPackages } from "./licences.mjs";
import { wheelMetadata, wheelTag } from "./manifests.mjs";

/** Packages that are only needed to compile the addon; the wheel contains a compiled one. */
const ONLY_COMPILE = new Set(["cmake-js", "node-addon-api", "node-api-headers"]);

/**
 * @param {object} parts
 * @param {string} parts.modules the folder with the lock file and the `node_modules` of the wheel's machine
 * @param {string} parts.main the staged npm package
 * @param {string} parts.platform the staged package of the machine's addon
 */
export async function makeWheel({
  root,
  report,
  output,
  staging,
  modules,
  main,
  platform,
  manifest,
  machine,
}) {
  const wheel = path.join(staging, "wheel");
  const folder = path.join(wheel, "mpslab", "package");
  cpSync(path.join(root, "packages", "pip", "mpslab"), path.join(wheel, "mpslab"), {
    recursive: true,
    filter: (file) => !file.includes("__pycache__"),
  });
  cpSync(main, folder, { recursive: true });
  const packages = shippedPackages(modules).filter(({ name }) => !ONLY_COMPILE.has(name));
  for (const { folder: installed } of packages)
    copyPackage(path.join(modules, installed), path.join(folder, installed), machine);
  const { name } = JSON.parse(readFileSync(path.join(platform, "package.json"), "utf8"));
  cpSync(platform, path.join(folder, "node_modules", name), { recursive: true });

  const data = path.join(wheel, `mpslab-${manifest.version}.data`, "data");
  const built = path.join(root, "dist", "kernel", "cli", "kernelspec.js");
  const { kernelspec, kernelspecFolder } = await import(pathToFileURL(built).href);
  // Jupyter starts `python` as the Python of its own environment.
  const kernel = kernelspecFolder(path.join(data, "share", "jupyter"));
  write(
    path.join(kernel, "kernel.json"),
    JSON.stringify(kernelspec(["python", "-m", "mpslab.kernel"]), null, 2),
  );

  const { LOGO, LOGO_FILE } = await import(pathToFileURL(path.join(path.dirname(built), "logo.js")).href);
  write(path.join(kernel, LOGO_FILE), LOGO);

  const info = path.join(wheel, `mpslab-${manifest.version}.dist-info`);
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  write(path.join(info, "METADATA"), wheelMetadata(manifest, TORCH_VERSION, readme));
  write(path.join(info, "entry_points.txt"), "[console_scripts]\nmpslab = mpslab.__main__:main\n");
  write(path.join(info, "licenses", "LICENSE"), readFileSync(path.join(root, "LICENSE")));
  write(path.join(info, "licenses", "THIRD_PARTY_LICENSES.md"), licenceList(modules, packages));
  const oldest = machine.platform === "darwin" ? `${OLDEST_MACOS}.0` : newestGlibc(folder);
  write(
    path.join(info, "WHEEL"),
    `Wheel-Version: 1.0\nGenerator: mpslab ${manifest.version}\nRoot-Is-Purelib: false\nTag: ${wheelTag(machine, oldest)}\n`,
  );
  await report.run(venvProgram(root, "python"), ["-m", "wheel", "pack", wheel, "--dest-dir", output], {
    explain: (text) => `The wheel could not be packed: ${text.trim().split("\n").at(-1)}`,
  });
}

function write(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/**
 * Copies a package. Some packages carry binaries for every platform, in folders named `linux-x64` or `linux/x64`; those
 * of other platforms are left out.
 */
function copyPackage(from, to, { platform, arch }) {
  if (existsSync(to)) return;
  const foreign = (name) =>
    /^(linux|darwin|win32)(-\w+)?$/.test(name) && ![platform, `${platform}-${arch}`].includes(name);
  const foreignProcessor = (file) =>
    ["linux", "darwin", "win32"].includes(path.basename(path.dirname(file))) &&
    /^(x64|arm64|ia32)$/.test(path.basename(file)) &&
    path.basename(file) !== arch;
  cpSync(from, to, {
    recursive: true,
    filter: (file) =>
      !(foreign(path.basename(file)) && /[\\/](build|prebuilds)[\\/][\w-]+$/.test(file)) &&
      !foreignProcessor(file) &&
      // Nested packages are copied by themselves, because each has its own entry in the lock file.
      path.relative(from, file) !== "node_modules",
  });
}

/**
 * Returns the newest version of glibc that the names of the native files' symbols ask for: `2.34`. ZeroMQ is left out: it
 * carries several builds, and loads the first that works.
 */
function newestGlibc(folder) {
  const minors = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".node") && !entry.parentPath.includes("zeromq"))
    .flatMap((entry) => [
      ...readFileSync(path.join(entry.parentPath, entry.name), "latin1").matchAll(/\bGLIBC_2\.(\d+)\b/g),
    ])
    .map(([, minor]) => Number(minor));
  return `2.${Math.max(...minors)}`;
}
