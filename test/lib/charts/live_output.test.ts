// When an output that is replaced while work goes on is replaced: the page and the loop shall both have time.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LiveOutput } from "../../../lib/charts/live_output.ts";
import { ScriptedSink } from "../lab/scripted_sink.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Asks for an update every 10 ms. @returns how many are shown, each of which takes as long as it says */
function shown(seconds: number, tookMs: (update: number) => number = () => 0): number {
  const sink = new ScriptedSink();
  const output = new LiveOutput(sink);
  const endMs = performance.now() + 1000 * seconds;
  while (performance.now() < endMs) {
    output.update(() => {
      vi.advanceTimersByTime(tookMs(sink.shown.length));
      return { "text/plain": "a chart" };
    });
    vi.advanceTimersByTime(10);
  }
  return sink.shown.length;
}

it("is replaced four times a second in the first five seconds", () => {
  // At once, and then every 250 ms or up to 10 ms later.
  expect(shown(5)).toBeGreaterThanOrEqual(20);
  expect(shown(5)).toBeLessThanOrEqual(21);
});

it("is replaced more rarely as the work goes on, and in a long run every two seconds", () => {
  const inTheFirstMinute = shown(60);
  expect(inTheFirstMinute).toBeLessThan(80);
  expect(shown(3600) - inTheFirstMinute).toBeCloseTo((3600 - 60) / 2, -2);
});

it("is replaced no more rarely after one update that takes long, as the first does", () => {
  expect(shown(5, (update) => (update === 0 || update === 10 ? 300 : 0))).toBeGreaterThan(16);
});

it("is replaced so rarely that drawing takes 2% of the time", () => {
  // 100 ms at once, again after 250 ms, and then every 5 s.
  expect(shown(60, () => 100)).toBe(13);
});
