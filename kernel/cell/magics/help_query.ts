// Parses a cell that asks about a name, as in IPython: `?losses`, `model.forward?`, and `??` for the source. No valid
// TypeScript cell looks like this. The editor's inspection answers it.
import { IDENTIFIER } from "../../../lib/typescript/identifiers.ts";

export interface HelpQuery {
  /** `model.layers[0]` */
  readonly name: string;
  /** The protocol's value: 1 requests the source too. */
  readonly detailLevel: 0 | 1;
}

const PATH = String.raw`${IDENTIFIER}(?:\??\.${IDENTIFIER}|\[(?:\d+|"[^"\\\n]*"|'[^'\\\n]*')\])*`;
const QUESTION = new RegExp(String.raw`^\s*(?:(\?{1,2})\s*(${PATH})|(${PATH})(\?{1,2}))\s*;?\s*$`, "u");

/** Null for a cell that is anything else. */
export function parseHelpQuery(text: string): HelpQuery | null {
  const match = QUESTION.exec(text);
  if (match === null) return null;
  const [, before, behindMark, beforeMark, after] = match;
  return {
    name: behindMark ?? beforeMark ?? "",
    detailLevel: (before ?? after) === "??" ? 1 : 0,
  };
}
