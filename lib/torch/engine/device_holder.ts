// Decides whether the parent process (child_process.fork, a cluster) already has a device session. There can be only
// one, because each would count the whole memory as its own. `native/addon/device_session.cc` leaves the process id for
// this.
import cluster from "node:cluster";

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Why tensors on a device are refused in this process; null if they are not. */
export function deviceRefusal(): string | null {
  const holder = Number(process.env["MPSLAB_DEVICE_PROCESS"]);
  if (!Number.isInteger(holder) || holder <= 0 || holder === process.pid || process.channel === undefined)
    return null;
  if (!lives(holder)) return null;
  const what = cluster.isWorker ? "a worker of a cluster" : "a child";
  return (
    `This process is ${what} of process ${holder}, which holds the device: one process has one device session. ` +
    "Work on the CPU here and send the numbers back, or start it with child_process.spawn, without a channel."
  );
}
