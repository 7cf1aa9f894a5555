// Finds the folder of a notebook's snapshot. A front end that sends no notebook name leaves all notebooks of a folder
// with the same one. Then the folder belongs to the kernel that wrote it last, for as long as that kernel lives.
import { existsSync, readFileSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { isRunning } from "../../lib/running_process.ts";
import { writeWholeText } from "../../lib/whole_file.ts";

/** Holds the kernel's process id. */
const OWNER = "kernel.pid";
/** Set by the kernel for its session: both must find the same folder. */
const KERNEL_PID = "MPSLAB_KERNEL_PID";

/** Called once in the kernel process, before its session is started. */
export function ownSnapshots(): void {
  process.env[KERNEL_PID] = String(process.pid);
}

/**
 * `lesson.ipynb` -> `lesson.snapshot`, beside it. Where Jupyter does not say which notebook it is: `notebook.snapshot`,
 * or `notebook-2.snapshot` where another kernel that runs has that one.
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
  // Since the machine was started the numbers are given anew.
  const isOld = statSync(file).mtimeMs < Date.now() - os.uptime() * 1000;
  return owner !== ownPid() && !isOld && isRunning(Number(owner));
}
