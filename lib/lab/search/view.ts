// Shows what `lab.search` found: a row for each trial, the best first.
import { formatTime } from "../../units.ts";
import { columns, type Table } from "../../views/table.ts";
import { valueText } from "../../records/parameters.ts";
import type { Search } from "./result.ts";

export function searchTable({ name, direction, library, best, trials }: Search): Table {
  const names = trials.names.filter((column) => !FIGURES.has(column));
  const sign = direction === "minimize" ? 1 : -1;
  const sorted = trials
    .records()
    .toSorted((a, b) => rank(a.state) - rank(b.state) || sign * (a.value - b.value) || a.trial - b.trial);
  const found =
    best === null
      ? "no trial is complete"
      : `${direction === "minimize" ? "lowest" : "highest"} ${digits(best.value)} in trial ${best.trial}`;
  const pruned = sorted.filter(({ state }) => state === "pruned").length;
  return {
    caption: `${name}: ${trials.length} ${trials.length === 1 ? "trial" : "trials"}, ${found}; ${library}`,
    columns: columns("trial", "value", ...names, "steps", "time", "<end"),
    rows: sorted.map((row) => [
      String(row.trial),
      Number.isNaN(row.value) ? { quiet: "none" } : digits(row.value),
      ...names.map((column) => shown((row as unknown as Record<string, unknown>)[column])),
      String(row.steps),
      formatTime(row.seconds * 1000),
      END[row.state],
    ]),
    marked: best === null ? [] : [0],
    whole: true,
    notes: pruned === 0 ? [] : [`${pruned} ended early, with the last value that they reported.`],
  };
}

const FIGURES: ReadonlySet<string> = new Set(["trial", "value", "state", "steps", "seconds"]);
const END = { complete: "complete", pruned: "early", fail: "no number" };
const rank = (state: keyof typeof END): number => Object.keys(END).indexOf(state);
const digits = (value: number): string => String(Number(value.toPrecision(5)));
const shown = (value: unknown): string => (typeof value === "number" ? digits(value) : valueText(value));
