// `npm run pack`: makes what could be published and puts it into output/packages/. The addon is the one of this machine, so
// the packages for three platforms come from three machines. Publishes nothing.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { addonFile } from "../../native/setup/build.mjs";
import { thisMachine } from "../../native/setup/platform.mjs";
import { TORCH_VERSION } from "../../native/setup/python.mjs";
import { licencesOfAddon } from "./licences.mjs";
import { PLATFORMS, platformPackage, publishedManifest } from "./manifests.mjs";
import { makeWheel } from "./wheel.mjs";

/**
 * @param {string} root the clone's folder, with everything built
 * @param {{ folder: string }} torch the PyTorch that the addon was compiled against
 * @returns {Promise<string>} the folder of the packages
 */
export async function pack(root, report, torch) {
  const output = path.join(root, "output", "packages");
  const staging = path.join(root, "build", "packages");
  for (const folder of [output, staging]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const npmPack = async (folder) =>
    report.run("npm", ["pack", folder, "--pack-destination", output, "--ignore-scripts"], {
      explain: () => `npm could not pack ${folder}.`,
    });
  const main = path.join(staging, "mpslab");
  const platform = path.join(staging, "platform");
  await report.step("npm packages", async () => {
    await stageMain(root, report, main, manifest);
    stagePlatform(root, platform, manifest, torch);
    const create = path.join(staging, "create-mpslab");
    cpSync(path.join(root, "packages", "create-mpslab"), create, { recursive: true });
    cpSync(path.join(root, "LICENSE"), path.join(create, "LICENSE"));
    for (const folder of [main, platform, create]) await npmPack(folder);
  });
  await report.step("wheel", () =>
    makeWheel({ root, report, output, staging, main, platform, manifest, machine: thisMachine }),
  );
  return output;
}

/** The files that package.json's `files` names, with the manifest that a user's npm reads. */
async function stageMain(root, report, folder, manifest) {
  const listed = await report.run(
    "npm",
    ["pack", root, "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"],
    {
      explain: () => "npm could not list the files of the package.",
    },
  );
  for (const { path: file } of JSON.parse(listed)[0].files)
    cpSync(path.join(root, file), path.join(folder, file));
  const packages = PLATFORMS.map((platform) => platformPackage(platform, TORCH_VERSION));
  writeJson(path.join(folder, "package.json"), publishedManifest(manifest, packages));
}

/** The addon with the record of what it was compiled against. */
function stagePlatform(root, folder, { version, license, engines }, torch) {
  const { platform, arch } = thisMachine;
  mkdirSync(folder, { recursive: true });
  const built = path.dirname(addonFile(root));
  for (const file of ["mpslab.node", "addon.json"]) cpSync(path.join(built, file), path.join(folder, file));
  cpSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  writeFileSync(path.join(folder, "THIRD_PARTY_LICENSES.txt"), licencesOfAddon(root, torch.folder));
  writeFileSync(
    path.join(folder, "README.md"),
    `The addon of [mpslab](../mpslab) for ${platform} ${arch}, compiled against PyTorch ${TORCH_VERSION}.\n`,
  );
  writeJson(path.join(folder, "package.json"), {
    name: platformPackage({ platform, arch }, TORCH_VERSION),
    version,
    description: `mpslab's addon for ${platform} ${arch} and PyTorch ${TORCH_VERSION}`,
    license,
    engines,
    os: [platform],
    cpu: [arch],
    ...(platform === "linux" ? { libc: ["glibc"] } : {}),
    preferUnplugged: true,
    files: ["mpslab.node", "addon.json", "THIRD_PARTY_LICENSES.txt"],
    publishConfig: { access: "public" },
  });
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
