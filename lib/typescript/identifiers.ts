// The pattern of an identifier, for regular expressions with the flag `u`. Used on half-written cells, which do not
// parse.

/** One character within a name; the last two join letters of some scripts. */
export const NAME_PART = String.raw`[\p{ID_Continue}$\u200c\u200d]`;

export const IDENTIFIER = String.raw`[\p{ID_Start}$_]${NAME_PART}*`;

const WHOLE = new RegExp(`^${IDENTIFIER}$`, "u");
const LAST_PART = new RegExp(`${NAME_PART}*$`, "u");
const FIRST_PART = new RegExp(`^${NAME_PART}*`, "u");

/** Whether it can stand behind a dot, or be a variable. */
export function isIdentifier(text: string): boolean {
  return WHOLE.test(text);
}

/** The part of a name that stands before an offset. */
export function wordBefore(text: string, offset: number): string {
  return LAST_PART.exec(text.slice(0, offset))?.[0] ?? "";
}

/** The part of a name that stands behind an offset. */
export function wordAfter(text: string, offset: number): string {
  return FIRST_PART.exec(text.slice(offset))?.[0] ?? "";
}
