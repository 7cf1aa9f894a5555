// Puts the epoch loops of all ranks into one chart for each loop of a cell: draws the chart again as epochs come in,
// and a last time, with its picture, when the cell ends.
import { randomUUID } from "node:crypto";
import { ChartPace } from "../../../lib/charts/chart_pace.ts";
import type { Chart } from "../../../lib/charts/chart.ts";
import { bundleWithPicture, liveBundle } from "../../../lib/charts/picture.ts";
import { rankCharts } from "../../../lib/record_charts/rank_charts.ts";
import { RANK_LOOP_MIME, type RankLoop } from "../../../lib/records/rank_loops.ts";
import type { FromSession, MimeBundle } from "../channel.ts";

type Display = Extract<FromSession, { type: "display" }>;

interface Place {
  readonly displayId: string;
  readonly pace: ChartPace;
  /** The latest state of each rank's loop. */
  readonly ranks: Map<number, RankLoop>;
  later: NodeJS.Timeout | undefined;
}

const CUT_OFF = "The first epoch was cut off on every rank: nothing is recorded.";

export class RankEpochCharts {
  readonly #put: (message: FromSession) => void;
  /** By cell and loop. */
  readonly #places = new Map<string, Map<string, Place>>();

  constructor(put: (message: FromSession) => void) {
    this.#put = put;
  }

  /** Whether the display is an epoch loop's, which is then drawn here. */
  take(rank: number, { cell, data }: Display): boolean {
    const loop = data[RANK_LOOP_MIME] as RankLoop | undefined;
    if (loop === undefined) return false;
    const places = this.#places.get(cell) ?? new Map<string, Place>();
    this.#places.set(cell, places);
    const place = places.get(loop.loop) ?? this.#open(cell, places, loop.loop);
    place.ranks.set(rank, loop);
    this.#draw(cell, place);
    return true;
  }

  /**
   * The cell's outputs were cleared. The charts are not outputs of the cell's own statements, so they are shown again.
   */
  cleared(cell: string): void {
    for (const place of this.#places.get(cell)?.values() ?? []) {
      const chart = chartOf(place);
      if (chart !== null) this.#show(cell, place, liveBundle(chart), {}, false);
    }
  }

  /** All ranks have ended the cell: draws the last charts. */
  async ends(cell: string): Promise<void> {
    const places = [...(this.#places.get(cell)?.values() ?? [])];
    this.#places.delete(cell);
    await Promise.all(places.map((place) => this.#finish(cell, place)));
  }

  #open(cell: string, places: Map<string, Place>, loop: string): Place {
    const place: Place = {
      displayId: randomUUID(),
      pace: new ChartPace(),
      ranks: new Map(),
      later: undefined,
    };
    places.set(loop, place);
    this.#show(cell, place, { "text/plain": "The charts of all ranks will stand here." }, {}, false);
    return place;
  }

  #draw(cell: string, place: Place): void {
    clearTimeout(place.later);
    const { leftMs } = place.pace;
    if (leftMs > 0) {
      place.later = setTimeout(() => this.#draw(cell, place), leftMs).unref();
      return;
    }
    place.pace.run(() => {
      const chart = chartOf(place);
      if (chart !== null) this.#show(cell, place, liveBundle(chart));
    });
  }

  async #finish(cell: string, place: Place): Promise<void> {
    clearTimeout(place.later);
    const chart = chartOf(place);
    if (chart === null) return this.#show(cell, place, { "text/plain": CUT_OFF });
    const { data, metadata } = await bundleWithPicture(chart);
    this.#show(cell, place, data, metadata);
  }

  #show(
    cell: string,
    { displayId }: Place,
    data: MimeBundle,
    metadata: MimeBundle = {},
    update = true,
  ): void {
    this.#put({ type: "display", cell, data, metadata, displayId, update });
  }
}

const chartOf = ({ ranks }: Place): Chart | null => rankCharts(ranks);
