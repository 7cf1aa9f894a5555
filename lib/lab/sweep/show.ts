// Shows a running sweep, or another measurement of many points, in one output of the cell: a progress bar with the
// results so far, and the charts.
import { randomUUID } from "node:crypto";
import { type MimeBundle, type OutputSink, outputSink } from "../../display.ts";
import type { Chart } from "../../charts/chart.ts";
import { bundleWithPicture, liveBundle } from "../../charts/picture.ts";
import { warmUp } from "../../charts/render.ts";
import { folded } from "../../views/fold.ts";
import { COLOR, escapeHtml } from "../../views/html.ts";
import type { Table } from "../../views/table.ts";
import { tableBundle } from "../../views/shown_as.ts";
import { tableHtml } from "../../views/table_html.ts";
import { memoryChart, throughputChart } from "../../record_charts/batch_sweep_chart.ts";
import type { SweepResult } from "../../records/batch_sweeps/result.ts";
import { sweepTable } from "../../records/batch_sweeps/table.ts";

/** Limits the updates, because each makes the page build the charts anew. */
const UPDATE_INTERVAL_MS = 250;

export interface Progress {
  readonly done: number;
  /** Null if it depends on the measurements. */
  readonly total: number | null;
  /** The points that are running: `batch 64`, or `batch 64 on studio`. */
  readonly running: readonly string[];
}

export interface ResultShow<Result> {
  update(result: Result, progress: Progress): void;
  /**
   * @param result the object that the user is given; the output is registered as showing it
   */
  finish(result: Result): void;
}

export type SweepShow = ResultShow<SweepResult>;

/** How a result is shown while the measurement runs. */
export interface ResultViews<Result> {
  readonly table: (result: Result) => Table;
  /** Each returns null while there is nothing to draw. */
  readonly charts: readonly ((result: Result) => Chart | null)[];
  /** What is counted. Default: points. */
  readonly noun?: string;
}

/** Shows nothing. */
export const SILENT: ResultShow<unknown> = { update() {}, finish() {} };

const SWEEP: ResultViews<SweepResult> = { table: sweepTable, charts: [throughputChart, memoryChart] };

export function showSweep(sink?: OutputSink): SweepShow {
  return showResult(SWEEP, sink);
}

export function showResult<Result extends { readonly name: string }>(
  { table, charts: draws, noun = "points" }: ResultViews<Result>,
  sink: OutputSink = outputSink(),
): ResultShow<Result> {
  // Without live updates nothing is shown: the result that the cell returns shows the same, and more.
  if (!sink.live) return SILENT;
  const ids = { progress: randomUUID(), charts: draws.map(() => randomUUID()) };
  const shown = new Set<string>();
  let shownAtMs: number | null = null;

  function put(id: string, data: MimeBundle, metadata: MimeBundle = {}): void {
    sink.display(data, { displayId: id, update: shown.has(id), metadata });
    shown.add(id);
  }

  async function finishWithPictures(charts: readonly (Chart | null)[]): Promise<void> {
    await Promise.all(
      charts.map(async (chart, at) => {
        if (chart === null) return;
        const { data, metadata } = await bundleWithPicture(chart);
        put(ids.charts[at]!, data, metadata);
      }),
    );
  }

  /** The last update within an interval is shown at its end, because the next point may take long. */
  let due: NodeJS.Timeout | undefined;

  function draw(result: Result, progress: Progress): void {
    put(
      ids.progress,
      progressBundle(`${result.name}: ${countText(progress, noun)}`, table(result), progress),
    );
    draws.forEach((chartOf, at) => {
      const chart = chartOf(result);
      if (chart === null) return;
      warmUp();
      put(ids.charts[at]!, liveBundle(chart));
    });
    shownAtMs = performance.now();
  }

  return {
    update(result, progress) {
      clearTimeout(due);
      const leftMs = shownAtMs === null ? 0 : shownAtMs + UPDATE_INTERVAL_MS - performance.now();
      if (leftMs <= 0) draw(result, progress);
      else due = setTimeout(() => draw(result, progress), leftMs).unref();
    },
    finish(result) {
      clearTimeout(due);
      put(ids.progress, tableBundle(table(result)));
      sink.holds(result);
      sink.pending(finishWithPictures(draws.map((chartOf) => chartOf(result))));
    },
  };
}

function countText({ done, total, running }: Progress, noun: string): string {
  const count = total === null ? `${done} ${noun}` : `${done} of ${total} ${noun}`;
  return `${count}${running.length === 0 ? "" : `, now ${running.join(", ")}`}`;
}

function progressBundle(text: string, table: Table, { done, total }: Progress): MimeBundle {
  const bar =
    total === null ? "<progress></progress>" : `<progress value="${done}" max="${total}"></progress>`;
  const sofar = table.rows.length > 0 ? tableHtml(folded(table)) : "";
  return {
    "text/html": `<div style="color:${COLOR.text};font-size:13px">${bar} ${escapeHtml(text)}</div>${sofar}`,
    "text/plain": text,
  };
}
