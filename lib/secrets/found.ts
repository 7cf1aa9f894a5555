// Declares what the searches find: parts of a text that are secrets, each with its kind. Joins parts that overlap.

/** Stands in a secret's place. */
export const LEFT_OUT = "(left out)";

export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  /** As a reader names it: `under its name`, `key of slack`. */
  readonly kind: string;
  /** The part lies in a literal of a program that was parsed, so that no code can stand in it. */
  readonly inLiteral?: true;
}

/** Parts in order, none over another: what overlaps is one secret. */
export function joined(found: readonly FoundSecret[]): FoundSecret[] {
  const parts: FoundSecret[] = [];
  for (const part of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const before = parts.at(-1);
    if (before === undefined || part.start >= before.end) parts.push(part);
    else if (part.end > before.end) {
      const { inLiteral: _, ...rest } = before;
      const inLiteral = before.inLiteral === true && part.inLiteral === true;
      parts[parts.length - 1] = { ...rest, end: part.end, ...(inLiteral && { inLiteral }) };
    }
  }
  return parts;
}
