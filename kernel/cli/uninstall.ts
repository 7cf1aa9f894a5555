// Removes what mpslab keeps outside of its own package: kernelspecs, the user's set-up and history, compiled shaders. The
// package itself is npm's or pip's, and a clone keeps the rest in its own folder.
import { existsSync, rmSync } from "node:fs";
import { INSTALLER, userCacheFolder, userFolder } from "../../lib/installation/package.ts";
import { kernelspecFolder } from "./kernelspec.ts";
import { CommandError } from "./project.ts";

const THE_REST: Readonly<Record<typeof INSTALLER, string>> = {
  clone: "npm run clean removes what set-up made in this folder",
  npm: "npm uninstall mpslab removes the package",
  pip: "pip uninstall mpslab removes the package",
};

/** @param dataFolder of the Jupyter whose kernelspec is removed */
export function uninstall(dataFolder: string): number {
  const places = [kernelspecFolder(dataFolder), userFolder(), userCacheFolder()];
  for (const place of places.filter((folder) => existsSync(folder))) {
    try {
      rmSync(place, { recursive: true });
    } catch (error) {
      throw new CommandError(
        `${place} could not be removed (${(error as Error).message}): remove it yourself.`,
      );
    }
    process.stdout.write(`removed ${place}\n`);
  }
  process.stdout.write(`${THE_REST[INSTALLER]}.\n`);
  return 0;
}
