// Writes the warnings that a reader of a `lab.tune` result needs before quoting its numbers.
import type { Tuned } from "./result.ts";
import { exceedsSpread } from "./trial.ts";

type NotedFacts = Pick<Tuned, "device" | "whole" | "resumedPoints" | "cutOffPoints" | "journal">;

export function notesOf({ device, whole, resumedPoints, cutOffPoints, journal }: NotedFacts): string[] {
  const notes: string[] = [];
  if (whole !== null && !(whole.after.gain !== null && exceedsSpread(whole.after, whole.before)))
    notes.push(
      "At the end the whole did not gain more than its spread over the beginning: measure again, with more windows, before you take it.",
    );
  if (device.includes("simulated"))
    notes.push("The device is simulated by this machine's processor: no time here is a GPU's.");
  if (resumedPoints > 0)
    notes.push(
      `${resumedPoints === 1 ? "1 measurement comes" : `${resumedPoints} measurements come`} from the journal ${journal}.`,
    );
  if (cutOffPoints.length > 0)
    notes.push(
      `An earlier session ended while this ran, before it was measured, and it ran again: ${cutOffPoints.map(({ trial }) => String(trial)).join("; ")}.`,
    );
  return notes;
}
