// Shows the charts of an epoch loop through the output sink: live while the loop runs, with a PNG when it ends. They
// are one output. It is shown, still empty, when the first epoch begins, so that everything that the loop prints stands
// below it.
import type { EpochLoopDescription } from "../../contract.ts";
import { randomUUID } from "node:crypto";
import { type MimeBundle, type OutputSink, outputSink } from "../../display.ts";
import { type Chart, stacked } from "../../charts/chart.ts";
import type { DrawChart, DrawnLoop } from "./drawn_loop.ts";
import { memoryChart } from "./memory_chart.ts";
import { metricsChart } from "./metrics_chart.ts";
import { rankLoopBundle } from "./rank_loop_bundle.ts";
import { timingChart } from "./timing_chart.ts";
import type { LoopDisplay, LoopRecords } from "./epoch_loop.ts";
import { bundleWithPicture, liveBundle } from "../../charts/picture.ts";
import { warmUp } from "../../charts/render.ts";
import { ChartPace } from "../../charts/chart_pace.ts";

const CHARTS: readonly DrawChart[] = [metricsChart, memoryChart, timingChart];

/** One place in a cell's output. */
interface Place {
  readonly id: string;
  runs: number;
  readonly pace: ChartPace;
}

/**
 * Gives each loop its place. A loop that runs again within one run of its cell (the inner loop of a sweep) replaces its
 * earlier charts; otherwise thirty learning rates would leave sixty charts.
 */
export class ChartPlaces {
  #cell: string | null = null;
  #places = new Map<string, Place>();

  open(description: EpochLoopDescription, sink: OutputSink = outputSink()): LoopDisplay {
    const cell = sink.currentCell();
    if (cell !== this.#cell) this.#places.clear();
    this.#cell = cell;
    const loop = `${description.line} ${description.site ?? ""}`;
    const place = this.#places.get(loop) ?? { id: randomUUID(), runs: 0, pace: new ChartPace() };
    if (cell !== null) this.#places.set(loop, place);
    place.runs++;
    if (sink.joinsRanks) return recordsOfRank(sink, place, loop);
    return sink.live ? liveCharts(sink, place) : lastLines(sink);
  }
}

/** Outside a notebook: prints each chart's summary line at the end. */
function lastLines(sink: OutputSink): LoopDisplay {
  return {
    update() {},
    finish(records) {
      const loop = { ...records(), run: 1 };
      if (loop.epochs.length > 0) sink.display({ "text/plain": chartsOf(loop).summary }, {});
    },
  };
}

/** Sends records instead of charts: the program that shows the outputs draws the loops of all ranks in one chart. */
function recordsOfRank(sink: OutputSink, place: Place, loop: string): LoopDisplay {
  const run = place.runs;
  const tell = (records: LoopRecords, ended: boolean): void => {
    sink.display(rankLoopBundle(loop, run, records, ended), { displayId: place.id, survivesClear: true });
  };
  return {
    update(records) {
      if (place.pace.leftMs <= 0) place.pace.run(() => tell(records(), false));
    },
    finish: (records) => tell(records(), true),
  };
}

function chartsOf(loop: DrawnLoop): Chart {
  return stacked(CHARTS.flatMap((draw) => draw(loop) ?? []));
}

function liveCharts(sink: OutputSink, place: Place): LoopDisplay {
  const run = place.runs;
  const isDue = (): boolean => place.pace.leftMs <= 0;

  function put(data: MimeBundle, update: boolean, metadata: MimeBundle = {}): void {
    sink.display(data, { displayId: place.id, update, metadata, survivesClear: true });
  }

  function show(records: () => LoopRecords): void {
    place.pace.run(() => put(liveBundle(chartsOf({ ...records(), run })), true));
  }

  /** Whether a later run of the loop has taken the place, so that its charts must not be overwritten. */
  const overtaken = (): boolean => place.runs !== run;

  async function finishWithPicture(loop: DrawnLoop): Promise<void> {
    // After this await only the last of several runs goes on, if the runs follow each other without a pause, as in a
    // sweep.
    await Promise.resolve();
    if (overtaken()) return;
    const { data, metadata } = await bundleWithPicture(chartsOf(loop));
    if (!overtaken()) put(data, true, metadata);
  }

  if (run === 1) put({ "text/plain": "The first epoch is running. Its charts will stand here." }, false);
  return {
    update(records) {
      if (!isDue()) return;
      warmUp();
      show(records);
    },
    finish(records: () => LoopRecords) {
      const loop = { ...records(), run };
      if (loop.epochs.length === 0) {
        if (!place.pace.hasBegun)
          put({ "text/plain": "The first epoch was cut off: nothing is recorded." }, true);
        return;
      }
      if (isDue()) show(() => loop);
      sink.pending(finishWithPicture(loop));
    },
  };
}
