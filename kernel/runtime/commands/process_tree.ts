// Sends signals to a process and all its descendants. Used in both threads of the session; knows nothing of cells.
import { processParents } from "../../../lib/platform/processes.ts";

/** The signals that Stop sends to a command, with their delays. Background jobs of a shell ignore SIGINT. */
const STOP_SIGNALS = [
  ["SIGINT", 0],
  ["SIGTERM", 300],
  ["SIGKILL", 2_000],
] as const;

/** For Stop: the processes get some time to clean up. */
export function stopTree(root: number): void {
  const tree = new Set<number>();
  for (const [signal, delayMs] of STOP_SIGNALS) {
    if (delayMs === 0) signalTree(root, tree, signal);
    else setTimeout(() => signalTree(root, tree, signal), delayMs).unref();
  }
}

/** For the session's end: the processes are killed at once. */
export function killTree(root: number): void {
  signalTree(root, new Set(), "SIGKILL");
}

export function childrenOfThisProcess(): number[] {
  return processParents().flatMap(([pid, parent]) => (parent === process.pid ? [pid] : []));
}

/**
 * Sends a signal to a process and all its descendants. All are paused first: the descendants of a dead process could
 * not be found any more, and a running process may start one that was not seen.
 *
 * @param tree the processes found so far; newly found ones are added
 */
function signalTree(root: number, tree: Set<number>, signal: NodeJS.Signals): void {
  for (let found = [root, ...tree]; found.length > 0;) {
    for (const pid of found) {
      tree.add(pid);
      kill(pid, "SIGSTOP");
    }
    found = descendants(tree).filter((pid) => !tree.has(pid));
  }
  for (const pid of tree) kill(pid, signal);
  for (const pid of tree) kill(pid, "SIGCONT");
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}

function descendants(roots: Iterable<number>): number[] {
  const children = new Map<number, number[]>();
  for (const [pid, parent] of processParents()) {
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  const found: number[] = [];
  for (const open = [...roots]; open.length > 0;) {
    const below = children.get(open.pop() as number) ?? [];
    found.push(...below);
    open.push(...below);
  }
  return found;
}
