// Finds the folder of a notebook's snapshot. If a front end sends no notebook name, all notebooks in a folder have the
// same name. Then the snapshot's folder belongs to the kernel that wrote it last, as long as that kernel lives.
import { existsSync, readFileSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { isRunning } from "../../lib/running_process.ts";
import { writeWholeText } from "../../lib/whole_file.ts";

/** The file with the process id of the kernel that owns the folder. */
const OWNER = "kernel.pid";
/** The kernel sets this variable for its session, because both must find the same folder. */
const KERNEL_PID = "MPSLAB_KERNEL_PID";

/** Called once in the kernel process, before its session is started. */
export function ownSnapshots(): void {
  process.env[KERNEL_PID] = String(process.pid);
}

/**
 * `lesson.ipynb` -> `lesson.snapshot`, beside it. If Jupyter does not say which notebook it is: `notebook.snapshot`, or
 * `notebook-2.snapshot` if another running kernel owns that one, and so on.
 */
export function snapshotFolder(directory: string): string {
  const folder = (name: string) => path.join(directory, `${name}.snapshot`);
  const notebook = notebookName();
  if (notebook !== "") return folder(notebook);
  for (let number = 1; ; number++) {
    const shared = folder(number === 1 ? "notebook" : `notebook-${number}`);
    if (!isAnothers(shared)) return shared;
  }
}

/** Claims the folder before a snapshot is written there. */
export function claimSnapshots(folder: string): void {
  if (notebookName() === "") writeWholeText("%snapshot", path.join(folder, OWNER), ownPid(), "replaced");
}

/** Returns the notebook's name, which Jupyter's server and its clients set. Empty if they do not. */
function notebookName(): string {
  return path.basename(process.env["JPY_SESSION_NAME"] ?? "", ".ipynb");
}

function ownPid(): string {
  return process.env[KERNEL_PID] ?? String(process.pid);
}

function isAnothers(folder: string): boolean {
  const file = path.join(folder, OWNER);
  if (!existsSync(file)) return false;
  const owner = readFileSync(file, "utf8");
  // A process id from before the machine was started says nothing: ids are given out anew.
  const isOld = statSync(file).mtimeMs < Date.now() - os.uptime() * 1000;
  return owner !== ownPid() && !isOld && isRunning(Number(owner));
}
