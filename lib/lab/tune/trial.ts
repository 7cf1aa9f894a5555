// Judges the values of one knob from their measurements, which are taken in turns: A B A B. Each turn is measured as a
// point of a sweep.
import { relativeSpread, spreadOf } from "../../statistics/spread.ts";
import type { ParameterValue, PointRecord } from "../../records/batch_sweeps/point.ts";
import type { TuneTrial } from "./result.ts";

/** A value whose rate in its first turn is below this share of the present value's rate is not measured again. */
const HOPELESS = 0.5;

/**
 * Measures the values in turns, `rounds` times each. A value that failed, or is far slower than the first, gets no
 * further turn.
 */
export async function takeTurns<Value>(
  values: readonly Value[],
  rounds: number,
  measure: (value: Value, turn: number) => Promise<PointRecord>,
): Promise<readonly (readonly PointRecord[])[]> {
  const records = values.map((): PointRecord[] => []);
  for (let turn = 0; turn < rounds; turn++) {
    for (const [at, value] of values.entries()) {
      const isSlow = turn > 0 && rateOf(records[at]!) < HOPELESS * rateOf(records[0]!);
      if (!isSlow && records[at]!.every(isSound)) records[at]!.push(await measure(value, turn));
    }
  }
  return records;
}

/** Samples a second of the first turn; NaN if it failed. */
function rateOf([record]: readonly PointRecord[]): number {
  return record?.steady ? record.point.batch / record.steady.stepMs.median : NaN;
}

/** The results of each value. Gains are relative to the first value. */
export function trialsOf(
  values: readonly ParameterValue[],
  records: readonly (readonly PointRecord[])[],
): TuneTrial[] {
  const trials = values.map((value, at) => trialOf(value, records[at]!));
  const rate = trials[0]!.samplesPerSecond;
  return trials.map((trial, at) =>
    at === 0 || rate === null || trial.samplesPerSecond === null
      ? trial
      : { ...trial, gain: trial.samplesPerSecond / rate - 1 },
  );
}

function trialOf(value: ParameterValue, records: readonly PointRecord[]): TuneTrial {
  const unsound = records.find((record) => !isSound(record));
  const peaks = records.flatMap(({ memory }) => (memory === null ? [] : [memory.peakBytes]));
  const peakBytes = peaks.length === 0 ? null : Math.max(...peaks);
  if (unsound !== undefined)
    return {
      ...{ value, stepMs: null, samplesPerSecond: null, spread: null, gain: null, peakBytes, results: null },
      error: errorOf(unsound),
    };
  const turns = spreadOf(records.map(({ steady }) => steady!.stepMs.median));
  const betweenTurns = turns.median === 0 ? 0 : (turns.max - turns.min) / 2 / turns.median;
  return {
    value,
    stepMs: turns.median,
    samplesPerSecond: (1000 * records[0]!.point.batch) / turns.median,
    spread: Math.max(betweenTurns, ...records.map(({ steady }) => relativeSpread(steady!.stepMs))),
    gain: null,
    peakBytes,
    results: null,
    error: null,
  };
}

function isSound({ status, steady, swapped, loss }: PointRecord): boolean {
  return status === "measured" && steady !== null && !swapped && loss?.finite !== false;
}

function errorOf({ status, error, swapped, loss }: PointRecord): string {
  if (status === "out of memory") return "It was out of memory.";
  if (status !== "measured") return error ?? status;
  if (swapped) return "The machine swapped meanwhile.";
  return loss?.finite === false ? "The loss is no finite number." : "No window was measured.";
}

/** Whether a gain is more than the spread of both. */
export function exceedsSpread(trial: TuneTrial, before: TuneTrial): boolean {
  return trial.gain !== null && trial.gain > (trial.spread ?? 0) + (before.spread ?? 0);
}

/**
 * A larger batch that gains less than this over a smaller one is not worth its memory; a sweep chooses in the same way.
 */
const WORTHWHILE = 0.03;

/**
 * Trials that gain more than the spread, the preferred one first: the fastest, or the smallest batch that is nearly as
 * fast.
 */
export function worthTaking(trials: readonly TuneTrial[], isBatch: boolean): TuneTrial[] {
  const [before, ...others] = trials as [TuneTrial, ...TuneTrial[]];
  const gaining = others
    .filter((trial) => exceedsSpread(trial, before))
    .toSorted((a, b) => b.gain! - a.gain!);
  if (!isBatch || gaining.length === 0) return gaining;
  const max = gaining[0]!.samplesPerSecond!;
  const near = gaining.filter(({ samplesPerSecond }) => samplesPerSecond! * (1 + WORTHWHILE) >= max);
  return near.toSorted((a, b) => Number(a.value) - Number(b.value));
}
