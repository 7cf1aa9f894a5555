// Recognises cells that only ask for outputs. They may be answered before their turn.

/**
 * Whether a cell is `%outputs` and nothing else. It asks nothing of the session, so the kernel can answer it while another
 * cell runs.
 */
export function asksForOutputs(code: string): boolean {
  return /^%outputs(?:[ \t][^\n]*)?$/.test(code.trim());
}
