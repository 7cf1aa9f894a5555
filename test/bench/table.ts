// Results as a Markdown table: one row a figure, one column a contestant, the ratio of the first to each other one.
import { availableParallelism } from "node:os";
import { ANY_MACHINE, type Scope } from "./machine.ts";
import type { Results, Summary } from "./rounds.ts";

const digits = (value: number) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
const cell = ({ median, min, max }: Summary) => `${digits(median)} (${digits(min)}-${digits(max)})`;

export function ratio(results: Results, figure: string, ours: string, theirs: string): number | null {
  const a = results.get(ours)?.get(figure);
  const b = results.get(theirs)?.get(figure);
  return a && b ? a.median / b.median : null;
}

/** Median with the least and the most in brackets. */
export function markdownTable(results: Results, unit: string): string {
  const names = [...results.keys()];
  const [ours, ...others] = names as [string, ...string[]];
  const figures = [...new Set([...results.values()].flatMap((byFigure) => [...byFigure.keys()]))];
  const lines = [
    `| ${[unit, ...names, ...others.map((name) => `${ours} / ${name}`)].join(" | ")} |`,
    `| ${["---", ...names.map(() => "---:"), ...others.map(() => "---:")].join(" | ")} |`,
  ];
  for (const figure of figures) {
    const values = names.map((name) => results.get(name)?.get(figure));
    const ratios = others.map((name) => ratio(results, figure, ours, name)?.toFixed(2) ?? "");
    lines.push(
      `| ${[figure, ...values.map((value) => (value ? cell(value) : "")), ...ratios].join(" | ")} |`,
    );
  }
  return lines.join("\n");
}

/**
 * `met` or `missed`, with the figure and the machines that the target holds for: a benchmark says what it found, it does
 * not fail. On a machine that the target does not hold for, the figure is not judged.
 */
export function verdict(
  what: string,
  found: number | null,
  atMost: number,
  scope: Scope = ANY_MACHINE,
  cores = availableParallelism(),
): string {
  if (found === null) return `- ${what}: not measured`;
  const judged = scope.holdsFor(cores)
    ? found <= atMost
      ? "met"
      : "missed"
    : `not judged on ${cores} cores`;
  return `- ${what}: ${found.toFixed(2)}, target at most ${atMost.toFixed(2)} on ${scope.name}: ${judged}`;
}
