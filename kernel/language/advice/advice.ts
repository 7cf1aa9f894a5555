// An advice is data: a replacement of a span of a cell, with the sentence that says why. It is shown after the checker has
// tried it (`trials.ts`).

/** Offsets are of the cell's text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Advice extends Edit {
  /** The reason, which stands before a colon: `A tensor is no number`. */
  readonly sentence: string;
  /** Edits elsewhere that the replacement needs, such as an import. */
  readonly also: readonly Edit[];
}

/** A possible advice, before the checker has tried it. */
export interface Candidate extends Edit {
  readonly sentence: string;
  /**
   * What is tried in place of `text`, to make the checker stricter than TypeScript is: `String(x satisfies number)` for
   * `String(x)`, which would turn an object into "[object Object]".
   */
  readonly tried?: string;
  /** What the reader is shown in place of a long `text`. Empty where the sentence is all that is told. */
  readonly shown?: string;
  readonly also?: readonly Edit[];
  /** Whether the sentence says all that TypeScript's message does. */
  readonly isWhole?: boolean;
}

export function applied(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { start, end, text: written } of edits.toSorted((a, b) => b.start - a.start || b.end - a.end))
    result = result.slice(0, start) + written + result.slice(end);
  return result;
}

/** Where the inserted texts are in the changed text. */
export function placesAfter(edits: readonly Edit[]): { readonly start: number; readonly end: number }[] {
  let shift = 0;
  return edits
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, text }) => {
      const place = { start: start + shift, end: start + shift + text.length };
      shift += text.length - (end - start);
      return place;
    });
}

/** The offset in the original text for an offset in the changed one. Offsets inside inserted text map to its start. */
export function offsetBefore(edits: readonly Edit[], changed: number): number {
  let shift = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    if (changed < start + shift || (changed === start + shift && text.length === 0)) break;
    if (changed < start + shift + text.length) return start;
    shift += text.length - (end - start);
  }
  return changed - shift;
}

/** The message of an error that has an advice. */
export function advisedMessage(message: string, { sentence, isWhole, shown, text, also }: Candidate): string {
  const said = isWhole === true ? "" : `${withoutGuess(message).split("\n")[0]!.trim()} `;
  const besides = also?.length
    ? `, with ${also.map((edit) => edit.text.trim().replace(/;$/, "")).join(" and ")}`
    : "";
  const words = (shown ?? text).trim().replace(/;$/, "");
  return `${said}${sentence}${words === "" ? "" : `: write ${words}${besides}`}.`;
}

/**
 * Removes TypeScript's guess of a name. TypeScript goes by the letters only; whether the guess fits has been tried
 * already.
 */
export function withoutGuess(message: string): string {
  return message
    .replace(/\.? (?:Did you mean|Do you need to) [^\n]*(?=\n|$)/, ".")
    .replace(/\.\.(?=\n|$)/, ".");
}
