// Reads the command line of `npm run soak`.
import { parseArgs } from "node:util";
import { EVERY_KIND } from "./cells.ts";
import { type FaultKind, FAULTS } from "./schedule.ts";

export interface SoakOptions {
  /** It ends with whichever comes first; null for no end of that sort. */
  readonly hours: number | null;
  readonly cells: number | null;
  readonly seed: number;
  readonly faults: readonly FaultKind[];
  readonly kinds: readonly string[];
}

const DEFAULT_CELLS = 50_000;

export const USAGE = `Usage: npm run soak [-- --hours H] [--cells N] [--seed N] [--faults LIST|none] [--kinds LIST]
  faults: ${FAULTS.join(",")}
  kinds: ${EVERY_KIND.join(",")}`;

/** @throws Error in words for what it does not know */
export function readOptions(words: readonly string[]): SoakOptions {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...words],
    options: { hours: text, cells: text, seed: text, faults: text, kinds: text },
  });
  const hours = values.hours === undefined ? null : positive("--hours", values.hours);
  const cells = values.cells === undefined ? null : positive("--cells", values.cells);
  return {
    hours,
    cells: cells ?? (hours === null ? DEFAULT_CELLS : null),
    seed: whole("--seed", values.seed ?? "1"),
    faults: values.faults === "none" ? [] : listed("fault", values.faults, FAULTS),
    kinds: listed("kind", values.kinds, EVERY_KIND),
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${name} is a number above 0, not ${JSON.stringify(text)}.`);
  return value;
}

function whole(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${name} is a whole number, not ${JSON.stringify(text)}.`);
  return Number(text);
}

function listed<Name extends string>(
  what: string,
  text: string | undefined,
  known: readonly Name[],
): readonly Name[] {
  if (text === undefined) return known;
  const names = text.split(",");
  const unknown = names.find((name) => !(known as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new Error(`There is no ${what} ${JSON.stringify(unknown)}: choose from ${known.join(", ")}.`);
  return names as Name[];
}
