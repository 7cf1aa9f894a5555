// When a test counts as hung. A machine that is busy or slow takes many times as long as a quiet one, so no test has a
// limit of its own: the work of a test is bounded by a count (texts, messages, epochs), and this limit ends what hangs.

/** The time limit of a test, a hook, and any wait of a test: ten minutes. The longest test takes one on two cores. */
export const HANG_MS = 600_000;
