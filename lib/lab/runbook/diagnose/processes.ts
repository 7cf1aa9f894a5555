// Finds other sessions of this kernel on this machine in the process list. Does not end any of them.
import { execFileSync } from "node:child_process";

export interface OtherProcess {
  readonly pid: number;
  readonly name: string;
}

/** A session runs `.../kernel/runtime/host.js`. */
const SESSION = /^\s*(\d+)\s+(\S*node\S*\s.*\/kernel\/runtime\/host\.[jt]s)\b/;

/** Null if `ps` fails. */
export function otherSessions(ownPid: number = process.pid): readonly OtherProcess[] | null {
  try {
    const args = ["-axo", "pid=,command="];
    return sessionsIn(execFileSync("ps", args, { encoding: "utf8", timeout: 2_000 }), ownPid);
  } catch {
    return null;
  }
}

/** `  812 node /x/dist/kernel/runtime/host.js` -> that process. */
export function sessionsIn(table: string, ownPid: number): readonly OtherProcess[] {
  return table.split("\n").flatMap((line) => {
    const [, pid, name] = SESSION.exec(line) ?? [];
    return pid === undefined || name === undefined || Number(pid) === ownPid
      ? []
      : [{ pid: Number(pid), name }];
  });
}
