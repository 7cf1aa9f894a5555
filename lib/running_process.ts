// Whether a process of this machine runs, by the number that a file of it names. A leaf: it loads no libtorch.

/** Also true for a process of another user, which may not be signalled. */
export function isRunning(pid: number): boolean {
  // To kill(), 0 and negative numbers mean groups of processes.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
