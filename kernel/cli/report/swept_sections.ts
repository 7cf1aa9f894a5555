// The parts of a page about sweeps of `mpslab papermill`: parameters, the table of points, charts of each figure by each
// parameter, each point, what they ran on, and the cells. Several sweeps are on one chart.
import { grouped } from "../../../lib/grouped.ts";
import type { Chart } from "../../../lib/charts/chart.ts";
import { renderSvg } from "../../../lib/charts/render.ts";
import type { RunEntry } from "../../../lib/records/logbook/entry.ts";
import { type BestPoints, bestPoints } from "../../../lib/records/parameter_sweeps/best_points.ts";
import {
  type FiguredPoint,
  type FiguredSweep,
  PEAK_BYTES,
  WALL_MS,
} from "../../../lib/records/parameter_sweeps/figured_points.ts";
import { parameterCharts } from "../../../lib/record_charts/parameter_sweep_charts.ts";
import { parameterDifferences } from "../../../lib/records/parameter_sweeps/difference.ts";
import { MAX_RUNS, runCharts } from "../../../lib/record_charts/run_charts.ts";
import { runNames } from "../../../lib/record_charts/run_names.ts";
import { originNotes } from "../../../lib/record_charts/run_origins.ts";
import { formatBytes, formatTime, numberText } from "../../../lib/units.ts";
import { escapeHtml } from "../../../lib/views/html.ts";
import { type Cell, columns, pointedColumns, type Table } from "../../../lib/views/table.ts";
import { tableHtml } from "../../../lib/views/table_html.ts";
import { counted, listed } from "../../../lib/words.ts";
import { hasTag, isProgram } from "../notebook/format.ts";
import { INJECTED_TAG } from "../sweep/parameters.ts";
import { valueText } from "../../../lib/records/parameters.ts";
import { cellText } from "../sweep/table.ts";
import { figure, folded, paragraph, section } from "./page.ts";
import { commonFields, differingFields, type NumberedRun, pointRanges } from "./point_fields.ts";
import { loggedMetrics, pointSection } from "./point_section.ts";
import type { SweptFolder, SweptPoint } from "./swept_folder.ts";

/** A sweep with its name on the page; `prefix` stands before the numbers of its points where there are several. */
interface Named {
  readonly sweep: SweptFolder;
  readonly name: string;
  readonly prefix: string;
}

export async function sweptSections(sweeps: readonly SweptFolder[]): Promise<string[]> {
  const names = sweepNames(sweeps);
  const named = sweeps.map((sweep, at): Named => {
    const letter = String.fromCharCode("A".charCodeAt(0) + at);
    return { sweep, name: names[at]!, prefix: sweeps.length === 1 ? "" : letter };
  });
  const runs = named.flatMap(({ sweep, prefix }) =>
    sweep.points.flatMap(({ number, run }): NumberedRun[] =>
      run === null ? [] : [{ point: `${prefix}${number}`, run }],
    ),
  );
  const figured = figuredSweeps(named);
  const charts = [...parameterCharts(figured, originsOf(named)), ...epochCharts(named)];
  const of = (what: string, { name }: Named) => (sweeps.length === 1 ? what : `${what} of ${name}`);
  const sections = [
    ...named.map((one) => section(of("Parameters", one), [tableHtml(gridTable(one.sweep))])),
    ...named.map((one) => section(of("Points", one), [pointsTable(one)], tableAnchor(one))),
    section("Charts", await chartFigures(charts, judgedFigures(sweeps.flatMap(({ points }) => points))[0])),
    section("Two sweeps, point by point", pointByPoint(figured)),
    section("What they ran on", environment(runs, sweeps.flatMap(({ points }) => points).length)),
  ];
  for (const one of named) {
    const { points } = one.sweep;
    const each = await Promise.all(
      points.map((point) => pointSection(point, anchorOf(one, point), tableAnchor(one))),
    );
    sections.push(section(of("Each point", one), each));
  }
  sections.push(...named.map((one) => section(of("What ran", one), cellsHtml(one.sweep))));
  return sections.filter((html) => html !== "");
}

/** Names the sweeps by what tells them apart: their folders, machines or commits. */
export function sweepNames(sweeps: readonly SweptFolder[]): string[] {
  const runs = sweeps.map(({ points }) => points.find(({ run }) => run !== null)?.run ?? null);
  const folders = sweeps.map(({ folder }) => folder.split(/[/\\]/).at(-1)!);
  const known = runs.filter((run) => run !== null);
  if (known.length < runs.length)
    return folders.map((name, at) => (folders.indexOf(name) === at ? name : `${name} (${at + 1})`));
  return runNames(known.map((run, at): RunEntry => ({ ...run, name: folders[at]! })));
}

const tableAnchor = ({ prefix }: Named): string => `points${prefix}`;
const anchorOf = ({ prefix }: Named, { number }: SweptPoint): string => `point-${prefix}${number}`;

function gridTable({ grid, seed }: SweptFolder): Table {
  return {
    caption: `Every combination of these values ran once, in an order that seed ${seed} fixes`,
    columns: columns("<parameter", "<<values"),
    rows: Object.entries(grid).map(([name, values]) => [name, values.map(valueText).join(", ")]),
  };
}

/** What the cells tagged `result` showed. */
const resultNames = (points: readonly SweptPoint[]): string[] => [
  ...new Set(points.flatMap(({ record }) => Object.keys(record?.results ?? {}))),
];
const loggedNames = (points: readonly SweptPoint[]): string[] => [
  ...new Set(points.flatMap(({ run }) => Object.keys(loggedMetrics(run)))),
];

/** The figures by which points are judged, the foremost one first: results, or what was logged where there are none. */
function judgedFigures(points: readonly SweptPoint[]): string[] {
  const results = resultNames(points);
  return results.length > 0 ? results : loggedNames(points);
}

/** The charts of the figure by which points are judged, and the others folded. A chart's sentence begins with its title. */
async function chartFigures(charts: readonly Chart[], judged: string | undefined): Promise<string[]> {
  const isForemost = ({ summary }: Chart) => judged === undefined || summary.startsWith(`${judged} by `);
  const others = await Promise.all(charts.filter((chart) => !isForemost(chart)).map(plainFigure));
  return [
    ...(await Promise.all(charts.filter(isForemost).map(plainFigure))),
    ...(others.length === 0 ? [] : [folded(`${counted(others.length, "chart")} of other figures`, others)]),
  ];
}

function pointsTable(one: Named): string {
  const { grid, points } = one.sweep;
  const parameters = Object.keys(grid);
  const results = resultNames(points);
  const logged = loggedNames(points).filter((name) => !results.includes(name));
  const best = bestOf(points);
  const isOnNodes = points.some(({ record }) => record?.node !== undefined);
  const rows = points.map((point): Cell[] => {
    const { number, record, run, peakBytes } = point;
    return [
      { text: `${one.prefix}${number}`, link: `#${anchorOf(one, point)}` },
      ...parameters.map((name) => cellText(point.point[name])),
      record?.status ?? "not run",
      ...(isOnNodes ? [record?.node ?? ""] : []),
      ...results.map((name) => cellText(record?.results[name] ?? "")),
      ...logged.map((name) => loggedMetrics(run)[name] ?? ""),
      record === null ? "" : formatTime(record.wallSeconds * 1000),
      peakBytes === null ? "" : formatBytes(peakBytes),
    ];
  });
  return tableHtml({
    caption: "",
    columns: [
      ...columns("point"),
      ...pointedColumns(...parameters),
      ...columns("<status", ...(isOnNodes ? ["<node"] : [])),
      ...pointedColumns(...results, ...logged),
      ...columns("time", "peak memory"),
    ],
    rows,
    marked: best[0]?.places ?? [],
    notes: [...best.map((found) => bestText(one, found)), ...errorsOf(one)],
  });
}

/** At most so many figures have a sentence of their best point. */
const MAX_JUDGED = 4;

function bestOf(points: readonly SweptPoint[]): BestPoints[] {
  const figured = points.map(figuredPoint);
  return judgedFigures(points)
    .slice(0, MAX_JUDGED)
    .flatMap((figure) => bestPoints(figured, figure) ?? []);
}

/** `Highest accuracy: 0.928, point 6 (width 64, rate 0.01).` */
function bestText(
  { sweep, prefix }: Named,
  { figure, isLess, value, places, parameters }: BestPoints,
): string {
  const numbers = places.map((place) => `${prefix}${sweep.points[place]!.number}`);
  const which = numbers.length === 1 ? `point ${numbers[0]}` : `the median of points ${listed(numbers)}`;
  const shared = Object.entries(parameters).map(([name, text]) => `${name} ${text}`);
  const where = shared.length === 0 ? "" : ` (${shared.join(", ")})`;
  return `${isLess ? "Lowest" : "Highest"} ${figure}: ${numberText(value)}, ${which}${where}.`;
}

/** `3, 6, 9: RangeError: diverged`: what several points failed with, once. */
function errorsOf({ sweep, prefix }: Named): string[] {
  const errors = sweep.points.flatMap(({ number, record }) =>
    record === null || record.error === null ? [] : [[record.error, `${prefix}${number}`] as const],
  );
  return [...grouped(errors)].map(([error, points]) => `${pointRanges(points)}: ${error}`);
}

/** Points that ran to their end. */
function figuredSweeps(named: readonly Named[]): FiguredSweep[] {
  return named.map(({ sweep, name }) => ({
    name: named.length === 1 ? "" : name,
    points: sweep.points.filter(({ record }) => record?.status === "ok").map(figuredPoint),
  }));
}

/** A point with every figure that is a number; none of a point that did not run to its end. */
function figuredPoint({ point, record, run, peakBytes }: SweptPoint): FiguredPoint {
  const texts = Object.entries(point).map(([key, value]) => [key, valueText(value)]);
  const parameters = Object.fromEntries(texts) as FiguredPoint["parameters"];
  if (record?.status !== "ok") return { parameters, figures: {} };
  const logged = Object.entries(loggedMetrics(run)).map(([key, text]) => [key, Number(text)] as const);
  const figures = Object.entries({
    ...record.results,
    ...Object.fromEntries(logged.filter(([key]) => !(key in record.results))),
    [WALL_MS]: record.wallSeconds * 1000,
    ...(peakBytes === null ? {} : { [PEAK_BYTES]: peakBytes }),
  }).filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
  return { parameters, figures: Object.fromEntries(figures) };
}

function pointByPoint([a, b, ...more]: readonly FiguredSweep[]): string[] {
  if (a === undefined || b === undefined || more.length > 0) return [];
  const table = parameterDifferences(a, b);
  return [table === null ? paragraph("No point has run in both sweeps.") : tableHtml(table)];
}

/** What the session logged by epoch, where the points are few enough for one chart. */
function epochCharts(named: readonly Named[]): Chart[] {
  const runs = named.flatMap(({ sweep, name }) =>
    sweep.points.flatMap(({ run }) =>
      run?.epochs === undefined
        ? []
        : [{ ...run, name: named.length === 1 ? run.name : `${name}, ${run.name}`, results: {} }],
    ),
  );
  return runs.length === 0 || runs.length > MAX_RUNS ? [] : runCharts(runs);
}

/** The table of differing fields names the points if there is one sweep, and the sweeps if there are several. */
function originsOf(named: readonly Named[]): string[] {
  const runs = named.flatMap(({ sweep, name }) =>
    sweep.points.flatMap(({ number, run }) =>
      run === null ? [] : [{ run, name: named.length === 1 ? String(number) : name }],
    ),
  );
  return originNotes(
    runs.map(({ run }) => run),
    runs.map(({ name }) => name),
    named.length === 1
      ? (numbers) => `${numbers.length === 1 ? "point" : "points"} ${pointRanges(numbers)}`
      : undefined,
  );
}

function environment(runs: readonly NumberedRun[], points: number): string[] {
  if (runs.length === 0)
    return [
      paragraph(
        "The notebooks do not say it: their cells did not import mpslab, an earlier version ran them, or no session lived to its end.",
      ),
    ];
  const differing = differingFields(runs);
  const { caption, ...common } = commonFields(runs, points);
  return [
    ...(differing === null
      ? [paragraph("No point differs from the others in this.")]
      : [tableHtml(differing)]),
    folded(caption, [tableHtml({ ...common, caption: "" })]),
  ];
}

/** The cells of one point stand for all: the others differ in the values of the parameters. */
function cellsHtml({ points, name }: SweptFolder): string[] {
  const notebook = points.find((point) => point.notebook !== null)?.notebook ?? null;
  if (notebook === null) return [];
  const cells = notebook.cells.filter((cell) => isProgram(cell) && !hasTag(cell, INJECTED_TAG));
  const html = cells.map(({ source }, at) => {
    const text = escapeHtml(source);
    return `<div class="number">cell ${at + 1}</div><pre>${text}</pre>`;
  });
  return [
    folded(
      `${counted(cells.length, "cell")} of ${name}.ipynb; the point's values follow those of the first`,
      html,
    ),
  ];
}

async function plainFigure({ specification, summary }: Chart): Promise<string> {
  return figure(await renderSvg(specification), summary);
}
