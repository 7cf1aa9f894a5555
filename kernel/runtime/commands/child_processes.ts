// Runs the commands that a magic starts. Their output appears in the cell as it comes. They end as a cell's own children
// do (`children.ts`): at Stop, and with the session.
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

/** How long to read on after the command's end: a process that it left behind may keep its output open for ever. */
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
  { directory, signal, print, printError }: CommandOptions,
): Promise<CommandEnd> {
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
    child.once("error", reject);
    child.once("exit", (code, endSignal) => {
      const drained = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS);
      child.once("close", () => {
        clearTimeout(drained);
        resolve({ code, signal: endSignal, errors });
      });
    });
  });
}
