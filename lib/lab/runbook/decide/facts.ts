// Derives the facts that rules use from evidence. Each fact is a value with the record that it comes from, or the
// measurement that would give it.
import {
  type BucketsEvidence,
  cpuAndDevice,
  type Evidence,
  citeLoop,
  lastLoop,
  type Range,
} from "../evidence.ts";
import { ratioText } from "../../measures/buckets/result.ts";
import { spreadOf } from "../../../statistics/spread.ts";
import { GROWTH_THRESHOLD, growthRemedy, memoryGrowth } from "../../epochs/growth.ts";
import { quotedGrowth } from "../../epochs/growth_text.ts";
import { formatChange, formatShare, formatTime } from "../../../units.ts";
import type { FactName } from "./runbook.ts";
import { stoppingRule } from "./stopping.ts";

export type Fact =
  | {
      readonly value: number | string | boolean;
      readonly citation: string;
      /** Where spreads are wide: what the value may be as well. A bound in between is neither met nor missed. */
      readonly doubt?: Range;
      /** What is missing where a bound lies in between. */
      readonly missing?: string;
    }
  | { readonly value: null; readonly missing: string };

export type Facts = Readonly<Record<FactName, Fact>>;

const missing = (text: string): Fact => ({ value: null, missing: text });

export function factsOf(evidence: Evidence): Facts {
  return {
    improvement: improvementOf(evidence),
    utilization: utilizationOf(evidence),
    growthOverTenEpochs: growthOf(evidence),
    fallbacks: fallbacksOf(evidence),
    parityWithin: parityOf(evidence),
    bitwiseParity: saidOf(
      evidence.bitwiseParity,
      "bitwiseParity",
      "whether losses must match another platform's bit by bit (give bitwiseParity: true or false)",
    ),
    workload: saidOf(
      evidence.workload,
      "workload",
      'the kind of work (give workload: "training", "llm inference" or "queue")',
    ),
    mlxSpeedup: mlxOf(evidence),
    stoppingRule: stoppingOf(evidence),
  };
}

/** A value of measurements with wide spreads, as beside other programs: chance may decide on which side of a bound it is. */
function uncertain(
  value: number,
  citation: string,
  doubt: Range,
  text: (value: number) => string,
  name: string,
): Fact {
  const range = `${text(doubt[0])} to ${text(doubt[1])}`;
  return {
    value,
    citation: `${citation}; uncertain, ${range}, since spreads are wide`,
    doubt,
    missing: `${name}, which is uncertain: ${range} between the quartiles (measure again on a quiet machine: lab.compare(step))`,
  };
}

/** "If MPS end-to-end step time improves CPU by ...": 1 - device / CPU. */
function improvementOf({ comparison }: Evidence): Fact {
  const compared = (how: string) => missing(`the improvement over the CPU (${how})`);
  const way = "give comparison: await lab.compare(step), on the CPU and on the device";
  if (comparison === undefined) return compared(way);
  const times = cpuAndDevice(comparison);
  if (times === null) return compared(`${way}; the one that was given has no function on both`);
  const { name, device, cpuMs, deviceMs, doubt } = times;
  if (device.includes("simulated"))
    return compared(
      `${way} of a real machine; ${device} is this machine's processor, and no time on it is a GPU's`,
    );
  const improvement = (cpu: number, other: number): number => (cpu - other) / cpu;
  const value = improvement(cpuMs, deviceMs);
  const citation = `lab.compare, ${name}: ${formatTime(deviceMs)} on ${device}, ${formatTime(cpuMs)} on cpu, improvement ${formatChange(value)}`;
  if (doubt === null) return { value, citation };
  const low = improvement(doubt.cpuMs[0], doubt.deviceMs[1]);
  const high = improvement(doubt.cpuMs[1], doubt.deviceMs[0]);
  return uncertain(value, citation, [low, high], formatChange, "the improvement over the CPU");
}

function growthOf({ epochs = [] }: Evidence): Fact {
  const loop = lastLoop(epochs);
  const found = memoryGrowth(loop);
  if (found.verdict === "undecided")
    return missing(
      `the growth of memory over ${GROWTH_THRESHOLD.epochs} flushed epochs (${growthRemedy(loop)})`,
    );
  return { value: found.riseOverTen, citation: `${citeLoop(loop)}: ${quotedGrowth(found)}` };
}

function fallbacksOf({ epochs = [] }: Evidence): Fact {
  const loop = lastLoop(epochs);
  // A cut epoch proves nothing here: the operators that it did not reach may fall back.
  if (loop.every(({ cut }) => cut))
    return missing("whether operators fall back to the CPU (run an epoch loop)");
  if (loop.some(({ fallbacks }) => fallbacks === null))
    return missing(
      "whether operators fall back to the CPU (on a Mac libtorch does not report them under PYTORCH_ENABLE_MPS_FALLBACK=1: run an epoch loop without it, or on simulated Metal, which counts them)",
    );
  const value = loop.reduce((sum, { fallbacks }) => sum + (fallbacks ?? 0), 0);
  return { value, citation: `${citeLoop(loop)}: ${value} operators fell back to the CPU` };
}

function parityOf({ parity }: Evidence): Fact {
  if (parity === undefined)
    return missing("whether numbers agree (give parity: lab.parity({ build, devices }))");
  const beyond = [
    ...(parity.groups ?? []).filter(({ within }) => !within).map(({ group }) => group),
    ...(parity.metrics ?? []).filter(({ within }) => !within).map(({ name }) => name),
  ];
  const against = parity.comparedWith ?? "the record";
  const what = parity.within
    ? "within tolerance"
    : `beyond tolerance${beyond.length > 0 ? ` (${beyond.join(", ")})` : ""}`;
  return { value: parity.within, citation: `lab.parity, ${parity.device} beside ${against}: ${what}` };
}

function mlxOf({ mlxStepMs, buckets, comparison }: Evidence): Fact {
  if (buckets !== undefined) return mlxOfBuckets(buckets);
  if (mlxStepMs === undefined)
    return missing(
      'the time of the same step under MLX (give buckets: await lab.buckets(step, { record }), or mlxStepMs: { value: 12, source: "M2, MLX 0.20" })',
    );
  const times = comparison === undefined ? null : cpuAndDevice(comparison);
  if (times === null || times.device.includes("simulated"))
    return missing(
      "the time of the step on a real device here, beside MLX's (give comparison: await lab.compare(step))",
    );
  const speedup = (deviceMs: number): number => deviceMs / mlxStepMs.value;
  const value = speedup(times.deviceMs);
  const factor = (of: number): string => `${of.toFixed(2)}×`;
  const citation = `${mlxStepMs.source}: ${formatTime(mlxStepMs.value)} under MLX, ${formatTime(times.deviceMs)} on ${times.device} (lab.compare), ${factor(value)}`;
  if (times.doubt === null) return { value, citation };
  const [low, high] = times.doubt.deviceMs;
  return uncertain(value, citation, [speedup(low), speedup(high)], factor, "the speedup of MLX");
}

function mlxOfBuckets({ device, source, buckets }: BucketsEvidence): Fact {
  const timed = "the time of the buckets on a real device here, beside MLX's";
  if (device === "cpu" || device.includes("simulated"))
    return missing(
      `${timed} (give buckets: await lab.buckets(step, { record }) of one; ${device} is this machine's processor)`,
    );
  const ratios = buckets.flatMap(({ ratio }) => ratio ?? []);
  if (ratios.length === 0)
    return missing(`${timed} (none of ${buckets.length} was timed on ${device}: their errors say why)`);
  const value = spreadOf(ratios).median;
  return {
    value,
    citation: `${source}: median ratio ${ratioText(value)} of ${ratios.length} of ${buckets.length} buckets timed on ${device} (lab.buckets)`,
  };
}

/** Without stored profiles the stopping rule does not hold. */
function stoppingOf({ logbook = [] }: Evidence): Fact {
  const { stop, because } = stoppingRule(logbook);
  return { value: stop, citation: because };
}

function utilizationOf({ utilization }: Evidence): Fact {
  const way = "how busy the device is (give utilization: lab.utilization(step))";
  if (utilization === undefined) return missing(way);
  const { value, source, device } = utilization;
  if (device?.includes("simulated"))
    return missing(`${way.slice(0, -1)} on a real machine; ${device} is this machine's processor)`);
  return { value, citation: `${source}: ${formatShare(value)}` };
}

function saidOf(given: string | boolean | undefined, name: FactName, way: string): Fact {
  return given === undefined
    ? missing(way)
    : { value: given, citation: `as given: ${name} ${JSON.stringify(given)}` };
}
