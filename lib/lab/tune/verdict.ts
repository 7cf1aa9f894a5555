// Says what became of a knob, in one sentence with its numbers.
import { formatBytes, formatChange, formatShare } from "../../units.ts";
import type { SameResults, TunedKnob, TuneTrial } from "./result.ts";
import { type KnobValue, type TuneKnob, valueText } from "./settings.ts";

/** @param taken the trial that is kept; null if none is */
export function verdictOn(
  knob: TuneKnob,
  before: KnobValue,
  trials: readonly TuneTrial[],
  taken: TuneTrial | null,
): TunedKnob {
  const common = { knob, before, trials };
  if (taken !== null)
    return { ...common, verdict: "kept", value: taken.value as KnobValue, reason: keptText(taken) };
  const others = trials.slice(1);
  if (others.length === 0)
    return { ...common, verdict: "no gain", value: before, reason: nothingLargerText(trials[0]!) };
  const differing = others.find(({ results }) => results?.within === false);
  if (differing !== undefined)
    return { ...common, verdict: "other results", value: before, reason: otherResultsText(knob, differing) };
  if (others.every(({ error }) => error !== null))
    return { ...common, verdict: "failed", value: before, reason: others.map(failureText).join(" ") };
  const failed = others.filter(({ error }) => error !== null);
  const reason = [noGainText(trials), ...failed.map(failureText)].join(" ");
  return { ...common, verdict: "no gain", value: before, reason };
}

/** For the batch only: other knobs are not tried if they have no other value. */
function nothingLargerText({ value, error }: TuneTrial): string {
  return error === null
    ? `There is no larger batch to try beside ${valueText(value)}.`
    : `${valueText(value)} failed, and no larger batch was tried: ${error}`;
}

const value = (trial: TuneTrial) => valueText(trial.value);

function keptText(trial: TuneTrial): string {
  const compared = trial.results === null ? "" : `, and the same results after ${trial.results.steps} steps`;
  return `${value(trial)} gives ${formatChange(trial.gain!)} samples a second with a spread of ${formatShare(trial.spread!)}${compared}.`;
}

function noGainText(trials: readonly TuneTrial[]): string {
  const [before, ...others] = trials as [TuneTrial, ...TuneTrial[]];
  if (before.error !== null) return `The present value could not be measured again: ${before.error}`;
  const best = others.filter(({ gain }) => gain !== null).toSorted((a, b) => b.gain! - a.gain!)[0]!;
  const spread = formatShare((best.spread ?? 0) + (before.spread ?? 0));
  const saves = (best.peakBytes ?? Infinity) < 0.9 * (before.peakBytes ?? 0);
  const memory = saves
    ? `, and a peak of ${formatBytes(best.peakBytes!)} in place of ${formatBytes(before.peakBytes!)}`
    : "";
  return `${value(best)} gives ${formatChange(best.gain!)} samples a second${memory}; both spreads together are ${spread}.`;
}

function failureText(trial: TuneTrial): string {
  return `${value(trial)} failed: ${trial.error!}`;
}

function otherResultsText(knob: TuneKnob, trial: TuneTrial): string {
  const workers =
    knob === "numWorkers"
      ? " Each worker draws random numbers of its own, so random changes of the data differ with their number."
      : "";
  return `${value(trial)} gives ${formatChange(trial.gain!)} samples a second, and other results: ${differenceText(trial.results!)}.${workers}`;
}

function differenceText({ error, worst, steps }: SameResults): string {
  if (error !== null) return error.replace(/\.$/, "");
  const apart =
    worst.tolerances === null
      ? "beyond its tolerance"
      : `${worst.tolerances.toPrecision(2)} tolerances apart`;
  return `after ${steps} steps ${worst.name} is ${apart}`;
}
