// Adds up the time in which a device was busy, from the events of a recording. Plain data in and out.
import type { ProfilerEvent } from "../../../torch/profiler/events.ts";

type Timed = Pick<ProfilerEvent, "parent" | "deviceBeginMs" | "deviceTimeMs">;

/**
 * The time in which at least one operator ran. Operators that called others are left out, because the device may be
 * idle between the calls.
 */
export function busyMs(events: readonly Timed[]): number {
  const callers = new Set(
    events.flatMap(({ parent, deviceBeginMs }) => (deviceBeginMs === null ? [] : [parent])),
  );
  const spans = events
    .flatMap(({ deviceBeginMs, deviceTimeMs }, at) =>
      deviceBeginMs === null || callers.has(at)
        ? []
        : [{ beginMs: deviceBeginMs, endMs: deviceBeginMs + deviceTimeMs }],
    )
    .toSorted((a, b) => a.beginMs - b.beginMs);
  let busy = 0;
  let untilMs = Number.NEGATIVE_INFINITY;
  for (const { beginMs, endMs } of spans) {
    busy += Math.max(0, endMs - Math.max(beginMs, untilMs));
    untilMs = Math.max(untilMs, endMs);
  }
  return busy;
}
