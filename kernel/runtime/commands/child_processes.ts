// Runs the commands that a magic starts. Their output appears in the cell as it comes. An interrupt of the cell ends
// them with everything that they started.
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { processParents } from "../../../lib/platform/processes.ts";
import { guard } from "./guardian.ts";

/** Signals sent to a command at Stop, with their times. Background jobs of a shell ignore SIGINT. */
const STOP_SIGNALS = [
  ["SIGINT", 0],
  ["SIGTERM", 300],
  ["SIGKILL", 2_000],
] as const;
/** A process that the command left behind may hold its output open for ever. */
const DRAIN_MS = 500;
const MAX_KEPT_ERRORS = 64_000;

export interface CommandEnd {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of what it wrote to stderr. */
  readonly errors: string;
}

export interface CommandOptions {
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
}

/** Resolves when the command has ended; rejects where it cannot be started. Stays in the kernel's process group. */
export function execute(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandEnd> {
  const { directory, signal, print, printError } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const child = spawn(command, args, { cwd: directory, stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    const forward = (stream: NodeJS.ReadableStream, write: (text: string) => void) => {
      const decoder = new StringDecoder("utf8");
      stream.on("data", (chunk: Buffer) => write(decoder.write(chunk)));
    };
    forward(child.stdout, print);
    forward(child.stderr, (text) => {
      errors = `${errors}${text}`.slice(-MAX_KEPT_ERRORS);
      printError(text);
    });
    const stop = () => stopTree(child.pid);
    const exit = () => killTree(child.pid);
    signal.addEventListener("abort", stop, { once: true });
    process.once("exit", exit);
    const release = child.pid === undefined ? () => {} : guard(child.pid);
    const ended = () => {
      release();
      signal.removeEventListener("abort", stop);
      process.off("exit", exit);
    };
    child.once("error", (error) => {
      ended();
      reject(error);
    });
    child.once("exit", (code, endSignal) => {
      ended();
      const end = () => resolve({ code, signal: endSignal, errors });
      const drained = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS);
      child.once("close", () => {
        clearTimeout(drained);
        end();
      });
    });
  });
}

function stopTree(root: number | undefined): void {
  const tree = new Set<number>();
  for (const [signal, delayMs] of STOP_SIGNALS) {
    if (delayMs === 0) signalTree(root, tree, signal);
    else setTimeout(() => signalTree(root, tree, signal), delayMs).unref();
  }
}

/** The session ends: nothing of it is left behind. */
function killTree(root: number | undefined): void {
  signalTree(root, new Set(), "SIGKILL");
}

/**
 * To the process and all that come from it. Who dies first would hide those below it, and who runs may start one that was
 * not seen: so all are paused before the signal is sent.
 *
 * @param tree those that were found before; those found now are added
 */
function signalTree(root: number | undefined, tree: Set<number>, signal: NodeJS.Signals): void {
  if (root === undefined) return;
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
