// The report of a soak in Markdown, kept beside the benchmarks, and its one verdict.
import { LIMITS, type Row, type Verdict, verdictsOf } from "./figures.ts";
import type { FaultKind } from "./schedule.ts";
import type { SoakResult } from "./soak.ts";

const INTENDED_HOURS = 24;
/** Lines of the table between its first and its last: every hour of a day, a tenth of less. */
const TENTHS = 10;

export const HOW =
  "Memory in units of 1,000,000 bytes, after two collections where the process is Node's. Slopes are of the last half of the samples, through the means of eight spans of each process";

/** The verdict of the whole: nothing was lost, and nothing grows. */
export function isMet({ violation, rows }: SoakResult): boolean {
  return violation === null && verdictsOf(rows).every(({ judgement }) => judgement === "flat");
}

export function reportOf(result: SoakResult): string {
  const { options, hours, cells, recoveries, violation, rows, disk } = result;
  const { seed, faults, kinds } = options;
  const verdicts = verdictsOf(rows);
  const count = [...recoveries.values()].reduce((sum, times) => sum + times.length, 0);
  return [
    `${cells.toLocaleString("en-US")} cells of ${kinds.length} kinds in ${duration(hours)} of the ${INTENDED_HOURS} h that are asked for, seed ${seed}; ${count} faults${faults.length > 0 ? ` (${faults.join(", ")})` : ""}. The disk becomes full as ${disk}.`,
    `**${isMet(result) ? "met" : "missed"}**: ${violation === null ? "nothing that was acknowledged was lost" : "a promise was broken, as said at the end"}; ${flatness(verdicts)}.`,
    faultTable(recoveries),
    "Growth by the cells, with its 95% interval: flat where the upper end is at most the limit, grows where the lower end is above it, otherwise not decided. Of the sessions it is those that lived long, each from its own level; of the kernel it is the moments in which its session is young, because it forgets what it remembers of a session's cells with the session.",
    growthTable(verdicts),
    `Memory and descriptors, at the start, each ${hours > TENTHS ? "hour" : "tenth"} and the end: ${Object.values(
      LIMITS,
    )
      .map(({ name }) => name)
      .join(" / ")}.`,
    courseTable(rows, hours),
    ...(violation === null ? [] : [`\`\`\`text\n${violation}\n\`\`\``]),
  ].join("\n\n");
}

function flatness(verdicts: readonly Verdict[]): string {
  const named = (judgement: Verdict["judgement"]) =>
    verdicts.filter((verdict) => verdict.judgement === judgement).length;
  return `of ${verdicts.length} figures ${named("flat")} are flat, ${named("grows")} grow, ${named("not decided")} are not decided`;
}

function faultTable(recoveries: ReadonlyMap<FaultKind, readonly number[]>): string {
  const rows = [...recoveries].map(([kind, times]) => {
    const worst = times.length === 0 ? "" : `${Math.max(...times).toFixed(0)} ms`;
    const middle = times.length === 0 ? "" : `${median(times).toFixed(0)} ms`;
    return `| ${kind} | ${times.length} | ${middle} | ${worst} |`;
  });
  return [
    "| fault | times | recovery, median | recovery, worst |",
    "| --- | ---: | ---: | ---: |",
    ...rows,
  ].join("\n");
}

function growthTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ name, trend, limit, judgement }) => {
    const [slope, interval, samples] =
      trend === null
        ? ["", "", ""]
        : [signed(trend.slope), `${signed(trend.low)} to ${signed(trend.high)}`, String(trend.samples)];
    return `| ${name} | ${slope} | ${interval} | ${samples} | ${limit} | ${judgement} |`;
  });
  return [
    "| figure | slope | 95% interval | samples | limit | verdict |",
    "| --- | ---: | ---: | ---: | ---: | --- |",
    ...rows,
  ].join("\n");
}

function courseTable(rows: readonly Row[], hours: number): string {
  const parts = Math.max(TENTHS, Math.floor(hours));
  const moments = [...new Set(rows.map(({ cells }) => cells))];
  const shown = moments.filter(
    (_, index) =>
      Math.floor((index * parts) / moments.length) !== Math.floor(((index - 1) * parts) / moments.length),
  );
  const lines = [...new Set([...shown, ...moments.slice(-1)])].map((cells) => {
    const of = (name: Row["name"]) =>
      shownFigures(rows.find((row) => row.cells === cells && row.name === name));
    const at = rows.find((row) => row.cells === cells)!.hours;
    return `| ${cells} | ${duration(at)} | ${of("kernel")} | ${of("session")} | ${of("language")} |`;
  });
  return [
    "| cells | time | kernel | session | TypeScript server |",
    "| ---: | ---: | ---: | ---: | ---: |",
    ...lines,
  ].join("\n");
}

function shownFigures(row: Row | undefined): string {
  if (row === undefined) return "none runs";
  const { heap, anonymous, descriptors } = row.figures;
  return `${heap?.toFixed(1) ?? "-"} / ${anonymous.toFixed(1)} / ${descriptors}`;
}

const duration = (hours: number): string =>
  hours < 2 ? `${(hours * 60).toFixed(1)} min` : `${hours.toFixed(1)} h`;
const signed = (value: number): string => (value >= 0 ? `+${value.toFixed(3)}` : value.toFixed(3));

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
