// Ends commands whose session was killed, because a killed process can end nothing itself. A separate shell waits until
// the session's end of a pipe closes. Then it kills the commands that still ran, with everything that they started.
import { type ChildProcess, spawn } from "node:child_process";

/**
 * Reads `+ PID` for a command that began and `- PID` for one that has ended. At the end of the input it looks for all
 * descendants, pausing each so that it starts no more, and kills them. /proc is not on a Mac, and ps not on every Linux.
 * It ignores signals: Stop and a closed terminal reach the whole process group, and it is to see the session's end.
 */
const PROGRAM = `
trap '' INT TERM HUP
running=" "
while read -r change pid; do
  case $change in
    +) running="$running$pid " ;;
    -) running="\${running%% $pid *} \${running#* $pid }" ;;
  esac
done
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
found=$running
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

/** Ends the command when this process dies, until the returned function is called. */
export function guard(pid: number): () => void {
  guardian ??= start();
  const tell = (change: "+" | "-") => guardian?.stdin?.write(`${change} ${pid}\n`);
  tell("+");
  return () => void tell("-");
}

/** Runs in the session's process group, so that killing the group also ends the commands. */
function start(): ChildProcess {
  const child = spawn("/bin/sh", ["-c", PROGRAM], { stdio: ["pipe", "ignore", "ignore"] });
  // A command runs as well without a guardian.
  child.on("error", () => (guardian = null));
  child.stdin.on("error", () => {});
  child.once("exit", () => (guardian = null));
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}
