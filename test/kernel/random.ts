// A seeded generator for tests that make up their input: the same seed gives the same run everywhere.

let state = 0;

export function seed(value: number): void {
  state = value;
}

/** From 0 up to 1 (mulberry32). */
export function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** From 0 to `end` - 1. */
export function integer(end: number): number {
  return Math.floor(random() * end);
}

export function chance(probability: number): boolean {
  return random() < probability;
}

export function pick<T>(choices: readonly T[]): T {
  return choices[integer(choices.length)] as T;
}

export function bytes(length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => integer(256)));
}
