// Puts words into sentences: a capital letter at the beginning, and names in a list. Knows nothing of what they say.

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
