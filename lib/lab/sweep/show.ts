// A sweep while it runs: a progress bar with the points so far, and the charts, all in one place of the cell's output.
// Knows MIME bundles and the clock, not how points are measured.
import { randomUUID } from "node:crypto";
import { type MimeBundle, type OutputSink, outputSink } from "../../display.ts";
import { COLOR, escapeHtml } from "../../torch/view/markup.ts";
import type { Chart } from "../chart.ts";
import { bundleWithPicture, liveBundle } from "../picture.ts";
import { warmUp } from "../render.ts";
import { tableHtml, tableText } from "../table.ts";
import { memoryChart, throughputChart } from "./chart.ts";
import { type Point, pointText } from "./point.ts";
import type { SweepResult } from "./result.ts";
import { sweepTable } from "./view.ts";

/** Every update makes the page build the charts anew. */
const UPDATE_INTERVAL_MS = 250;

export interface Progress {
  readonly done: number;
  /** Null where it depends on what is found. */
  readonly total: number | null;
  readonly running: Point | null;
}

export interface SweepShow {
  update(result: SweepResult, progress: Progress): void;
  finish(result: SweepResult): void;
}

const CHARTS = [throughputChart, memoryChart] as const;

export function showSweep(sink: OutputSink = outputSink()): SweepShow {
  // The result that the cell returns says the same once more, and better.
  if (!sink.live) return { update() {}, finish() {} };
  const ids = { progress: randomUUID(), charts: CHARTS.map(() => randomUUID()) };
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

  return {
    update(result, progress) {
      const nowMs = performance.now();
      if (shownAtMs !== null && nowMs - shownAtMs < UPDATE_INTERVAL_MS) return;
      put(ids.progress, progressBundle(result, progress));
      CHARTS.forEach((draw, at) => {
        const chart = draw(result);
        if (chart === null) return;
        warmUp();
        put(ids.charts[at]!, liveBundle(chart));
      });
      shownAtMs = performance.now();
    },
    finish(result) {
      const table = sweepTable(result);
      put(ids.progress, { "text/html": tableHtml(table), "text/plain": tableText(table) });
      sink.pending(finishWithPictures(CHARTS.map((draw) => draw(result))));
    },
  };
}

function progressBundle(result: SweepResult, { done, total, running }: Progress): MimeBundle {
  const count = total === null ? `${done} points` : `${done} of ${total} points`;
  const text = `${result.name}: ${count}${running === null ? "" : `, now ${pointText(running)}`}`;
  const bar =
    total === null ? "<progress></progress>" : `<progress value="${done}" max="${total}"></progress>`;
  const table = result.points.length > 0 ? tableHtml(sweepTable(result)) : "";
  return {
    "text/html": `<div style="color:${COLOR.text};font-size:13px">${bar} ${escapeHtml(text)}</div>${table}`,
    "text/plain": text,
  };
}
