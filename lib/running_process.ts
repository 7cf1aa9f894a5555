// Checks whether a process of this machine runs, by the process id in one of its files. Loads no libtorch.

/** Also true for a process of another user, which this user may not signal. */
export function isRunning(pid: number): boolean {
  // kill() takes 0 and negative numbers for process groups.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
