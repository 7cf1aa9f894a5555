// Limits of a call of the fuzzer. A call that exceeds them counts as one that does not end.

/** Above what the process has when it begins. Work on so much memory takes seconds: what takes longer is a loop. */
export const HEADROOM_BYTES = 768 * 2 ** 20;
/** A process that has said nothing for so long is within one call. */
export const SILENCE_MS = 30_000;
