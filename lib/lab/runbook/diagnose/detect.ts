// Detects each symptom in the evidence. A detector returns what it saw, an empty list if all is well, or null if the
// evidence is not enough; where evidence was given that cannot tell, it says why.
import { grouped } from "../../../grouped.ts";
import { citeLoop, cpuAndDevice, type Evidence, lastLoop } from "../evidence.ts";
import { growth } from "../../epochs/growth.ts";
import { growthText, outsideText, rises } from "../../epochs/growth_text.ts";
import type { EpochRecord } from "../../core/ledger.ts";
import { relativeSpread, spreadOf } from "../../core/spread.ts";
import { pointText } from "../../sweep/point.ts";
import { formatBytes, formatShare, formatTime } from "../../../units.ts";
import { LIMITS, type SymptomName } from "./symptoms.ts";

/** Lines of evidence: empty if the symptom is absent, null if nothing can be said, or why what was given cannot say it. */
export type Seen = readonly string[] | string | null;

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

const NOTHING: readonly string[] = [];

function cliff({ epochs = [] }: Evidence): Seen {
  const steady = steadyEpochs(epochs);
  if (steady === null) return null;
  const third = Math.floor(steady.length / 3);
  const [early, late] = [steady.slice(0, third), steady.slice(-third)];
  const [earlyMs, lateMs] = [early, late].map((part) => medianOf(part.map(({ wallMs }) => wallMs)));
  if (lateMs! < LIMITS.cliff * earlyMs!) return NOTHING;
  const cite = citeLoop(steady);
  const seen = [`${cite}: ${formatTime(earlyMs!)} an epoch, then ${formatTime(lateMs!)}`];
  const [first, last] = [early[0]!.before, late.at(-1)!.before];
  if (last.driverBytes > first.driverBytes)
    seen.push(
      `${cite}: the allocator held ${formatBytes(first.driverBytes)}, then ${formatBytes(last.driverBytes)}`,
    );
  if (first.swapBytes !== null && last.swapBytes !== null && last.swapBytes > first.swapBytes)
    seen.push(`${cite}: ${formatBytes(last.swapBytes - first.swapBytes)} more swap in use`);
  if (last.pressure !== null && last.pressure !== "normal")
    seen.push(`${cite}: memory pressure ${last.pressure}`);
  return seen;
}

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
  return seen;
}

/** Merges equal lines and appends their count, because a loop repeats them. */
function counted(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return Array.from(counts, ([line, count]) => (count === 1 ? line : `${line}, ${count} times`));
}

/**
 * Switches to the CPU after which the step comes back. Values only read there, such as the loss, leave no gap on the
 * device.
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
  return beyond.length === 0 ? [against] : beyond.map((what) => `${against} in ${what}`);
}

function nearOne({ comparison, syncs }: Evidence): Seen {
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
  return seen;
}

function firstBatch({ sweep }: Evidence): Seen {
  const smallest = sweep?.points.toSorted((a, b) => a.point.batch - b.point.batch)[0];
  if (smallest === undefined) return null;
  if (smallest.status !== "out of memory") return NOTHING;
  return [
    `sweep "${sweep!.name}" on ${sweep!.device}: out of memory at its smallest point, ${pointText(smallest.point)}`,
  ];
}

function nearLimit({ epochs = [] }: Evidence): Seen {
  const loop = lastLoop(epochs).filter(({ before }) => before.recommendedBytes > 0);
  if (loop.length === 0) return null;
  const share = ({ before }: EpochRecord) => before.peakBytes / before.recommendedBytes;
  const fullest = loop.reduce((most, record) => (share(record) > share(most) ? record : most));
  if (share(fullest) < LIMITS.nearLimit) return NOTHING;
  const { peakBytes, recommendedBytes } = fullest.before;
  return [
    `ledger, loop ${fullest.loop}, epoch ${fullest.epoch}: peak ${formatBytes(peakBytes)}, ${formatShare(share(fullest))} of the recommended ${formatBytes(recommendedBytes)}`,
  ];
}

function growing({ epochs = [], holders = [], sweep }: Evidence): Seen {
  const loop = lastLoop(epochs);
  const found = growth(loop);
  const leaking = (sweep?.points ?? []).filter(({ leak }) => leak !== null);
  const outside = outsideText(loop);
  if (found.verdict === "undecided" && outside.length === 0 && sweep === undefined) return null;
  const seen: string[] = [];
  if (rises(found)) seen.push(`${citeLoop(loop)}: ${growthText(loop, holders)}`);
  else seen.push(...outside.map((text) => `${citeLoop(loop)}: ${text}`));
  for (const { point, leak } of leaking) {
    const heldBy = leak!.holders.length > 0 ? `: ${leak!.holders.join("; ")}` : "";
    seen.push(
      `sweep "${sweep!.name}", ${pointText(point)}: ${formatBytes(leak!.bytesPerStep)} stay behind at each step${heldBy}`,
    );
  }
  return seen;
}

function noisy({ epochs = [], sweep }: Evidence): Seen {
  const steady = steadyEpochs(epochs);
  const points = (sweep?.points ?? []).filter(
    ({ steady: windows }) => windows !== null && windows.windows >= 3,
  );
  if (steady === null && points.length === 0) return null;
  const seen: string[] = [];
  // Epochs that only become slower are a cliff, not noise: neighbours are compared.
  if (steady !== null) {
    const steps = steady.slice(1).map(({ wallMs }, at) => wallMs / steady[at]!.wallMs);
    const noise = relativeSpread(spreadOf(steps));
    if (noise > LIMITS.noise)
      seen.push(`${citeLoop(steady)}: from one epoch to the next times swing by ±${formatShare(noise)}`);
    const fallbacks = steady.reduce((sum, record) => sum + (record.fallbacks ?? 0), 0);
    if (seen.length > 0 && fallbacks > 0)
      seen.push(`${citeLoop(steady)}: ${fallbacks} operators fell back to the CPU`);
  }
  const swinging = points
    .map(({ point, steady: windows }) => ({ point, noise: relativeSpread(windows!.stepMs) }))
    .filter(({ noise }) => noise > LIMITS.noise)
    .toSorted((a, b) => b.noise - a.noise);
  const [worst] = swinging;
  if (worst !== undefined) {
    const others = swinging.length > 1 ? `, the most of ${swinging.length} such points` : "";
    seen.push(
      `sweep "${sweep!.name}", ${pointText(worst.point)}: steps swing by ±${formatShare(worst.noise)}${others}`,
    );
  }
  return seen;
}

/** Pids that a line of evidence names. */
const MAX_PIDS = 5;

function several({ processes }: Evidence): Seen {
  if (processes === undefined) return null;
  const pids = grouped(processes.map(({ pid, name }) => [programOf(name), pid]));
  return [...pids].map(([program, those]) => {
    const more = those.length > MAX_PIDS ? ` and ${those.length - MAX_PIDS} more` : "";
    return those.length === 1
      ? `process ${those[0]}: ${program}`
      : `${those.length} processes of ${program}: ${those.slice(0, MAX_PIDS).join(", ")}${more}`;
  });
}

/** `/usr/bin/node --flag=1 /x/dist/kernel/runtime/host.js --more` -> `node runtime/host.js` */
function programOf(commandLine: string): string {
  const [program = "", ...args] = commandLine.split(/\s+/);
  const script = args.findLast((arg) => !arg.startsWith("-") && /\.\w+$/.test(arg) && !arg.includes("://"));
  const named = program.split("/").at(-1)!;
  return script === undefined ? named : `${named} ${script.split("/").slice(-2).join("/")}`;
}

/** Steady epochs of the last loop; null if they are too few to compare. */
function steadyEpochs(epochs: readonly EpochRecord[]): readonly EpochRecord[] | null {
  const steady = lastLoop(epochs).filter(({ first, cut }) => !first && !cut);
  return steady.length < LIMITS.epochs ? null : steady;
}

function medianOf(values: readonly number[]): number {
  return spreadOf(values).median;
}
