// Formats a count with its noun: `1 name`, `1,000 entries`. Covers the English plurals that magics need.

export function counted(count: number, noun: string): string {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`;
}
