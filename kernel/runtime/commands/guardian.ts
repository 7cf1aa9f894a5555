// Ends what a session's cells have started, once the session has ended in any way. A killed process can end nothing
// itself, and a shell that left a background job behind can no longer be asked. So a separate shell waits until the
// session's end of a pipe closes. Then it kills what still runs, with all descendants.
import { type ChildProcess, spawn } from "node:child_process";

/**
 * The environment variable that identifies descendants of a child whose parent has ended: `TOKEN.NUMBER`, with the
 * child's number.
 */
export const MARK = "MPSLAB_CHILD";

/**
 * Reads `+ PID NUMBER` for a child that began, `- PID NUMBER` for one that has ended, `! PID NUMBER` for one that is to
 * live on. At the end of the input it finds all processes that have the mark, and their descendants, pauses each so
 * that it starts no more, and kills them. It uses /proc or ps, since a Mac has no /proc, and not every Linux has ps. It
 * ignores signals: Stop and a closed terminal reach the whole process group, but the guardian must outlive the session.
 */
const PROGRAM = `
trap '' INT TERM HUP
running=" "
released=" "
while read -r change pid number; do
  case $change in
    +) running="$running$pid " ;;
    !) released="$released$number " ;;
  esac
  case $change in [-!]) running="\${running%% $pid *} \${running#* $pid }" ;; esac
done
marked() {
  if [ -r /proc/self/stat ]; then
    for file in $(grep -ls "${MARK}=$1[.]" /proc/[0-9]*/environ 2>/dev/null); do
      pid=\${file#/proc/}
      echo "\${pid%/environ} $({ tr '\\0' '\\n' < "$file"; } 2>/dev/null | sed -n "s/^${MARK}=$1[.]//p")"
    done
  else
    ps -A -E -ww -o pid=,command= | sed -n "s/^ *\\([0-9]*\\) .*${MARK}=$1[.]\\([0-9][0-9]*\\).*/\\1 \\2/p"
  fi
}
parents() {
  if [ -r /proc/self/stat ]; then
    for folder in /proc/[0-9]*; do
      { read -r line < "$folder/stat"; } 2>/dev/null || continue
      set -- \${line##*) }
      echo "\${folder#/proc/} $2"
    done
  else
    ps -A -o pid=,ppid=
  fi
}
tree=" "
found="$running $(marked "$1" | while read -r pid number; do
  case $released in *" $number "*) ;; *) echo "$pid" ;; esac
done)"
while [ -n "\${found# }" ]; do
  for pid in $found; do kill -STOP "$pid" 2>/dev/null; tree="$tree$pid "; done
  found=$(parents | while read -r pid parent; do
    case $tree in *" $pid "*) continue ;; esac
    case $tree in *" $parent "*) echo "$pid" ;; esac
  done)
done
for pid in $tree; do kill -KILL "$pid" 2>/dev/null; done
`;

let guardian: ChildProcess | null = null;

/** The guardian's process id; null before `startGuardian`, and if it could not be started. */
export function guardianPid(): number | null {
  return guardian?.pid ?? null;
}

export function tellGuardian(change: "+" | "-" | "!", pid: number, number: number): void {
  guardian?.stdin?.write(`${change} ${pid} ${number}\n`);
}

/** Ends the guardian, so that what still runs lives on. */
export function dismissGuardian(): void {
  guardian?.kill("SIGKILL");
}

/** Starts the guardian in the session's process group, so that killing the group also ends the commands. */
export function startGuardian(token: string): void {
  if (guardian !== null) return;
  const child = spawn("/bin/sh", ["-c", PROGRAM, "sh", token], { stdio: ["pipe", "ignore", "ignore"] });
  guardian = child;
  // Commands also run without a guardian.
  child.on("error", () => (guardian = null));
  child.stdin.on("error", () => {});
  child.once("exit", () => (guardian = null));
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
}
