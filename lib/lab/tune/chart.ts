// Draws what `lab.tune` found: the gain of each value that was tried, with its spread, and the memory of the search for
// the largest batch.
import type { Chart } from "../../charts/chart.ts";
import { COLOR, type Specification } from "../../charts/chart_style.ts";
import { memoryChart } from "../../record_charts/batch_sweep_chart.ts";
import { resultOf } from "../../records/batch_sweeps/result.ts";
import type { Tuned, TunedKnob, TuneTrial } from "./result.ts";
import { valueText } from "./settings.ts";
import { headline, verdictOf } from "./view.ts";

const WIDTH = 280;
const ROW_HEIGHT = 24;
const NEUTRAL = "#8C8C8C";

interface Row {
  /** `threads 1`, `batch 64`: names the knob too, because two knobs may have the same value. */
  readonly name: string;
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly color: string;
  readonly state: string;
}

/** Null if nothing was measured. */
export function gainChart(tuned: Tuned): Chart | null {
  const rows = tuned.knobs.flatMap((knob) => knob.trials.slice(1).flatMap((trial) => rowOf(knob, trial)));
  if (rows.length === 0) return null;
  const domain = [
    0.95 * Math.min(1, ...rows.map(({ low }) => low)),
    1.05 * Math.max(1, ...rows.map(({ high }) => high)),
  ];
  const y = {
    field: "name",
    type: "nominal",
    sort: null,
    axis: { title: null, grid: false, labelLimit: 180 },
  };
  const color = { field: "color", type: "nominal", scale: null };
  const specification: Specification = {
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    title: {
      text: `What each change gains · ${tuned.name} · ${tuned.device}`,
      subtitle: ["samples a second beside the setting before; bars are both spreads"],
    },
    width: WIDTH,
    height: ROW_HEIGHT * rows.length,
    data: { values: rows },
    encoding: { y },
    layer: [
      {
        data: { values: [{ one: 1 }] },
        mark: { type: "rule", color: NEUTRAL },
        encoding: { x: { field: "one", type: "quantitative" }, y: null },
      },
      {
        mark: { type: "rule", strokeWidth: 2 },
        encoding: { x: scaled("low", domain), x2: { field: "high" }, color },
      },
      {
        mark: { type: "point", filled: true, size: 70, opacity: 1 },
        encoding: { x: scaled("ratio", domain), color },
      },
      {
        mark: { type: "text", align: "left", x: WIDTH + 8, clip: false },
        encoding: { text: { field: "state" } },
      },
    ],
  };
  return { specification, summary: `${tuned.name} on ${tuned.device}: ${headline(tuned)}.` };
}

function scaled(field: string, domain: readonly number[]): Specification {
  return {
    field,
    type: "quantitative",
    scale: { type: "log", base: 2, domain, nice: false },
    axis: { title: null, tickCount: 5, labelExpr: "format(datum.value, '.3~g') + '×'" },
  };
}

function rowOf({ knob, verdict, value, trials }: TunedKnob, trial: TuneTrial): Row[] {
  const [before] = trials;
  if (trial.gain === null || before === undefined) return [];
  const state = verdictOf(trial, before, verdict === "kept" && trial.value === value);
  const ratio = 1 + trial.gain;
  const spread = trial.spread! + before.spread!;
  return [
    {
      name: `${knob} ${valueText(trial.value)}`,
      ratio,
      // The bar of a value that is kept lies wholly to the right of 1. The lower end is bounded, because the axis is
      // logarithmic and has no 0.
      low: Math.max(ratio - spread, Math.min(1, ratio) / 4),
      high: ratio + spread,
      color: state === "kept" ? COLOR.green : state === "other results" ? COLOR.vermillion : NEUTRAL,
      state,
    },
  ];
}

/** The peaks of the search for the largest batch; null if none was made. */
export function batchChart({ name, device, seed, largestBatch }: Tuned): Chart | null {
  if (largestBatch === null || largestBatch.points.length === 0) return null;
  return memoryChart(
    resultOf({
      ...{ name, device, seed, resumedPoints: 0, cutOffPoints: [], journal: null },
      points: largestBatch.points.map((record) => ({ ...record, point: { batch: record.point.batch } })),
      ends: [largestBatch.end],
    }),
  );
}
