// A number of things in words: `1 name`, `1,000 entries`. Knows English plurals as far as magics need them.

export function counted(count: number, noun: string): string {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`;
}
