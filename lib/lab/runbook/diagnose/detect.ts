// Detects each symptom in the evidence. A detector returns what it saw and the cause that this points to; or that the
// symptom is absent; or null if there is not enough evidence. If evidence was given but cannot decide, it returns a
// sentence that says why.
import { grouped } from "../../../grouped.ts";
import { citeLoop, cpuAndDevice, type Evidence, lastLoop } from "../evidence.ts";
import { type GrowthMetric, memoryGrowth, rises } from "../../epochs/growth.ts";
import { growthText } from "../../epochs/growth_text.ts";
import type { EpochRecord, MemorySample } from "../../../records/epochs.ts";
import { relativeSpread, type Spread, spreadOf } from "../../../statistics/spread.ts";
import { THRESHOLDS } from "../decide/runbook.ts";
import { pointText } from "../../../records/parameters.ts";
import { formatBytes, formatShare, formatTime } from "../../../units.ts";
import { type Cause, CAUSES, LIMITS, type SymptomName } from "./symptoms.ts";

export interface Sighting {
  /** Empty if the symptom is absent. */
  readonly evidence: readonly string[];
  /** The cause that the evidence shows, if it is not the runbook's. */
  readonly cause?: Cause;
}

/** Null if there is no evidence; a sentence if the given evidence cannot decide. */
export type Seen = Sighting | string | null;

export const DETECTORS: Readonly<Record<SymptomName, (evidence: Evidence) => Seen>> = {
  "fast start then cliff": cliff,
  "one slow layer": slowLayer,
  "loss drift": drift,
  "speedup near 1": nearOne,
  "out of memory on the first batch": firstBatch,
  "near the memory limit": nearLimit,
  "growing memory": growing,
  "noisy steps": noisy,
  "several processes": several,
};

const NOTHING: Sighting = { evidence: [] };

function cliff({ epochs = [] }: Evidence): Seen {
  const steady = steadyEpochs(epochs);
  if (steady === null) return null;
  const third = Math.floor(steady.length / 3);
  const [early, late] = [steady.slice(0, third), steady.slice(-third)];
  const [earlyMs, lateMs] = [early, late].map((part) => spreadOf(part.map(({ wallMs }) => wallMs))) as [
    Spread,
    Spread,
  ];
  // If times vary, one part of a loop is always slower than another. So the quartiles must be apart as well as the
  // medians.
  const isCliff =
    lateMs.lowerQuartile >= LIMITS.cliff * earlyMs.upperQuartile &&
    lateMs.median - earlyMs.median >= LIMITS.cliffMs;
  if (!isCliff) return NOTHING;
  const cite = citeLoop(steady);
  const times = `${formatTime(earlyMs.median)} an epoch, then ${formatTime(lateMs.median)}`;
  const ofMemory = memoryPressure(early[0]!.before, late.at(-1)!.before).map((text) => `${cite}: ${text}`);
  if (ofMemory.length > 0) return { evidence: [`${cite}: ${times}`, ...ofMemory] };
  // Swapping takes no processor time. If memory is not the cause, the process itself must have worked longer; otherwise
  // something outside the loop slowed it.
  const workedMs = [early, late].map((part) => spreadOf(part.map(workOf)).median) as [number, number];
  if (workedMs[1] < LIMITS.cliff * workedMs[0])
    return `${times}, but this process computed and waited no longer for its device: look for other programs, the disk or the network`;
  return { evidence: [`${cite}: ${times}`], cause: CAUSES["slow without memory"] };
}

/** Signs that memory ran short from one sample to another. */
function memoryPressure(first: MemorySample, last: MemorySample): string[] {
  const signs: string[] = [];
  if (first.swapBytes !== null && last.swapBytes !== null) {
    const swapped = last.swapBytes - first.swapBytes;
    if (swapped >= LIMITS.swapBytes) signs.push(`${formatBytes(swapped)} more swap in use`);
  }
  if (last.pressure !== null && last.pressure !== "normal") signs.push(`memory pressure ${last.pressure}`);
  const { driverBytes, recommendedBytes } = last;
  const isNear = recommendedBytes > 0 && driverBytes >= LIMITS.nearLimit * recommendedBytes;
  if (driverBytes > first.driverBytes && (signs.length > 0 || isNear))
    signs.push(`the allocator held ${formatBytes(first.driverBytes)}, then ${formatBytes(driverBytes)}`);
  return signs;
}

/** Milliseconds in which the process computed or waited for its device; at most the length of the epoch. */
const workOf = ({ wallMs, cpuMs, waitMs }: EpochRecord): number =>
  cpuMs === undefined ? wallMs : Math.min(wallMs, cpuMs + (waitMs ?? 0));

function slowLayer({ trace, operators }: Evidence): Seen {
  if (trace === undefined && operators === undefined) return null;
  const left = leavingTheDevice(trace?.switches ?? []);
  const seen = counted(
    left.map(
      ({ operator, from, line }) =>
        `lab.trace: ${operator} leaves ${from} for the CPU${line === null ? "" : ` at ${line}`}`,
    ),
  );
  const totalMs = (operators ?? []).reduce((sum, { ms }) => sum + ms, 0);
  const slowest = (operators ?? []).toSorted((a, b) => b.ms - a.ms)[0];
  if (
    operators !== undefined &&
    operators.length > 1 &&
    slowest !== undefined &&
    slowest.ms > LIMITS.slowOperator * totalMs
  )
    seen.push(
      `profile: ${slowest.name} takes ${formatShare(slowest.ms / totalMs)}, ${formatTime(slowest.ms)}`,
    );
  return { evidence: seen, ...(left.length > 0 ? {} : { cause: CAUSES["one operator"] }) };
}

/** Merges equal lines and appends their count, because a loop repeats them. */
function counted(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return Array.from(counts, ([line, count]) => (count === 1 ? line : `${line}, ${count} times`));
}

/**
 * Switches to the CPU after which the step returns to the device. Values that are only read there, such as the loss,
 * leave no gap on the device.
 */
function leavingTheDevice(switches: NonNullable<Evidence["trace"]>["switches"]) {
  return switches.filter(
    ({ from, to, cause }, at) =>
      from !== "cpu" && to === "cpu" && (cause === "fallback" || switches[at + 1]?.to === from),
  );
}

function drift({ parity }: Evidence): Seen {
  if (parity === undefined) return null;
  if (parity.within) return NOTHING;
  const against = `lab.parity, ${parity.device} beside ${parity.comparedWith ?? "the record"}: beyond tolerance`;
  const beyond = [
    ...(parity.groups ?? [])
      .filter(({ within }) => !within)
      .map(({ group, worst }) => `${group}${worst === undefined ? "" : ` (worst ${worst.name})`}`),
    ...(parity.metrics ?? []).filter(({ within }) => !within).map(({ name }) => name),
  ];
  const reduced = (parity.groups ?? []).some(
    ({ group, within }) => !within && (group === "reductions" || group === "norm statistics"),
  );
  return {
    evidence: beyond.length === 0 ? [against] : beyond.map((what) => `${against} in ${what}`),
    ...(reduced ? {} : { cause: CAUSES["other drift"] }),
  };
}

function nearOne({ comparison, syncs, utilization }: Evidence): Seen {
  if (comparison === undefined) return null;
  const times = cpuAndDevice(comparison);
  if (times === null) return "the comparison that was given has no function on both the CPU and a device";
  if (times.device.includes("simulated"))
    return `${times.device} is this machine's processor, and of course as fast: compare on a real device`;
  const speedup = times.cpuMs / times.deviceMs;
  if (speedup < LIMITS.speedup[0] || speedup > LIMITS.speedup[1]) return NOTHING;
  const seen = [
    `lab.compare, ${times.name}: ${formatTime(times.deviceMs)} on ${times.device}, ${formatTime(times.cpuMs)} on cpu, ${speedup.toFixed(2)}×`,
  ];
  for (const { line, operation, waitedMsPerCall } of (syncs?.sites ?? []).slice(0, 3))
    seen.push(
      `lab.syncs: ${operation}${line === null ? "" : ` at ${line}`} waits ${formatTime(waitedMsPerCall)} a call`,
    );
  const isReal = utilization?.device?.includes("simulated") !== true;
  const isIdle = isReal && utilization !== undefined && utilization.value < THRESHOLDS.utilization;
  if (isIdle)
    seen.push(`${utilization.source}: the device is busy ${formatShare(utilization.value)} of the time`);
  return { evidence: seen, ...(isIdle || waits(syncs) ? {} : { cause: CAUSES["not faster"] }) };
}

/** Whether the share of a step in which the host waits for the device is large enough to matter. */
const waits = (syncs: Evidence["syncs"]): boolean =>
  syncs !== undefined && syncs.waitedMsPerCall > LIMITS.waiting * syncs.hostMsPerCall;

function firstBatch({ sweep }: Evidence): Seen {
  const smallest = sweep?.points.toSorted((a, b) => a.point.batch - b.point.batch)[0];
  if (smallest === undefined) return null;
  if (smallest.status !== "out of memory") return NOTHING;
  const where = `sweep "${sweep!.name}" on ${sweep!.device}`;
  return { evidence: [`${where}: out of memory at its smallest point, ${pointText(smallest.point)}`] };
}

function nearLimit({ epochs = [] }: Evidence): Seen {
  const loop = lastLoop(epochs).filter(({ before }) => before.recommendedBytes > 0);
  if (loop.length === 0) return null;
  const share = ({ before }: EpochRecord) => before.peakBytes / before.recommendedBytes;
  const fullest = loop.reduce((max, record) => (share(record) > share(max) ? record : max));
  if (share(fullest) < LIMITS.nearLimit) return NOTHING;
  const { peakBytes, recommendedBytes } = fullest.before;
  const where = `ledger, loop ${fullest.loop}, epoch ${fullest.epoch}`;
  return {
    evidence: [
      `${where}: peak ${formatBytes(peakBytes)}, ${formatShare(share(fullest))} of the recommended ${formatBytes(recommendedBytes)}`,
    ],
  };
}

/** The cause of growth, by the metric that grows. For tensors it is the runbook's. */
const GROWTH_CAUSES: Readonly<Partial<Record<GrowthMetric, Cause>>> = {
  heapBytes: CAUSES["heap grows"],
  driverBytes: CAUSES["blocks grow"],
  outsideBytes: CAUSES["process grows"],
};

function growing({ epochs = [], holders = [], sweep }: Evidence): Seen {
  const loop = lastLoop(epochs);
  const found = memoryGrowth(loop);
  const leaking = (sweep?.points ?? []).filter(({ leak }) => leak !== null);
  if (found.verdict === "undecided" && sweep === undefined) return null;
  const seen = leaking.map(({ point, leak }) => {
    const heldBy = leak!.holders.length > 0 ? `: ${leak!.holders.join("; ")}` : "";
    return `sweep "${sweep!.name}", ${pointText(point)}: ${formatBytes(leak!.bytesPerStep)} stay behind at each step${heldBy}`;
  });
  if (!rises(found)) return { evidence: seen };
  const cause = seen.length > 0 ? undefined : GROWTH_CAUSES[found.metric];
  const evidence = [`${citeLoop(loop)}: ${growthText(loop, holders)}`, ...seen];
  return { evidence, ...(cause === undefined ? {} : { cause }) };
}

function noisy(evidence: Evidence): Seen {
  const ofEpochs = noisyEpochs(evidence);
  const ofSweep = noisyPoints(evidence);
  if (ofEpochs === null || ofSweep === null) return ofEpochs ?? ofSweep;
  if (typeof ofEpochs === "string") return ofSweep.evidence.length > 0 ? ofSweep : ofEpochs;
  if (ofEpochs.evidence.length === 0) return ofSweep;
  return { evidence: [...ofEpochs.evidence, ...ofSweep.evidence] };
}

/**
 * Times of epochs always vary on a machine that does other work too. They count as a symptom if something moves work
 * back to the CPU; otherwise no record says why.
 */
function noisyEpochs({ epochs = [], trace, syncs }: Evidence): Seen {
  const steady = steadyEpochs(epochs);
  if (steady === null) return null;
  // Neighbouring epochs are compared, because epochs that only become slower are a cliff and not noise.
  const steps = steady.slice(1).map(({ wallMs }, at) => wallMs / steady[at]!.wallMs);
  const noise = relativeSpread(spreadOf(steps));
  if (noise <= LIMITS.noise) return NOTHING;
  const cite = citeLoop(steady);
  const swing = `from one epoch to the next times swing by ±${formatShare(noise)}`;
  const sumOf = (of: (record: EpochRecord) => number) => steady.reduce((sum, record) => sum + of(record), 0);
  const fallbacks = sumOf((record) => record.fallbacks ?? 0);
  const waitedMs = sumOf(({ waitMs, finalWaitMs }) => Math.max(0, (waitMs ?? 0) - (finalWaitMs ?? 0)));
  const waited = waitedMs / sumOf(({ wallMs }) => wallMs);
  const causes: string[] = [];
  if (fallbacks > 0) causes.push(`${cite}: ${fallbacks} operators fell back to the CPU`);
  if (waited > LIMITS.waiting)
    causes.push(
      `${cite}: the host waits ${formatShare(waited)} of the time for the device, inside operators`,
    );
  for (const { operator, line } of leavingTheDevice(trace?.switches ?? []).slice(0, 3))
    causes.push(`lab.trace: ${operator} leaves the device${line === null ? "" : ` at ${line}`}`);
  if (waits(syncs)) {
    const [site] = syncs!.sites;
    const where =
      site === undefined ? "" : `, most in ${site.operation}${site.line === null ? "" : ` at ${site.line}`}`;
    causes.push(`lab.syncs: the host waits ${formatTime(syncs!.waitedMsPerCall)} a call${where}`);
  }
  if (causes.length === 0)
    return `${swing}, and no record says why: no operator fell back, and the host did not wait; close other programs, and give trace: lab.trace(step), syncs: lab.syncs(step)`;
  return { evidence: [`${cite}: ${swing}`, ...causes] };
}

function noisyPoints({ sweep }: Evidence): Sighting | null {
  const points = (sweep?.points ?? []).filter(
    ({ steady: windows }) => windows !== null && windows.windows >= 3,
  );
  if (points.length === 0) return null;
  const swinging = points
    .map(({ point, steady: windows }) => ({
      point,
      windows: windows!,
      noise: relativeSpread(windows!.stepMs),
    }))
    .filter(({ noise }) => noise > LIMITS.noise)
    .toSorted((a, b) => b.noise - a.noise);
  const [worst] = swinging;
  if (worst === undefined) return NOTHING;
  const others = swinging.length > 1 ? `, the most of ${swinging.length} such points` : "";
  const { waitMs, hostMs } = worst.windows;
  const waited = waitMs !== null && waitMs > LIMITS.waiting * (waitMs + (hostMs ?? 0));
  return {
    evidence: [
      `sweep "${sweep!.name}", ${pointText(worst.point)}: steps swing by ±${formatShare(worst.noise)}${others}`,
    ],
    ...(waited ? {} : { cause: CAUSES["swinging windows"] }),
  };
}

/** The pids in a line of evidence. */
const MAX_PIDS = 5;

function several({ processes }: Evidence): Seen {
  if (processes === undefined) return null;
  const pids = grouped(processes.map(({ pid, name }) => [programOf(name), pid]));
  const evidence = [...pids].map(([program, those]) => {
    const more = those.length > MAX_PIDS ? ` and ${those.length - MAX_PIDS} more` : "";
    return those.length === 1
      ? `process ${those[0]}: ${program}`
      : `${those.length} processes of ${program}: ${those.slice(0, MAX_PIDS).join(", ")}${more}`;
  });
  return { evidence };
}

/** `/usr/bin/node --flag=1 /x/dist/kernel/runtime/host.js --more` -> `node runtime/host.js` */
function programOf(commandLine: string): string {
  const [program = "", ...args] = commandLine.split(/\s+/);
  const script = args.findLast((arg) => !arg.startsWith("-") && /\.\w+$/.test(arg) && !arg.includes("://"));
  const named = program.split("/").at(-1)!;
  return script === undefined ? named : `${named} ${script.split("/").slice(-2).join("/")}`;
}

/** Steady epochs of the last loop; null if there are too few to compare. */
function steadyEpochs(epochs: readonly EpochRecord[]): readonly EpochRecord[] | null {
  const steady = lastLoop(epochs).filter(({ first, cut }) => !first && !cut);
  return steady.length < LIMITS.epochs ? null : steady;
}
