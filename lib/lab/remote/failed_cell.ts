// Describes a cell that failed on another machine.
import type { PointStatus } from "../../records/batch_sweeps/point.ts";
import type { CellEnd } from "./agent_messages.ts";

export type Ended = CellEnd | { readonly status: "deadline" };
type Failed = Exclude<Ended, { status: "ok" }>;

/** The status and the error of a point whose cell failed. */
export function failureOf(end: Failed, deadlineMs: number): [PointStatus, string] {
  if (end.status === "deadline")
    return [
      "deadline",
      `DeadlineError: The measurement ran longer than its deadline (deadlineMs: ${deadlineMs}) and was interrupted. Raise deadlineMs, or make the step smaller.`,
    ];
  if (end.status === "restarted") return ["crashed", "The kernel ended while it ran."];
  if (end.name === "SessionEnded") return ["crashed", end.message];
  return ["failed", `${end.name}: ${end.message}`];
}

export function endText(end: Ended): string {
  if (end.status === "error") return `${end.name}: ${end.message.replace(/\.$/, "")}`;
  if (end.status === "restarted") return "the kernel ended";
  return end.status === "deadline" ? "it did not end, and was interrupted" : "it gave no answer";
}
