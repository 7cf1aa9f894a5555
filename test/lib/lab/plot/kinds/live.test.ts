// `lab.plot.live`: what a notebook gets while a loop runs and when its cell ends, and what is printed elsewhere.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { inspect } from "node:util";
import { installOutputSink, outputSink } from "../../../../../lib/display.ts";
import { lab, torch } from "../../../../../lib/index.ts";
import { cellEnded, cellStarted } from "../../../../../lib/session.ts";
import { ScriptedSink } from "../../scripted_sink.ts";

const VEGA_LITE = "application/vnd.vegalite.v5+json";
const before = outputSink();
let sink: ScriptedSink;
beforeEach(() => {
  sink = new ScriptedSink();
  installOutputSink(sink);
  cellStarted("Cell [1]");
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
  cellEnded();
  installOutputSink(before);
});

const rows = (bundle: unknown) => (bundle as { data: { values: { x: number; y: number }[] } }).data.values;

describe("a live chart", () => {
  it("is sent at most four times a second, without its picture, always in one place", () => {
    const chart = lab.plot.live({ y: "loss" });
    for (let step = 0; step < 100; step++) {
      chart.add(100 - step);
      vi.advanceTimersByTime(10);
    }
    // One second: at 0, and about every 250 ms.
    expect(sink.shown.length).toBeGreaterThanOrEqual(3);
    expect(sink.shown.length).toBeLessThanOrEqual(5);
    expect(sink.shown.map(({ data }) => Object.keys(data).join())).toEqual(
      sink.shown.map(() => `${VEGA_LITE},text/plain`),
    );
    expect(new Set(sink.shown.map(({ options }) => options.displayId)).size).toBe(1);
    expect(sink.shown.map(({ options }) => options.update)).toEqual(sink.shown.map((_, at) => at > 0));
  });

  it("shows the last point of a loop that pauses", () => {
    const chart = lab.plot.live();
    chart.add(1);
    chart.add(2);
    expect(sink.shown.length).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(rows(sink.shown.at(-1)!.data[VEGA_LITE]).map(({ y }) => y)).toEqual([1, 2]);
  });

  it("gets its picture when the cell ends, for which the cell waits", async () => {
    vi.useRealTimers();
    const chart = lab.plot.live({ x: "step", y: "loss" });
    chart.add({ train: 3, validation: torch.tensor(4) });
    chart.add({ train: 2, validation: torch.tensor(3) });
    cellEnded();
    await sink.settled();
    const last = sink.shown.at(-1)!;
    expect(Object.keys(last.data)).toEqual([VEGA_LITE, "image/png", "text/plain"]);
    expect(last.options.update).toBe(true);
    expect(last.data["text/plain"]).toMatch(
      /^loss by step: train 3 to 2 over 2 values, .*; validation 4 to 3 over/,
    );
    // As the cell's value it would be shown twice.
    expect(sink.held).toContain(chart);
    // The next cell draws it no more.
    const count = sink.shown.length;
    cellStarted("Cell [2]");
    cellEnded();
    await sink.settled();
    expect(sink.shown.length).toBe(count);
  });

  it("is a plot at any time, at positions that are given", () => {
    const chart = lab.plot.live({ title: "Run" });
    chart.add(1, 10);
    chart.add(3, 20);
    expect(rows(chart.plot)).toEqual([
      { series: "", x: 10, y: 1 },
      { series: "", x: 20, y: 3 },
    ]);
    expect(inspect(chart)).toBe("Run: 1 to 3 over 2 values, lowest 1 at step 10, highest 3 at step 20.");
  });

  it("waits for the first number where a loss begins with NaN", () => {
    const chart = lab.plot.live();
    chart.add(NaN);
    expect(sink.shown).toEqual([]);
    vi.advanceTimersByTime(1000);
    chart.add(1);
    expect(sink.shown.length).toBe(1);
  });

  it("prints its line outside of a notebook, once", () => {
    sink.live = false;
    const chart = lab.plot.live();
    chart.add(1);
    chart.add(2);
    expect(sink.shown).toEqual([]);
    chart.end();
    expect(sink.shown.map(({ data }) => data)).toEqual([
      { "text/plain": "value by step: 1 to 2 over 2 values, lowest 1 at step 0, highest 2 at step 1." },
    ]);
  });

  it.each<[string, (chart: ReturnType<typeof lab.plot.live>) => void, string]>([
    ["a text", (chart) => chart.add("1" as never), 'lab.plot.live: add: values must be a number, got "1".'],
    [
      "nothing",
      (chart) => chart.add(undefined as never),
      "lab.plot.live: add: values must be a number, got undefined.",
    ],
    [
      "a name's missing number",
      (chart) => chart.add({ train: undefined } as never),
      "lab.plot.live: add: values.train must be a number, got undefined.",
    ],
    [
      "a tensor of two elements",
      (chart) => chart.add(torch.ones([2])),
      "lab.plot.live: add: values must be a number, got a tensor of shape [2].",
    ],
    [
      "names after a number without one",
      (chart) => {
        chart.add(1);
        chart.add({ train: 1 });
      },
      "lab.plot.live: add: values is an object, and the points before had no name.",
    ],
    [
      "a step that is none",
      (chart) => chart.add(1, NaN),
      "lab.plot.live: add: step must be a number, got NaN.",
    ],
  ])("refuses %s", (_, add, message) => {
    expect(() => add(lab.plot.live())).toThrow(message);
  });
});
