// Puts words into sentences: a capital letter at the beginning, names in a list, counts with their nouns. Knows nothing of
// what they say.

/** `at 8 points` -> `At 8 points` */
export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** `a`, `a and b`, `a, b and c` */
export function listed(names: readonly string[], conjunction: "and" | "or" = "and"): string {
  return names.length < 2
    ? (names[0] ?? "")
    : `${names.slice(0, -1).join(", ")} ${conjunction} ${names.at(-1)}`;
}

/** `a long title` -> `a long ti…`: at most so many characters. */
export function clipped(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}

/** 1234 -> `1,234` */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 value`, `1,234 values`, `2 entries`, `3 batches` */
export function counted(count: number, noun: string): string {
  return `${countText(count)} ${count === 1 ? noun : pluralOf(noun)}`;
}

function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  // The plural of a noun on `ch` takes `es`, except for epoch, in which `ch` is pronounced as k.
  return /(?:s|x|sh|[^o]ch)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
