// From evidence to the facts that rules speak of: each a value with the record that it comes from, or what would give
// it. Judges nothing.
import { cpuAndDevice, type Evidence, citeLoop, lastLoop } from "../evidence.ts";
import { GROWTH_THRESHOLD, growth } from "../growth.ts";
import { formatBytes, formatChange, formatShare, formatTime } from "../../units.ts";
import type { FactName } from "./runbook.ts";
import { stoppingRule } from "./stopping.ts";

export type Fact =
  | { readonly value: number | string | boolean; readonly citation: string }
  | { readonly value: null; readonly missing: string };

export type Facts = Readonly<Record<FactName, Fact>>;

const missing = (text: string): Fact => ({ value: null, missing: text });

export function factsOf(evidence: Evidence): Facts {
  return {
    improvement: improvementOf(evidence),
    utilization: importedOf(
      evidence.utilization,
      formatShare,
      'utilization: device-busy time by wall time from events, NVML or powermetrics, as { utilization: { value: 0.4, source: "powermetrics" } }',
    ),
    growthOverTenEpochs: growthOf(evidence),
    fallbacks: fallbacksOf(evidence),
    parityWithin: parityOf(evidence),
    bitwiseParity: saidOf(
      evidence.bitwiseParity,
      "bitwiseParity: whether losses must match another platform's bit by bit, true or false",
    ),
    workload: saidOf(evidence.workload, 'workload: "training", "llm inference" or "queue"'),
    mlxSpeedup: mlxOf(evidence),
    stoppingRule: stoppingOf(evidence),
  };
}

/** "If MPS end-to-end step time improves CPU by ...": 1 - device / CPU. */
function improvementOf({ comparison }: Evidence): Fact {
  const way = "comparison: await lab.compare(step) on the CPU and on the device";
  if (comparison === undefined) return missing(way);
  const times = cpuAndDevice(comparison);
  if (times === null) return missing(`${way}; the one given has no function on both`);
  const { name, device, cpuMs, deviceMs } = times;
  if (device.includes("simulated"))
    return missing(
      `${way} of a real machine: ${device} is this machine's processor, and its times are no GPU's`,
    );
  const value = (cpuMs - deviceMs) / cpuMs;
  return {
    value,
    citation: `lab.compare, ${name}: ${formatTime(deviceMs)} on ${device}, ${formatTime(cpuMs)} on cpu, improvement ${formatChange(value)}`,
  };
}

function growthOf({ epochs = [] }: Evidence): Fact {
  const loop = lastLoop(epochs);
  const found = growth(loop, "footprintBytes");
  if (found.verdict === "undecided" || found.rise === null)
    return missing(
      `growth: an epoch loop with ${GROWTH_THRESHOLD.epochs} epochs between two complete flushes after the first; ${citeLoop(loop)} has ${found.epochs}`,
    );
  const value = (found.rise * GROWTH_THRESHOLD.epochs) / found.epochs;
  const [from, to] = [found.fromBytes ?? 0, found.toBytes ?? 0].map(formatBytes);
  return {
    value,
    citation: `${citeLoop(loop)}: footprint ${from} to ${to}, ${formatChange(value)} in ${GROWTH_THRESHOLD.epochs} epochs`,
  };
}

function fallbacksOf({ epochs = [] }: Evidence): Fact {
  const loop = lastLoop(epochs);
  if (loop.length === 0) return missing("fallbacks: an epoch loop in the ledger");
  if (loop.some(({ fallbacks }) => fallbacks === null))
    return missing(
      "fallbacks: nobody counts them under PYTORCH_ENABLE_MPS_FALLBACK=1; run without it, or lab.trace the step",
    );
  const value = loop.reduce((sum, { fallbacks }) => sum + (fallbacks ?? 0), 0);
  return { value, citation: `${citeLoop(loop)}: ${value} operators fell back to the CPU` };
}

function parityOf({ parity }: Evidence): Fact {
  if (parity === undefined) return missing("parity: lab.parity of the same step on two devices");
  const beyond = (parity.groups ?? []).filter(({ within }) => !within).map(({ group }) => group);
  const against = parity.comparedWith ?? "the record";
  const what = parity.within
    ? "within tolerance"
    : `beyond tolerance${beyond.length > 0 ? ` (${beyond.join(", ")})` : ""}`;
  return { value: parity.within, citation: `lab.parity, ${parity.device} beside ${against}: ${what}` };
}

function mlxOf({ mlxStepMs, comparison }: Evidence): Fact {
  if (mlxStepMs === undefined)
    return missing(
      'mlxStepMs: the same step under MLX, as { mlxStepMs: { value: 12, source: "M2, MLX 0.20" } }',
    );
  const times = comparison === undefined ? null : cpuAndDevice(comparison);
  if (times === null || times.device.includes("simulated"))
    return missing("comparison: what the step takes here, to hold MLX's time against");
  const value = times.deviceMs / mlxStepMs.value;
  return {
    value,
    citation: `${mlxStepMs.source}: ${formatTime(mlxStepMs.value)} under MLX, ${formatTime(times.deviceMs)} on ${times.device} (lab.compare), ${value.toFixed(2)}×`,
  };
}

/** Without stored profiles the rule has not fired. */
function stoppingOf({ logbook = [] }: Evidence): Fact {
  const { stop, because } = stoppingRule(logbook);
  return { value: stop, citation: because };
}

function importedOf(given: Evidence["utilization"], text: (value: number) => string, way: string): Fact {
  return given === undefined
    ? missing(way)
    : { value: given.value, citation: `${given.source}: ${text(given.value)}` };
}

function saidOf(given: string | boolean | undefined, way: string): Fact {
  return given === undefined ? missing(way) : { value: given, citation: `as given: ${String(given)}` };
}
