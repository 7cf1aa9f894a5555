// Turns the profiler's spans into events, each with its own time and memory, and with the totals of what it called.
// Pure functions: plain data in and out.
import type { Span } from "../engine/native_autograd.ts";

/** One operator, node of a backward, step or named block. Times in milliseconds from the start of the recording. */
export interface ProfilerEvent {
  readonly name: string;
  readonly scope: Span["scope"];
  /** The index of its caller among the events; -1 for none. */
  readonly parent: number;
  readonly sequence: number;
  readonly beginMs: number;
  readonly endMs: number;
  /** Time on the host, with the calls inside. For a device that queues its work, it is the time of queueing. */
  readonly cpuTimeMs: number;
  readonly selfCpuTimeMs: number;
  /** Time on the device; 0 if none was recorded. */
  readonly deviceTimeMs: number;
  readonly selfDeviceTimeMs: number;
  /** Time from the host's call until the device began with it, which it spent in the queue. */
  readonly queueTimeMs: number;
  readonly deviceBeginMs: number | null;
  /** Bytes that remain allocated on the host, including those of calls inside; negative if more were freed. */
  readonly cpuMemoryBytes: number;
  readonly selfCpuMemoryBytes: number;
  readonly deviceMemoryBytes: number;
  readonly selfDeviceMemoryBytes: number;
  /** `[[2, 3], [3]]`; empty unless shapes were recorded. */
  readonly inputShapes: string;
  /** Lines of the user's code, the innermost first. For a node they are those of the operator that recorded it. */
  readonly stack: readonly string[];
}

const linesOf = (stack: string): string[] =>
  stack === "" ? [] : stack.split("\n").map((line) => line.replace(/^ +at /, ""));

/** Taken from the nearest caller that has lines. */
function stackOf(spans: readonly Span[], at: number, forwards: ReadonlyMap<number, number>): string {
  for (let each = at; each >= 0; each = spans[each]!.parent) {
    const { scope, sequence, stack } = spans[each]!;
    const forward = scope === "backward" ? forwards.get(sequence) : undefined;
    if (forward !== undefined) return stackOf(spans, forward, new Map());
    if (stack !== "") return stack;
  }
  return "";
}

/**
 * The operators that recorded a node, by the number that both share. Every operator has the number of the next node,
 * even one that records none; so the last operator with a number made the node.
 */
export function forwardsOf(spans: readonly Pick<Span, "scope" | "sequence">[]): Map<number, number> {
  const forwards = new Map<number, number>();
  for (const [at, { scope, sequence }] of spans.entries())
    if (scope === "operator" && sequence >= 0) forwards.set(sequence, at);
  return forwards;
}

export function eventsOf(spans: readonly Span[]): ProfilerEvent[] {
  const inner = spans.map(() => ({ cpuMs: 0, deviceMs: 0, hostBytes: 0, deviceBytes: 0 }));
  const deviceMs = ({ deviceBeginMs, deviceEndMs }: Span): number =>
    deviceBeginMs === undefined || deviceEndMs === undefined ? 0 : deviceEndMs - deviceBeginMs;
  for (const span of spans) {
    const outer = inner[span.parent];
    if (outer === undefined) continue;
    outer.cpuMs += span.endMs - span.beginMs;
    outer.deviceMs += deviceMs(span);
    outer.hostBytes += span.hostBytes;
    outer.deviceBytes += span.deviceBytes;
  }
  const forwards = forwardsOf(spans);
  return spans.map((span, at) => {
    const { cpuMs, deviceMs: innerDeviceMs, hostBytes, deviceBytes } = inner[at]!;
    const cpuTimeMs = span.endMs - span.beginMs;
    const deviceTimeMs = deviceMs(span);
    return {
      name: span.name,
      scope: span.scope,
      parent: span.parent,
      sequence: span.sequence,
      beginMs: span.beginMs,
      endMs: span.endMs,
      cpuTimeMs,
      selfCpuTimeMs: Math.max(0, cpuTimeMs - cpuMs),
      deviceTimeMs,
      selfDeviceTimeMs: Math.max(0, deviceTimeMs - innerDeviceMs),
      queueTimeMs: span.deviceBeginMs === undefined ? 0 : Math.max(0, span.deviceBeginMs - span.beginMs),
      deviceBeginMs: span.deviceBeginMs ?? null,
      cpuMemoryBytes: span.hostBytes,
      selfCpuMemoryBytes: span.hostBytes - hostBytes,
      deviceMemoryBytes: span.deviceBytes,
      selfDeviceMemoryBytes: span.deviceBytes - deviceBytes,
      inputShapes: span.shapes,
      stack: linesOf(stackOf(spans, at, forwards)),
    };
  });
}
