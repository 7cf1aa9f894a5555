// Gives the interrupt as an AbortSignal for APIs that accept one: `fetch`, timers and files of `node:*/promises`.
import { installedSession, observeCells } from "../../session.ts";

/**
 * Fires when the cell is interrupted: `await fetch(url, { signal: lab.signal })`. Each cell has its own, so read it where
 * it is used. Outside a kernel it never fires.
 */
export let signal: AbortSignal = new AbortController().signal;

observeCells({
  cellStarted() {
    signal = installedSession()?.cellSignal() ?? signal;
  },
});
