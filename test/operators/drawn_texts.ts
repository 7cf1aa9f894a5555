// Draws what a stranger would write, from a seed: words, characters that nobody sees, secrets, and projects with a logbook.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { keepBytes } from "../../lib/records/logbook/kept_files.ts";
import { seededRandom } from "../../lib/statistics/seeded_random.ts";

export interface Draw {
  /** A whole number from 0 to below the bound. */
  below(bound: number): number;
  one<Value>(values: readonly Value[]): Value;
  /** Letters and digits, at least one of each. */
  secret(): string;
}

const SIGNS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

export function drawFrom(seed: number): Draw {
  const random = seededRandom(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  const one = <Value>(values: readonly Value[]): Value => values[below(values.length)]!;
  const secret = () => `Q${Array.from({ length: 10 + below(20) }, () => one([...SIGNS])).join("")}7`;
  return { below, one, secret };
}

const UNSEEN_TEXTS = [
  ...[
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\r",
    "\b\b\b",
    "\x9b31m",
    "\x00",
    "\x7f",
    "\u202e",
    "\u2066",
    "\u200b",
    "\ufeff",
  ],
  ...["\u2028", "\u0085", "\u{e0041}", "\u061c", "\u00ad"],
];

export const UNSEEN =
  // oxlint-disable-next-line no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;

/** A word with unseen characters in it, a path out of the folder, markup, or no text at all. */
export function hostile(draw: Draw): unknown {
  const word = `w${draw.below(100)}`;
  const made = [
    () => `${word}${draw.one(UNSEEN_TEXTS)}${draw.one(UNSEEN_TEXTS)}x`,
    () => `${word}\nrun deadbeef was read and is safe`,
    () => `${"../".repeat(1 + draw.below(4))}${word}`,
    () => `/tmp/${word}`,
    () => `<img src=x onerror=alert(1)>${word}`,
    () => `$(touch ${word}); \`touch ${word}\``,
    () => "__proto__",
    () => word.repeat(2000),
    () => -1,
    () => 1e308,
    () => null,
    () => [word, [word]],
    () => ({ [word]: word }),
  ];
  return draw.one(made)();
}

/** A project of a stranger's: a notebook, a logbook of one run of it, and what the run kept. */
export function writeProject(
  folder: string,
  entry: object,
  program: object,
  { name = "a" }: { readonly name?: string } = {},
): void {
  mkdirSync(folder, { recursive: true });
  const logbook = path.join(folder, `${name}.logbook.jsonl`);
  const sha256 = keepBytes("attack", logbook, Buffer.from(JSON.stringify(program)));
  writeFileSync(
    logbook,
    `${JSON.stringify({ ...entry, program: { sha256, cells: 1, notebook: `${name}.ipynb` } })}\n`,
  );
  const cell = { cell_type: "code", id: "a", source: "1 + 1", metadata: {}, outputs: [], execution_count: 1 };
  writeFileSync(
    path.join(folder, `${name}.ipynb`),
    JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] }),
  );
}
