// Prints the progress of set-up: one line a step, one sentence for a failure.
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A failure that a person can mend: printed as it is, without a stack trace. */
export class SetupError extends Error {
  name = "SetupError";
}

const diskIsFull = (folder) =>
  `There is no room left on the disk of ${folder}: make room, then run the command again.`;

/**
 * What a person can do about an error of the system while set-up wrote a file; null for another error.
 *
 * @param {string} folder where set-up keeps what it makes
 * @param {string} wayOut what to do where the folder cannot be written
 */
export function explainUnwritable(
  error,
  folder,
  wayOut = "copy the folder to a place of your own, or run the command as its owner",
) {
  if (["ENOSPC", "EDQUOT"].includes(error?.code)) return diskIsFull(folder);
  if (!["EACCES", "EPERM", "EROFS", "ENOTDIR"].includes(error?.code)) return null;
  return `${error.path ?? folder} cannot be written, and set-up keeps everything it makes below ${folder}: ${wayOut}.`;
}

/**
 * Waits for all steps, then throws the first failure. If a step went on after the message, it could leave an incomplete
 * `.venv` that looks complete.
 */
export async function allOrFirstFailure(steps) {
  const failed = (await Promise.allSettled(steps)).find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
}

const seconds = (sinceMs) => `${((performance.now() - sinceMs) / 1000).toFixed(0)} s`;

/** Passes on the percents 10, 20 and so on up to 90, each once. */
function everyTenth(say) {
  let said = 0;
  return (share) => {
    const tenth = Math.min(9, Math.floor(10 * share));
    if (tenth <= said) return;
    said = tenth;
    say(10 * tenth);
  };
}

/** The share of a build that is done, from the last line of Ninja (`[3/40] Building`) or make (`[ 12%] Building`). */
export function builtShare(output) {
  const [ninja] = [...output.matchAll(/^\[(\d+)\/(\d+)\] /gm)].slice(-1);
  if (ninja) return Number(ninja[1]) / Number(ninja[2]);
  const [make] = [...output.matchAll(/^\[ *(\d+)%\] /gm)].slice(-1);
  return make ? Number(make[1]) / 100 : 0;
}

/** @param {string} root the project's folder */
export function createReport(root) {
  const logFile = path.join(root, "build", "setup.log");
  // The log is begun when the first program runs, so that a complete set-up keeps the log of the last change and needs
  // no writable folder.
  let begun = false;
  const log = (text) => {
    if (!begun) {
      mkdirSync(path.dirname(logFile), { recursive: true });
      writeFileSync(logFile, "");
      begun = true;
    }
    appendFileSync(logFile, text);
  };

  return {
    logFile,
    /**
     * Runs a step that is not done yet, and says how long it took.
     *
     * @param {(progress: (share: number) => void) => Promise<unknown>} work calls `progress` with what is done, from 0 to 1
     */
    async step(title, work) {
      const startMs = performance.now();
      process.stderr.write(`  ${title} ...\n`);
      const result = await work(
        everyTenth((percent) => process.stderr.write(`  ${title}: ${percent}% after ${seconds(startMs)}\n`)),
      );
      process.stderr.write(`  ${title}: done in ${seconds(startMs)}\n`);
      return result;
    },
    /**
     * Runs a program with its output in the log.
     *
     * @param {(log: string) => string | Promise<string>} explain turns the output of a failed run into one sentence with the way out
     * @param {(output: string) => void} onOutput gets all that was printed so far, whenever there is more
     */
    async run(command, args, { explain, ...options } = {}) {
      const { status, output } = await capture(command, args, { cwd: root, ...options });
      log(`$ ${command} ${args.join(" ")}\n${output}\n`);
      if (status !== 0) {
        const reason = looksFull(output) ? diskIsFull(root) : await explain(output);
        throw new SetupError(`${reason} (The whole output is in ${logFile}.)`);
      }
      return output;
    },
  };
}

/** Runs a program and keeps what it prints; a program that does not exist has the status 127. */
export function capture(command, args, { onOutput = () => {}, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    let output = "";
    const add = (text) => onOutput((output += text));
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    child.on("error", () => resolve({ status: 127, output }));
    child.on("close", (status) => resolve({ status: status ?? 1, output }));
  });
}

/** Runs a program on this terminal and resolves to its exit status. */
export function runInForeground(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "inherit", ...options });
    // The terminal sends Ctrl-C to the child as well. The child ends, and this process ends with the child's status.
    const ignore = () => {};
    process.on("SIGINT", ignore);
    child.on("error", () => resolve(127));
    child.on("close", (status) => {
      process.off("SIGINT", ignore);
      resolve(status ?? 1);
    });
  });
}

/** npm, pip and compilers report a full disk in the same words. */
const looksFull = (output) => /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/.test(output);

/** npm and pip report a failed download in the same words: name resolution, refusal, time-out. */
export function looksOffline(output) {
  return /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|NewConnectionError|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|Temporary failure in name resolution/.test(
    output,
  );
}
