#!/usr/bin/env node
// `npm create mpslab FOLDER`: copies the template into a new folder. Installs nothing, and asks nothing.
import { cpSync, existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const [given = "my-mpslab", ...more] = process.argv.slice(2);
const folder = path.resolve(given);

/** A valid npm package name, made from the folder's name. */
const packageName =
  path
    .basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "") || "my-mpslab";

/** @returns why nothing can be made, in one sentence; null if there is no problem */
function problem() {
  if (given.startsWith("-") || more.length > 0)
    return "it takes the name of one folder: npm create mpslab my-models";
  if (existsSync(folder) && readdirSync(folder).length > 0)
    return `${folder} is not empty: choose another name`;
  return null;
}

const refusal = problem();
if (refusal === null) {
  cpSync(new URL("template", import.meta.url), folder, { recursive: true });
  // The template has it under another name, because npm packs no .gitignore.
  renameSync(path.join(folder, "gitignore"), path.join(folder, ".gitignore"));
  const manifestFile = path.join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(manifestFile, "utf8"));
  const named = { name: packageName, ...manifest, dependencies: { mpslab: `^${version}` } };
  writeFileSync(manifestFile, `${JSON.stringify(named, null, 2)}\n`);
  process.stdout.write(`Made ${folder}. Next:

  cd ${JSON.stringify(given)}
  npm install
  npx mpslab setup    # libtorch and JupyterLab, once for all your folders
  npm start           # opens JupyterLab on first.ipynb
  npm run train       # runs train.ts without a notebook
`);
} else {
  process.stderr.write(`create-mpslab: ${refusal}.\n`);
  process.exitCode = 1;
}
