// What `npx mpslab` opens in a folder without notebooks: the tour, in a copy of the lessons with the guides that they
// link to. The lessons in the package are not opened themselves, because npm would overwrite a reader's changes with
// the next version.
import { cpSync, existsSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { failureReason } from "../../lib/whole_file.ts";
import { requireNoWayOut } from "./output_files.ts";
import { CommandError, PROJECT_ROOT } from "./project.ts";
import { say } from "./terminal.ts";

/** Holds the lessons and all that they link to, side by side as in the package. */
const LESSONS = "mpslab-lessons";
const PARTS = ["docs", "native/README.md", "notebooks"];
const TOUR = join(LESSONS, "notebooks", "01-tour.ipynb");

/** @returns the arguments for JupyterLab: that it opens the tour, or none where the folder has notebooks */
export function firstNotebook(folder: string): readonly string[] {
  const hasNotebook = [folder, join(folder, "notebooks")].some(
    (place) => existsSync(place) && readdirSync(place).some((name) => name.endsWith(".ipynb")),
  );
  if (hasNotebook) return [];
  const tour = join(folder, TOUR);
  if (!existsSync(tour)) copyLessons(join(folder, LESSONS));
  say(`This folder has no notebook of yours: ${TOUR} is the tour.\n`);
  return opensOn(folder, tour);
}

function copyLessons(lessons: string): void {
  requireNoWayOut(lessons, "go to a folder of yours, then run npx mpslab");
  try {
    for (const part of PARTS)
      cpSync(join(PROJECT_ROOT, part), join(lessons, part), { recursive: true, force: false });
  } catch (error) {
    throw new CommandError(
      `the lessons could not be written: ${failureReason(join(lessons, "notebooks"), error)}. Go to a folder of yours, then run npx mpslab.`,
    );
  }
}

/**
 * Arguments with which JupyterLab serves a folder and opens one of its files. If the file were JupyterLab's own
 * argument, the browser would open it, but the link that JupyterLab prints would lead to the launcher.
 */
export function opensOn(folder: string, file: string): readonly string[] {
  const address = relative(folder, file).split(sep).map(encodeURIComponent).join("/");
  return [`--ServerApp.root_dir=${folder}`, `--LabApp.default_url=/lab/tree/${address}`];
}
