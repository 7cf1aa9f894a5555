// `lab.logbook.plot`: several runs on one chart, as a plot that shows and saves itself.
import { makePlot, type Plot, type PlotFields } from "../../plot/plot.ts";
import { together } from "../../plot/together.ts";
import { capitalized } from "../../../words.ts";
import type { RunEntry } from "../../../records/logbook/entry.ts";
import { MAX_RUNS, runCharts } from "../../../record_charts/run_charts.ts";
import { runNames } from "../../../record_charts/run_names.ts";
import { originNotes } from "../../../record_charts/run_origins.ts";

/** @throws RangeError for runs that cannot be drawn on one chart */
export function plotRuns(call: string, runs: readonly RunEntry[]): Plot {
  if (runs.length > MAX_RUNS)
    throw new RangeError(
      `${call}: ${runs.length} runs cannot be told apart; draw at most ${MAX_RUNS} at a time.`,
    );
  const charts = runCharts(runs);
  if (charts.length === 0)
    throw new RangeError(
      `${call}: there is nothing to draw: ${runs.length === 1 ? "the run has" : "the runs have"} neither epochs nor a sweep. Record them after an epoch loop, or with results: { sweep }.`,
    );
  // Each chart says below its title where the runs differ; in the summary the sentences are given once.
  const origins = originNotes(runs, runNames(runs)).map((note) => `${capitalized(note)}.`);
  const parts = charts.map(({ specification }) => specification);
  const whole = { ...together("vconcat", parts), spacing: 24 };
  return makePlot(
    { ...whole, title: runs.length === 1 ? "1 run" : `${runs.length} runs` } as unknown as PlotFields,
    [...charts.map(({ summary }) => summary), ...origins].join(" "),
  );
}
