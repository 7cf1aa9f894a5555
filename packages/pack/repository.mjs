// The `repository` of a package that is packed in GitHub's CI, which names itself there. npm's provenance compares it with
// the repository whose job publishes; elsewhere none is written, and npm publishes without provenance.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** @param {string} folder of a staged package */
export function nameRepository(folder, environment = process.env) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = environment;
  if (!server || !name) return;
  const file = path.join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  manifest.repository = { type: "git", url: `git+${server}/${name}.git` };
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
