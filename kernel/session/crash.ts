// Explains to the user that a session process has ended: why, what it did last, what is lost, and how to go on.
import { constants } from "node:os";
import { STYLE } from "../errors/code_frame.ts";
import type { ErrorContent } from "./channel.ts";
import type { LastOperator } from "./flight_record.ts";
import type { Exit } from "./process.ts";

export interface Crash {
  readonly exit: Exit;
  /** The user's variables, in the order in which they were made. */
  readonly lostNames: readonly string[];
  /** The snapshot that `%restore` would bring back, in words for the user: `the snapshot of 14:03:22`. */
  readonly snapshot: string | null;
  /** The rank that has ended; null for the notebook's own session. */
  readonly rank: number | null;
}

const MAX_NAMES = 20;

/** The sentences for the cell that ran, or below the last one if none did. */
export function describeCrash(crash: Crash): { readonly reason: string; readonly lost: string } {
  const { exit, lostNames, snapshot, rank } = crash;
  const { lastOperator } = exit;
  const subject = rank === null ? "The session process" : `Rank ${rank}`;
  const reason = [
    describeExit(subject, exit),
    exit.cause === null && lastOperator ? describeLast(lastOperator) : "",
  ];
  const names = lostNames.length === 0 ? "" : ` (${listed(lostNames)})`;
  const lost = [
    `All variables and tensors${rank === null ? "" : " of the ranks"} are lost${names}; files are not.`,
    rank === null ? "The next cell starts a new session." : "The next %%ranks cell starts new ranks.",
    ...(snapshot === null ? [] : [`%restore brings back ${snapshot}.`]),
  ];
  return { reason: reason.filter((sentence) => sentence !== "").join(" "), lost: lost.join(" ") };
}

/** @param exit the end of the session that ran the cell */
export function errorOf(
  { reason, lost }: { readonly reason: string; readonly lost: string },
  exit?: Exit,
): ErrorContent {
  const ename = "SessionEnded";
  return {
    ename,
    evalue: `${reason} ${lost}`,
    traceback: [`${STYLE.name}${ename}${STYLE.plain}: ${reason}`, lost],
    ...(exit !== undefined && askedStatus(exit)),
  };
}

/** Signals that ask a program to end. */
const ASKING: ReadonlySet<string> = new Set(["SIGTERM", "SIGHUP"]);

/**
 * The exit status as a shell would give it, if process.exit() or a signal that asks for the end has ended the process.
 */
function askedStatus({ code, signal, cause, failure, heapFull }: Exit): { readonly exitCode?: number } {
  if (cause !== null || failure !== null || heapFull) return {};
  if (signal !== null && ASKING.has(signal)) return { exitCode: 128 + constants.signals[signal] };
  return code === null ? {} : { exitCode: code };
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}

function describeLast({ name, running, allocatedBytes, heldBytes }: LastOperator): string {
  const memory = `tensors held ${mebibytes(allocatedBytes)}, the allocator ${mebibytes(heldBytes)}`;
  return running ? `It was inside of ${name}(): ${memory}.` : `The last operator was ${name}(): ${memory}.`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

const MEANINGS: Readonly<Partial<Record<NodeJS.Signals, string>>> = {
  SIGSEGV: "an access to memory that is not there, or a stack that overflowed in native code",
  SIGBUS: "an access to memory that the system could not provide",
  SIGILL: "an instruction that this processor does not have",
  SIGFPE: "an integer division by zero in native code",
  SIGTRAP: "a check of V8 that failed",
  SIGTERM: "something asked it to end",
};

/** @param subject the process that has ended, as the first words of a sentence */
function describeExit(
  subject: string,
  { code, signal, cause, failure, heapFull, memoryShort }: Exit,
): string {
  if (failure !== null) return `${subject} could not be started: ${failure}.`;
  if (cause === "interrupted") return `${subject} did not stop after the interrupt and was ended.`;
  if (cause === "close") return `${subject} was closed.`;
  if (heapFull) {
    return (
      `${subject} ran out of memory for JavaScript objects (tensors are not among them). ` +
      "NODE_OPTIONS=--max-old-space-size=8192 in the environment of Jupyter gives it 8 GiB."
    );
  }
  if (signal === "SIGKILL" && memoryShort)
    return `${subject} was killed by SIGKILL: the system's memory ran out.`;
  if (signal === "SIGKILL")
    return `${subject} was killed by SIGKILL, as the system does when memory runs out.`;
  if (signal === "SIGABRT") {
    return `${subject} aborted (SIGABRT): by process.abort(), or by native code that said why above.`;
  }
  if (signal !== null) {
    const meaning = MEANINGS[signal];
    return `${subject} was killed by ${signal}${meaning === undefined ? "" : `: ${meaning}`}.`;
  }
  return `${subject} exited with code ${code}: something called process.exit().`;
}
