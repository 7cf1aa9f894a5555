// A run of a notebook that did not come to its end, for a reason outside of its cells: what is said of it, and the exit
// status. Knows nothing of what ran.

type Reason = "timeout" | "died" | "interrupted";

export class UnfinishedRun extends Error {
  override readonly name = "UnfinishedRun";
  readonly reason: Reason;
  readonly exitStatus: number;

  constructor(reason: Reason, exitStatus = 1) {
    super(reason);
    this.reason = reason;
    this.exitStatus = exitStatus;
  }

  /** @param cell the number of the one that ran, where it is known */
  sentence(timeoutSeconds: number | undefined, cell: number | null): string {
    switch (this.reason) {
      case "timeout":
        return `${cell === null ? "A cell" : `Cell ${cell}`} did not end within ${timeoutSeconds} s.`;
      case "died":
        return "Kernel died";
      case "interrupted":
        return "Interrupted.";
    }
  }
}
