// Installs the packages whose imports `npm run test:packages-of-npm` tries, in the versions of their list, into a folder of
// its own. No package's install script runs.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** @returns {string} the folder, with its `node_modules` */
export function installPackagesOfNpm(root) {
  const list = path.join(root, "test", "packages_of_npm", "packages.json");
  const { packages, types } = JSON.parse(readFileSync(list, "utf8"));
  const folder = path.join(root, "build", "packages-of-npm");
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, dependencies: { ...packages, ...types } };
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"];
  execFileSync("npm", ["install", ...options], { cwd: folder, stdio: "inherit" });
  return folder;
}
