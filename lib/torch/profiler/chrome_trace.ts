// Writes events in Chrome's trace format, for chrome://tracing and Perfetto. "Trace Event Format" (Chromium's
// documents) describes it; the names of categories and arguments are PyTorch's. Pure functions.
import { forwardsOf, type ProfilerEvent } from "./events.ts";

const HOST = 0;
const DEVICE = 1;

const CATEGORY = { operator: "cpu_op", backward: "cpu_op", user: "user_annotation" } as const;

/** `microseconds` since the recording began, as the format wants them. */
const us = (ms: number): number => Math.round(ms * 1e6) / 1e3;

export function chromeTrace(events: readonly ProfilerEvent[], device: string | null): string {
  const pid = process.pid;
  const traceEvents: object[] = [
    { ph: "M", name: "process_name", pid, tid: HOST, args: { name: "mpslab" } },
    { ph: "M", name: "thread_name", pid, tid: HOST, args: { name: "JavaScript" } },
  ];
  if (device !== null)
    traceEvents.push({ ph: "M", name: "thread_name", pid, tid: DEVICE, args: { name: device } });
  for (const event of events) {
    const { name, scope, beginMs, cpuTimeMs, inputShapes, stack, sequence } = event;
    const args = {
      ...(inputShapes === "" ? {} : { "Input Dims": JSON.parse(inputShapes) as unknown }),
      ...(stack.length === 0 ? {} : { "Call stack": stack.join(";") }),
      ...(sequence < 0 ? {} : { "Sequence number": sequence }),
      ...(event.cpuMemoryBytes === 0 ? {} : { Bytes: event.cpuMemoryBytes }),
    };
    const timed = { name, pid, ph: "X", cat: CATEGORY[scope], args };
    traceEvents.push({ ...timed, tid: HOST, ts: us(beginMs), dur: us(cpuTimeMs) });
    if (event.deviceBeginMs !== null)
      traceEvents.push({
        ...timed,
        cat: "kernel",
        tid: DEVICE,
        ts: us(event.deviceBeginMs),
        dur: us(event.deviceTimeMs),
      });
  }
  traceEvents.push(...flows(events, pid));
  return JSON.stringify({ schemaVersion: 1, displayTimeUnit: "ms", traceEvents });
}

/** Arrows from what was recorded to its backward. */
function flows(events: readonly ProfilerEvent[], pid: number): object[] {
  const forwards = forwardsOf(events);
  return events.flatMap(({ scope, sequence, beginMs }) => {
    const forward = scope === "backward" ? forwards.get(sequence) : undefined;
    if (forward === undefined) return [];
    const arrow = { name: "fwdbwd", cat: "fwdbwd", id: sequence, pid, tid: HOST };
    return [
      { ...arrow, ph: "s", ts: us(events[forward]!.beginMs) },
      { ...arrow, ph: "f", bp: "e", ts: us(beginMs) },
    ];
  });
}
