// `npm run pack`: makes the packages that could be published, in output/packages/. The addon is this machine's, or
// one that was compiled here for another machine. Publishes nothing.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { addonFile, addonRecord, filesOfAddon } from "../../native/setup/build.mjs";
import { thisMachine } from "../../native/setup/platform.mjs";
import { TORCH_VERSION } from "../../native/setup/python.mjs";
import { licencesOfAddon } from "./licences.mjs";
import { PLATFORMS, addonManifest, platformPackage, publishedManifest } from "./manifests.mjs";
import { nameRepository } from "./repository.mjs";
import { makeWheel } from "./wheel.mjs";

/**
 * @param {string} root the clone's folder, with everything built
 * @param {{ folder: string }} torch the PyTorch that the addon was compiled against
 * @returns {Promise<string>} the folder of the packages
 */
export async function pack(root, report, torch) {
  const output = packagesFolder(root);
  const staging = path.join(root, "build", "packages");
  for (const folder of [output, staging]) rmSync(folder, { recursive: true, force: true });
  const manifest = readManifest(root);
  const main = path.join(staging, "mpslab");
  const platform = path.join(staging, "platform");
  await report.step("npm packages", async () => {
    await stageMain(root, report, main, manifest);
    stageAddon(root, platform, thisMachine, addonFile(root), torch.folder);
    const create = path.join(staging, "create-mpslab");
    cpSync(path.join(root, "packages", "create-mpslab"), create, { recursive: true });
    cpSync(path.join(root, "LICENSE"), path.join(create, "LICENSE"));
    for (const folder of [main, platform, create]) await npmPack(report, folder, output);
  });
  await report.step("wheel", () =>
    makeWheel({
      root,
      report,
      output,
      staging,
      modules: root,
      main,
      platform,
      manifest,
      machine: thisMachine,
    }),
  );
  return output;
}

/**
 * What another machine needs beside the packages that are there: the package of the addon that was compiled for it, and its
 * wheel.
 *
 * @param {{ name: string, platform: string, arch: string }} target
 * @param {{ addon: string, torch: string }} build the file, and the PyTorch that it was compiled against
 * @returns {Promise<string>} the folder of the packages
 */
export async function packFor(root, report, target, build) {
  const output = packagesFolder(root);
  const staging = path.join(root, "build", "packages", target.name);
  rmSync(staging, { recursive: true, force: true });
  const manifest = readManifest(root);
  const [main, platform, modules] = ["mpslab", "platform", "modules"].map((name) => path.join(staging, name));
  await report.step(`npm package for ${target.system}`, async () => {
    stageAddon(root, platform, target, build.addon, build.torch);
    await npmPack(report, platform, output);
  });
  await report.step(`wheel for ${target.system}`, async () => {
    await stageMain(root, report, main, manifest);
    await installModules(root, report, modules, target);
    await makeWheel({ root, report, output, staging, modules, main, platform, manifest, machine: target });
  });
  return output;
}

/** Installs the npm packages for another machine; the lock file names the native packages of every machine. */
async function installModules(root, report, folder, { platform, arch }) {
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"])
    cpSync(path.join(root, file), path.join(folder, file));
  const machine = [`--os=${platform}`, `--cpu=${arch}`, ...(platform === "linux" ? ["--libc=glibc"] : [])];
  await report.run(
    "npm",
    ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ...machine],
    {
      cwd: folder,
      explain: (output) =>
        `npm could not install the packages for ${platform} ${arch}: ${output.split("\n").find((line) => line.startsWith("npm error")) ?? "see its output."}`,
    },
  );
}

const packagesFolder = (root) => path.join(root, "output", "packages");
const readManifest = (root) => JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

function npmPack(report, folder, output) {
  nameRepository(folder);
  mkdirSync(output, { recursive: true });
  return report.run("npm", ["pack", folder, "--pack-destination", output, "--ignore-scripts"], {
    explain: () => `npm could not pack ${folder}.`,
  });
}

/** The files that package.json's `files` names, with the manifest that a user's npm reads. */
async function stageMain(root, report, folder, manifest) {
  const listed = await report.run(
    "npm",
    ["pack", root, "--dry-run", "--json", "--ignore-scripts", "--loglevel=error", "--update-notifier=false"],
    {
      explain: () => "npm could not list the files of the package.",
    },
  );
  for (const { path: file } of JSON.parse(listed)[0].files)
    cpSync(path.join(root, file), path.join(folder, file));
  const packages = PLATFORMS.map((platform) => platformPackage(platform, TORCH_VERSION));
  writeJson(path.join(folder, "package.json"), publishedManifest(manifest, packages));
}

/** Copies the addon, and records what it was compiled against. */
function stageAddon(root, folder, machine, addon, torchFolder) {
  mkdirSync(folder, { recursive: true });
  for (const file of filesOfAddon(addon)) cpSync(file, path.join(folder, path.basename(file)));
  cpSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  writeJson(path.join(folder, "addon.json"), addonRecord(root, addon, torchFolder));
  writeFileSync(path.join(folder, "THIRD_PARTY_LICENSES.txt"), licencesOfAddon(root, torchFolder));
  writeFileSync(
    path.join(folder, "README.md"),
    `The addon of [mpslab](../mpslab) for ${machine.platform} ${machine.arch}, compiled against PyTorch ${TORCH_VERSION}.\n`,
  );
  writeJson(path.join(folder, "package.json"), addonManifest(readManifest(root), machine, TORCH_VERSION));
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
