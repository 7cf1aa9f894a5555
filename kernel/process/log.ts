// Writes the kernel's log lines to stderr, where Jupyter shows them. Limits their number and length, so that a flood of
// bad messages does not flood the log.

const LINES_A_WINDOW = 20;
const WINDOW_MS = 10_000;
const LINE_LENGTH = 2000;

/** Writes the first lines of each ten seconds, and says later how many more there were. */
export function limitedLog(write: (line: string) => void): (line: string) => void {
  let lines = 0;
  let windowEndMs = 0;
  return (line) => {
    const nowMs = performance.now();
    if (nowMs >= windowEndMs) {
      const more = lines - LINES_A_WINDOW;
      if (more > 0) write(`${more} more of such lines were left out`);
      lines = 0;
      windowEndMs = nowMs + WINDOW_MS;
    }
    if (++lines <= LINES_A_WINDOW)
      write(line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)} ...` : line);
  };
}
