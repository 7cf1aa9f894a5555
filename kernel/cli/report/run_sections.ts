// The parts of a report about one run or several: what differs, charts, tables of sweeps, fields, and the cells that ran.
import type { Chart } from "../../../lib/charts/chart.ts";
import { themed } from "../../../lib/charts/chart_style.ts";
import { renderSvg } from "../../../lib/charts/render.ts";
import { readProgram } from "../../../lib/records/logbook/program.ts";
import { diffOf, diffTable } from "../../../lib/records/logbook/diff.ts";
import { resultOfKind } from "../../../lib/records/logbook/result_kinds.ts";
import { runCharts } from "../../../lib/record_charts/run_charts.ts";
import { runNames } from "../../../lib/record_charts/run_names.ts";
import { fieldsTable, runTable } from "../../../lib/records/logbook/view.ts";
import type { RunEntry } from "../../../lib/records/logbook/entry.ts";
import { memoryChart, throughputChart } from "../../../lib/record_charts/batch_sweep_chart.ts";
import { differenceTable, sweepDifferences } from "../../../lib/records/batch_sweeps/difference.ts";
import type { SweepResult } from "../../../lib/records/batch_sweeps/result.ts";
import { measurementTable, sweepTable } from "../../../lib/records/batch_sweeps/table.ts";
import { withoutSecrets } from "../../../lib/secrets/redact.ts";
import { escapeHtml } from "../../../lib/views/html.ts";
import type { Table } from "../../../lib/views/table.ts";
import { tableHtml } from "../../../lib/views/table_html.ts";
import { formatBytes } from "../../../lib/units.ts";
import { counted } from "../../../lib/words.ts";
import { type FoundRun, shortId } from "../logbook/runs.ts";
import { prepare, type PrepareOptions, removeFolder } from "../rerun/prepared_run.ts";
import type { ReviewedText } from "../rerun/review.ts";
import { figure, folded, paragraph, section } from "./page.ts";

interface NamedSweep {
  readonly sweep: SweepResult;
  readonly name: string;
}

/** The sections of a report. A section about something that was not measured is empty. */
export async function runSections(found: readonly FoundRun[], options: PrepareOptions): Promise<string[]> {
  const runs = found.map(({ run }) => run);
  const [only] = found.length === 1 ? found : [];
  const sweeps = runs.flatMap(({ results }, at): NamedSweep[] => {
    const sweep = resultOfKind(results, "sweep") as SweepResult | undefined;
    return sweep === undefined ? [] : [{ sweep, name: runNames(runs)[at]! }];
  });
  // The charts of a single sweep mark its best batch; those of several runs do not.
  const compared = runCharts(only === undefined ? runs : [{ ...only.run, results: {} }]);
  const ofSweeps =
    only === undefined ? [] : sweeps.flatMap(({ sweep }) => [throughputChart(sweep), memoryChart(sweep)]);
  const charts = [
    ...(await Promise.all(ofSweeps.filter((chart) => chart !== null).map(themedFigure))),
    ...(await Promise.all(compared.map(plainFigure))),
  ];
  return [
    section("What differs", differences(found)),
    section("Charts", charts),
    section("Two sweeps, point by point", pointByPoint(sweeps)),
    ...sweeps.map(({ sweep, name }) =>
      section(only === undefined ? `Sweep of ${name}` : "Sweep", [
        tableHtml(sweepTable(sweep)),
        folded("How each point was measured", [tableHtml(measurementTable(sweep))]),
      ]),
    ),
    section(
      only === undefined ? "The runs" : "The run",
      found.flatMap(({ run }, at) =>
        only === undefined
          ? [folded(`${runNames(runs)[at]!}: ${run.name}, ${run.at}`, [tableHtml(runTable(run))])]
          : [tableHtml(runTable(run))],
      ),
    ),
    section(
      "What ran",
      found.map((one, at) => programHtml(one, only === undefined ? `${runNames(runs)[at]!}: ` : "", options)),
    ),
  ].filter((html) => html !== "");
}

async function themedFigure({ specification, summary }: Chart): Promise<string> {
  return figure(await renderSvg(themed(specification, "screen")), summary);
}

/** The specification brings its own style. */
async function plainFigure({ specification, summary }: Chart): Promise<string> {
  return figure(await renderSvg(specification), summary);
}

/**
 * For two runs, a table of the differences and of what each may explain; for more runs, a table with a column for each.
 */
function differences(found: readonly FoundRun[]): string[] {
  const runs = found.map(({ run }) => run);
  return runs.length < 2 ? [] : [tableHtml(tableOfDifferences(runs))];
}

function tableOfDifferences(runs: readonly RunEntry[]): Table {
  const names = runNames(runs);
  const [a, b, ...more] = runs;
  return more.length === 0 ? diffTable(diffOf(a!, b!), [names[0]!, names[1]!]) : fieldsTable(runs, names);
}

function pointByPoint(sweeps: readonly NamedSweep[]): string[] {
  const [a, b, ...more] = sweeps;
  if (a === undefined || b === undefined || more.length > 0) return [];
  return [tableHtml(differenceTable(sweepDifferences(a.sweep, b.sweep), [a.name, b.name]))];
}

/** Shows in full everything that `mpslab rerun` would run, with the checksum that it asks for. */
function programHtml(found: FoundRun, lead: string, options: PrepareOptions): string {
  const { run } = found;
  if (run.program === undefined) return paragraph(`${lead}the logbook keeps no cells of this run.`);
  try {
    const prepared = prepare(found, options);
    removeFolder(prepared, undefined);
    const { cells, texts, commit, checksum, leftOut } = prepared.review;
    const of = commit === null ? "" : ` of commit ${commit}, whose other files they may read`;
    return [
      cellsHtml(cells, lead),
      ...texts.map((text) => folded(`${lead}${text.title}, ${formatBytes(text.bytes)}`, [textHtml(text)])),
      ...(leftOut === null ? [] : [paragraph(leftOut)]),
      paragraph(
        `These are all the programs that a rerun starts with${of}: mpslab rerun ${shortId(run)} --reviewed ${checksum}`,
      ),
    ].join("\n");
  } catch (error) {
    // Even if the run cannot be repeated, a report of its measurements is worth reading.
    return [...keptCells(found, lead), paragraph(`${lead}${(error as Error).message}`)].join("\n");
  }
}

/** The cells as the logbook keeps them: without the notebook, the secrets that were left out are not known. */
function keptCells({ logbook, run }: FoundRun, lead: string): string[] {
  try {
    const { cells } = readProgram(logbook, run.program!);
    // An earlier version left fewer secrets out.
    return [
      cellsHtml(
        cells.map(({ text }) => withoutSecrets(text, "cell")),
        lead,
      ),
    ];
  } catch {
    // The caller prints the sentence about the file.
    return [];
  }
}

function cellsHtml(cells: readonly string[], lead: string): string {
  return folded(
    `${lead}${counted(cells.length, "cell")} in the order in which they ran`,
    cells.map((text, at) => `<div class="number">[${at + 1}]</div><pre>${escapeHtml(text)}</pre>`),
  );
}

function textHtml({ text, sha256 }: ReviewedText): string {
  return text === null ? paragraph(`No text; its SHA-256 is ${sha256}.`) : `<pre>${escapeHtml(text)}</pre>`;
}
