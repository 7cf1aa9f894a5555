// Writes what `lab.tune` found as TypeScript to paste. The code does not use the lab. Beside each line stands what it
// gains.
import { formatChange, formatShare } from "../../units.ts";
import type { TunedKnob } from "./result.ts";
import { type TuneKnob, type TuneSettings, valueText } from "./settings.ts";

export interface CodeFacts {
  /** The name of the user's function; empty if it has none. */
  readonly functionName: string;
  /** Whether that function returns a promise. */
  readonly isAsync: boolean;
  readonly deviceKind: string;
  readonly before: TuneSettings;
  readonly settings: TuneSettings;
  readonly knobs: readonly TunedKnob[];
}

const LINE_LETTERS = 100;

export function codeOf({ functionName, isAsync, deviceKind, before, settings, knobs }: CodeFacts): string {
  const evidence = (knob: TuneKnob) => {
    const found = knobs.find((one) => one.knob === knob && one.verdict === "kept");
    return found === undefined ? "" : ` // ${evidenceText(found)}`;
  };
  const { autocast, batch, numWorkers, checkpoint, threads, channelsLast, capture } = settings;
  const casts =
    autocast === "off"
      ? "run()"
      : `torch.autocast({ deviceType: "${deviceKind}", dtype: "${autocast}" }, run)`;
  const make = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(functionName) ? functionName : "make";
  return [
    ...(make === functionName ? [] : ["// make is the function that lab.tune was given."]),
    ...(threads !== before.threads ? [`torch.setNumThreads(${threads});${evidence("threads")}`] : []),
    `const training = ${isAsync ? "await " : ""}${make}({`,
    `  batch: ${batch},${evidence("batch")}`,
    `  numWorkers: ${numWorkers},${evidence("numWorkers")}`,
    `  autocast: (run) => ${casts},${evidence("autocast")}`,
    `  checkpoint: (run, inputs) => ${checkpoint ? "torch.checkpoint(run, inputs)" : "run(...inputs)"},${evidence("checkpoint")}`,
    "});",
    ...(channelsLast
      ? [`training.model.to({ memoryFormat: "channels_last" });${evidence("channelsLast")}`]
      : []),
    capture
      ? `const step = torch.capture(training.step);${evidence("capture")}`
      : "const step = training.step;",
  ]
    .flatMap(brokenLine)
    .join("\n");
}

/** A comment that would make the line too long is put above it. */
function brokenLine(line: string): string[] {
  const at = line.indexOf(" // ");
  if (line.length <= LINE_LETTERS || at < 0) return [line];
  const indent = /^ */.exec(line)![0];
  return [`${indent}${line.slice(at + 1)}`, line.slice(0, at)];
}

/** `32 -> 256: +41% samples a second, spread 2%` */
function evidenceText({ before, value, trials }: TunedKnob): string {
  const taken = trials.find((trial) => trial.value === value && trial.gain !== null);
  const change = `${valueText(before)} -> ${valueText(value)}`;
  if (taken === undefined) return change;
  return `${change}: ${formatChange(taken.gain!)} samples a second, spread ${formatShare(taken.spread!)}`;
}
