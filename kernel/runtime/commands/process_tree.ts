// Sends signals to a process and all that came from it. Used in both threads of the session; knows of no cell.
import { processParents } from "../../../lib/platform/processes.ts";

/** Signals sent to a command at Stop, with their times. Background jobs of a shell ignore SIGINT. */
const STOP_SIGNALS = [
  ["SIGINT", 0],
  ["SIGTERM", 300],
  ["SIGKILL", 2_000],
] as const;

/** The user stops it: it may clean up for a while. */
export function stopTree(root: number): void {
  const tree = new Set<number>();
  for (const [signal, delayMs] of STOP_SIGNALS) {
    if (delayMs === 0) signalTree(root, tree, signal);
    else setTimeout(() => signalTree(root, tree, signal), delayMs).unref();
  }
}

/** The session ends: nothing of it is left behind. */
export function killTree(root: number): void {
  signalTree(root, new Set(), "SIGKILL");
}

export function childrenOfThisProcess(): number[] {
  return processParents().flatMap(([pid, parent]) => (parent === process.pid ? [pid] : []));
}

/**
 * To the process and all that come from it. Who dies first would hide those below it, and who runs may start one that was
 * not seen: so all are paused before the signal is sent.
 *
 * @param tree those that were found before; those found now are added
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
    // It has ended.
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
