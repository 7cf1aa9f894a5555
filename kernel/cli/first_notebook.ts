// What `npx mpslab` opens in a folder without notebooks: a copy of the tour.
import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CommandError, PROJECT_ROOT } from "./project.ts";

const TOUR = "01-tour.ipynb";

/** @returns the arguments for JupyterLab: the tour's name, or none where the folder has notebooks */
export function firstNotebook(folder: string): string[] {
  const hasNotebook = [folder, join(folder, "notebooks")].some(
    (place) => existsSync(place) && readdirSync(place).some((name) => name.endsWith(".ipynb")),
  );
  if (hasNotebook) return [];
  try {
    copyFileSync(join(PROJECT_ROOT, "notebooks", TOUR), join(folder, TOUR));
  } catch (error) {
    throw new CommandError(
      `${TOUR} could not be written into ${folder} (${(error as Error).message}): go to a folder of yours, then run npx mpslab.`,
    );
  }
  process.stdout.write(`This folder had no notebook: ${TOUR} is the tour.\n`);
  return [TOUR];
}
