// Shows the charts of an epoch loop through the output sink: live while the loop runs, with a PNG when it ends.
import type { EpochLoopDescription } from "../../contract.ts";
import { randomUUID } from "node:crypto";
import { type OutputSink, outputSink } from "../../display.ts";
import type { DrawChart, DrawnLoop } from "../charts/chart.ts";
import { memoryChart } from "./memory_chart.ts";
import { timingChart } from "./timing_chart.ts";
import type { LoopDisplay, LoopRecords } from "./epoch_loop.ts";
import { bundleWithPicture, liveBundle } from "../charts/picture.ts";
import { warmUp } from "../charts/render.ts";

/** Every update makes the page build the chart anew. */
const UPDATE_INTERVAL_MS = 250;

/** Share of the loop's time that updates may take: after an expensive one, the next comes later. */
const UPDATE_SHARE = 0.02;

const CHARTS: readonly DrawChart[] = [memoryChart, timingChart];

/** One place in a cell's output, with the display ids of its charts. */
interface Place {
  readonly ids: readonly string[];
  runs: number;
  /** When the charts may be shown again; null before the first time. */
  shown: { readonly dueMs: number } | null;
}

/**
 * Gives each loop its place. A loop that runs again within one run of its cell (the inner loop of a sweep) draws over
 * its earlier charts, or thirty learning rates would leave sixty charts.
 */
export class ChartPlaces {
  #cell: string | null = null;
  #places = new Map<string, Place>();

  open(description: EpochLoopDescription, sink: OutputSink = outputSink()): LoopDisplay {
    const cell = sink.currentCell();
    if (cell !== this.#cell) this.#places.clear();
    this.#cell = cell;
    const loop = `${description.line} ${description.site ?? ""}`;
    const place = this.#places.get(loop) ?? { ids: CHARTS.map(() => randomUUID()), runs: 0, shown: null };
    if (cell !== null) this.#places.set(loop, place);
    place.runs++;
    return sink.live ? liveCharts(sink, place) : lastLines(sink);
  }
}

/** Outside a notebook: prints each chart's summary line at the end. */
function lastLines(sink: OutputSink): LoopDisplay {
  return {
    update() {},
    finish(records) {
      const loop = { ...records(), run: 1 };
      if (loop.epochs.length === 0) return;
      for (const draw of CHARTS) sink.display({ "text/plain": draw(loop).summary }, {});
    },
  };
}

function liveCharts(sink: OutputSink, place: Place): LoopDisplay {
  const run = place.runs;
  const isDue = (): boolean => place.shown === null || performance.now() >= place.shown.dueMs;

  function show(records: () => LoopRecords): void {
    const beganMs = performance.now();
    const loop = { ...records(), run };
    CHARTS.forEach((draw, i) => {
      sink.display(liveBundle(draw(loop)), {
        displayId: place.ids[i] as string,
        update: place.shown !== null,
      });
    });
    const endedMs = performance.now();
    const restMs = Math.max(UPDATE_INTERVAL_MS, (endedMs - beganMs) / UPDATE_SHARE);
    place.shown = { dueMs: endedMs + restMs };
  }

  /** A later run of the loop may have taken the place: its charts must not be overwritten. */
  const overtaken = (): boolean => place.runs !== run;

  async function finishWithPictures(loop: DrawnLoop): Promise<void> {
    // In a sweep without pauses, only the last run gets here in time.
    await Promise.resolve();
    if (overtaken()) return;
    await Promise.all(
      CHARTS.map(async (draw, i) => {
        const { data, metadata } = await bundleWithPicture(draw(loop));
        if (overtaken()) return;
        sink.display(data, { displayId: place.ids[i] as string, update: true, metadata });
      }),
    );
  }

  return {
    update(records) {
      if (!isDue()) return;
      warmUp();
      show(records);
    },
    finish(records: () => LoopRecords) {
      const loop = { ...records(), run };
      if (loop.epochs.length === 0) return;
      if (isDue()) show(() => loop);
      sink.pending(finishWithPictures(loop));
    },
  };
}
