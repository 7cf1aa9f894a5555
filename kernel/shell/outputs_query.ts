// Recognises the one kind of cell that does not wait for its turn.

/**
 * Whether a cell is `%outputs` and nothing else. It asks nothing of the session, so the kernel answers it while another
 * cell runs.
 */
export function asksForOutputs(code: string): boolean {
  return /^%outputs(?:[ \t][^\n]*)?$/.test(code.trim());
}
