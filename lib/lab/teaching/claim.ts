// `lab.claim(...)`: a sentence that a lesson draws from a measurement, as a chart's title. Where the measurement
// contradicts it, the cell says so, with what may be the cause. It measures nothing itself.
import { outputSink } from "../../display.ts";
import { checkBoolean, checkInteger, checkText } from "../../torch/vocabulary/arguments.ts";
import { type OpenRules, optional, readOptions } from "../../torch/vocabulary/options.ts";
import { acceleratorOf } from "../core/native_device.ts";
import { computer, FULL_LOAD_PER_CORE } from "../core/system_info.ts";

export interface ClaimOptions {
  /** The device that the sentence is about. Default: none, and a missing GPU is no cause. */
  readonly device?: string;
  /** How often each value was measured. Default: not known. */
  readonly repeats?: number;
  /** A picture of a run in which the sentence holds, as a path beside the notebook. Default: none. */
  readonly stored?: string;
}

const OPTIONS = {
  device: optional(checkText),
  repeats: optional((call, name, value) => checkInteger(call, name, value, 1)),
  stored: optional(checkText),
} satisfies OpenRules<ClaimOptions>;

/** A median of fewer moves by several percent from run to run on a machine that others use. */
const FEW_REPEATS = 20;

const STORED = "In the stored run it holds:";

/**
 * A sentence about a measurement, for a chart's title. If it does not hold, the cell shows that above its result, with
 * what may be the cause: a busy machine, a device that is no GPU, few repetitions.
 *
 * @param holds whether what was measured agrees with the sentence
 * @returns the sentence, or one that says that it does not hold here
 * @example
 * const times = [0.9, 3.1, 9.2];
 * lab.plot(times, {
 *   y: "ms",
 *   title: lab.claim("A larger batch takes longer", times.at(-1)! > times[0]!, { repeats: 7 }),
 * })
 */
export function claim(sentence: string, holds: boolean, options?: ClaimOptions): string {
  const call = "lab.claim";
  checkText(call, "sentence", sentence);
  checkBoolean(call, "holds", holds);
  const { device, repeats, stored } = readOptions(call, options, OPTIONS);
  const label = device === undefined ? null : acceleratorOf(device).label;
  if (holds) return sentence;
  const refused = `Not so here: ${sentence}`;
  const causes = causesOf({ label, loadPerCore: computer().loadPerCore, repeats });
  const says = ["What may be the cause:", ...causes.map((cause) => `- ${cause}`)].join("\n");
  const [picture, path] =
    stored === undefined ? ["", ""] : [`\n\n${STORED}\n\n![](${stored})`, `\n${STORED} ${stored}`];
  outputSink().display(
    { "text/markdown": `**${refused}**\n\n${says}${picture}`, "text/plain": `${refused}\n${says}${path}` },
    {},
  );
  return refused;
}

export interface Conditions {
  /** The name of the device that the sentence is about, as `mps (simulated)`; null where it is about none. */
  readonly label: string | null;
  readonly loadPerCore: number | null;
  readonly repeats: number | undefined;
}

/** One sentence each; where none is known, the advice to measure again. */
export function causesOf({ label, loadPerCore, repeats }: Conditions): string[] {
  const causes = [
    label === null || !/^cpu|simulated/.test(label)
      ? null
      : `No GPU takes part: this machine's processor computes what is on ${label}.`,
    loadPerCore === null || loadPerCore <= FULL_LOAD_PER_CORE
      ? null
      : `The machine is busy: in the last minute ${loadPerCore} programs a core wanted to run. Close others, and run the cell again.`,
    repeats === undefined || repeats >= FEW_REPEATS
      ? null
      : `Each value was measured ${repeats === 1 ? "once" : `${repeats} times`}, which is few: raise repeats.`,
  ].filter((cause) => cause !== null);
  return causes.length > 0 ? causes : ["Nothing that the lab can see: run the cell again."];
}
