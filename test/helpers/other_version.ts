// A copy of this project that calls itself another version, for a kernelspec: what an older installation on another
// machine is to this one.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { KERNEL_MAIN, PROJECT_ROOT } from "../../kernel/cli/project.ts";

/** Replaces the kernelspec in a Jupyter data folder by one of the copy, which goes into the folder as well. */
export function installOtherVersion(dataFolder: string, version: string): void {
  const copy = path.join(dataFolder, "other-version");
  mkdirSync(copy);
  cpSync(path.join(PROJECT_ROOT, "dist"), path.join(copy, "dist"), { recursive: true });
  symlinkSync(path.join(PROJECT_ROOT, "node_modules"), path.join(copy, "node_modules"));
  const manifest = JSON.parse(readFileSync(path.join(PROJECT_ROOT, "package.json"), "utf8")) as object;
  writeFileSync(path.join(copy, "package.json"), JSON.stringify({ ...manifest, version }));
  const file = path.join(dataFolder, "kernels", "mpslab", "kernel.json");
  const spec = JSON.parse(readFileSync(file, "utf8")) as { argv: string[] };
  const argv = [spec.argv[0], path.join(copy, path.relative(PROJECT_ROOT, KERNEL_MAIN)), "{connection_file}"];
  // The addon of this version: the other one would refuse it by its record.
  const env = { MPSLAB_ADDON: path.join(PROJECT_ROOT, "build", "native", "Release", "mpslab.node") };
  writeFileSync(file, JSON.stringify({ ...spec, argv, env }));
}
