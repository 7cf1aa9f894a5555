// A run of a notebook that did not reach its end, for a reason outside its cells: the message for the user, and the
// exit status. Does not know what ran.

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

  /** @param cell the number of the cell that was running, if it is known */
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
