// Tells the user's interrupt from a failure of what runs: a measurement records the one and lets the other through.
import { installedSession } from "../session.ts";

export function isInterruption(thrown: unknown): boolean {
  const signal = installedSession()?.cellSignal();
  if (signal?.aborted === true && signal.reason === thrown) return true;
  return thrown instanceof Error && thrown.name === "KeyboardInterrupt";
}
