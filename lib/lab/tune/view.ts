// Shows what `lab.tune` found: a row for each value that was tried, then what became of the knobs, and the code.
import { formatBytes, formatChange, formatShare, formatTime } from "../../units.ts";
import { columns, type Table } from "../../views/table.ts";
import { listed } from "../../words.ts";
import { formatRate } from "../../records/batch_sweeps/table.ts";
import type { Tuned, TunedKnob, TuneTrial } from "./result.ts";
import { valueText } from "./settings.ts";
import { exceedsSpread } from "./trial.ts";

export function tuneTable(tuned: Tuned): Table {
  const { name, device, knobs, whole, largestBatch, code, notes } = tuned;
  const tried = knobs.filter(({ trials }) => trials.length > 0);
  const rows = tried.flatMap((knob) => knob.trials.map((trial, at) => cells(knob, trial, at === 0)));
  const wholeRows = whole === null ? [] : [whole.before, whole.after].map((trial) => wholeCells(trial));
  const kept = tried.flatMap((knob) =>
    knob.trials.map((trial) => knob.verdict === "kept" && trial.value === knob.value),
  );
  const notAsked = knobs.flatMap(({ knob, verdict }) => (verdict === "not asked for" ? [knob] : []));
  return {
    caption: `${name} on ${device}: ${headline(tuned)}; spread is half the distance between the quartiles of the windows, or between the turns`,
    columns: columns("<knob", "<value", "a step", "samples/s", "gain", "spread", "peak", "<verdict"),
    rows: [...rows, ...wholeRows],
    marked: kept.flatMap((isKept, at) => (isKept ? [at] : [])),
    notes: [
      ...knobs
        .filter(({ verdict }) => verdict !== "not asked for")
        .map(({ knob, reason }) => `${knob}: ${reason}`),
      ...(notAsked.length === 0 ? [] : [`Not asked for: ${notAsked.join(", ")}.`]),
      ...(largestBatch === null ? [] : [largestBatch.end]),
      ...notes,
    ],
    program: code,
  };
}

/** `1.41 times as many samples a second, by batch and threads` */
export function headline({ knobs, whole }: Pick<Tuned, "knobs" | "whole">): string {
  const kept = knobs.filter(({ verdict }) => verdict === "kept").map(({ knob }) => knob);
  if (kept.length === 0) return "nothing gains more than the spread";
  const names = listed(kept);
  const gain = whole?.after.gain ?? null;
  return gain === null
    ? `kept ${names}`
    : `${(1 + gain).toFixed(2)} times as many samples a second, by ${names}`;
}

function cells({ knob, verdict, value, trials }: TunedKnob, trial: TuneTrial, isBefore: boolean): string[] {
  return [
    knob,
    valueText(trial.value),
    ...figures(trial),
    isBefore ? "before" : verdictOf(trial, trials[0]!, verdict === "kept" && trial.value === value),
  ];
}

function wholeCells(trial: TuneTrial): string[] {
  return ["all", valueText(trial.value), ...figures(trial), trial.gain === null ? "before" : ""];
}

function figures({ stepMs, samplesPerSecond, gain, spread, peakBytes }: TuneTrial): string[] {
  return [
    stepMs === null ? "" : formatTime(stepMs),
    samplesPerSecond === null ? "" : formatRate(samplesPerSecond),
    gain === null ? "" : formatChange(gain),
    spread === null ? "" : `±${formatShare(spread)}`,
    peakBytes === null ? "" : formatBytes(peakBytes),
  ];
}

/** `gains less` means: less than the value that was kept. */
export function verdictOf(trial: TuneTrial, before: TuneTrial, isKept: boolean): string {
  const { error, results } = trial;
  if (isKept) return "kept";
  if (error !== null) return error === "It was out of memory." ? "out of memory" : "failed";
  if (results?.within === false) return "other results";
  return exceedsSpread(trial, before) ? "gains less" : "no gain";
}
