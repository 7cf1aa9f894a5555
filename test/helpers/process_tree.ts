// The processes that a process has started, as the system lists them.
import { execFileSync } from "node:child_process";

/** Returns the process, its children, and theirs. */
export function treeOf(pid: number): number[] {
  const rows = execFileSync("ps", ["-e", "-o", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((row) => row.trim().split(/\s+/).map(Number) as [number, number]);
  const tree = [pid];
  for (const parent of tree) tree.push(...rows.filter(([, ppid]) => ppid === parent).map(([child]) => child));
  return tree;
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 20));
}
