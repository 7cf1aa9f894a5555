// A seeded generator for tests that make up their input: the same seed gives the same run everywhere.

import { seededRandom } from "../../../lib/statistics/seeded_random.ts";

let draw = seededRandom(0);

export function seed(value: number): void {
  draw = seededRandom(value);
}

/** From 0 up to 1. */
function random(): number {
  return draw();
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
