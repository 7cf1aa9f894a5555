// When charts are shown, updated and completed with a picture. Pictures are drawn by the real thread.
import type { EpochLoopDescription } from "../../../../lib/contract.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ChartPlaces } from "../../../../lib/lab/epochs/epoch_charts.ts";
import type { LoopDisplay } from "../../../../lib/lab/epochs/epoch_loop.ts";
import type { EpochRecord } from "../../../../lib/records/epochs.ts";
import * as render from "../../../../lib/charts/render.ts";
import { epochRecords, type RecordChange } from "../epoch_records.ts";
import { useScriptedClock } from "../scripted_device.ts";
import { ScriptedSink, type Shown } from "../scripted_sink.ts";

const VEGA = "application/vnd.vegalite.v5+json";

let sink: ScriptedSink;
let places: ChartPlaces;

beforeEach(() => {
  useScriptedClock();
  sink = new ScriptedSink();
  places = new ChartPlaces();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const open = (description: Partial<EpochLoopDescription> = {}): LoopDisplay =>
  places.open({ variable: "epoch", line: 3, ...description }, sink);

/** A loop whose epochs take so long; `stop` ends it early, as break, throw and interrupt do. */
function runLoop(
  epochMs: number,
  count: number,
  display = open(),
  change?: (epoch: number) => RecordChange,
): void {
  const epochs: EpochRecord[] = [];
  const records = () => ({ epochs: [...epochs], marks: [], holders: [], combined: {} });
  for (const record of epochRecords(count, change)) {
    vi.advanceTimersByTime(epochMs);
    epochs.push(record);
    display.update(records);
  }
  display.finish(records);
}

const summary = (): unknown => sink.outputs()[0]?.data["text/plain"];

/** The titles of the charts in each output. */
const titles = (): string[][] =>
  sink.outputs().map(({ data }) => {
    const { vconcat } = data[VEGA] as { vconcat: { title: { text: string } }[] };
    return vconcat.map(({ title }) => title.text);
  });

describe("a finished loop", () => {
  it("leaves one output with its charts: one specification, one picture, a line for each chart", async () => {
    runLoop(1000, 5);
    await sink.settled();
    const outputs = sink.outputs();
    expect(outputs).toHaveLength(1);
    const [{ data, options }] = outputs as [Shown];
    expect(Object.keys(data).toSorted()).toEqual([VEGA, "image/png", "text/plain"]);
    expect(data[VEGA]).toMatchObject({ $schema: "https://vega.github.io/schema/vega-lite/v5.json" });
    expect(String(data["image/png"])).toMatch(/^iVBORw0KGgo/);
    expect(options.metadata).toEqual({
      "image/png": { width: expect.any(Number), height: expect.any(Number) },
    });
    expect(summary()).toMatch(/^Memory of 5 epochs on cpu: .+\nTime of 5 epochs on cpu: .+$/);
  });

  it("that logged metrics shows them first", async () => {
    runLoop(1000, 5, open(), (epoch) => ({ metrics: { loss: 1 / (epoch + 1) } }));
    await sink.settled();
    expect(titles()).toEqual([["Metrics by epoch · cpu", "Memory by epoch · cpu", "Time by epoch · cpu"]]);
    expect(summary()).toMatch(/^Metrics of 5 epochs on cpu: loss from 1 to 0.2\.\nMemory of /);
  });

  it("fits into 660 pixels, with any number of metrics", async () => {
    for (const count of [0, 1, 6]) {
      const metrics = Object.fromEntries(Array.from({ length: count }, (_, at) => [`metric ${at}`, at]));
      runLoop(1000, 5, open({ line: count }), () => ({ metrics }));
    }
    await sink.settled();
    for (const { options } of sink.outputs()) {
      const { width } = options.metadata!["image/png"] as { width: number };
      expect(width).toBeLessThanOrEqual(660);
    }
  });

  it("shows what the last update left out, together with the picture", async () => {
    runLoop(100, 5);
    expect(summary()).toMatch(/^Memory of 4 epochs/);
    await sink.settled();
    expect(summary()).toMatch(/^Memory of 5 epochs/);
    expect(sink.outputs()[0]!.data).toHaveProperty("image/png");
  });

  it("whose first epoch was torn off says that nothing is recorded", async () => {
    runLoop(1, 0);
    await sink.settled();
    expect(summary()).toBe("The first epoch was cut off: nothing is recorded.");
  });

  it("keeps its charts where no picture can be drawn, and says why", async () => {
    vi.spyOn(render, "renderPng").mockRejectedValue(new Error("the drawing thread ended"));
    runLoop(1000, 2);
    await sink.settled();
    const [shown] = sink.outputs();
    expect(Object.keys(shown!.data).toSorted()).toEqual([VEGA, "text/plain"]);
    expect(shown!.data["text/plain"]).toMatch(/ \(No picture: the drawing thread ended\.\)$/);
  });
});

describe("a running loop", () => {
  it("takes its place before the first epoch prints anything, and replaces what is there", () => {
    const display = open();
    expect(sink.shown.map(({ data }) => data)).toEqual([
      { "text/plain": "The first epoch is running. Its charts will stand here." },
    ]);
    runLoop(1000, 2, display);
    expect(sink.shown.map(({ options }) => options.update)).toEqual([false, true, true]);
    expect(new Set(sink.shown.map(({ options }) => options.displayId)).size).toBe(1);
  });

  it("keeps its place when the cell clears its output", () => {
    runLoop(1000, 2);
    expect(sink.shown.every(({ options }) => options.survivesClear)).toBe(true);
  });

  it("updates at most four times a second, with the specification alone", () => {
    runLoop(10, 100);
    // One second of epochs: the first at 10 ms, then every 250 ms.
    const updates = sink.shown.slice(1);
    expect(updates).toHaveLength(4);
    for (const { data } of updates) expect(Object.keys(data)).toEqual([VEGA, "text/plain"]);
  });

  it("updates less often where that would take more than 2% of the loop's time", () => {
    const display = sink.display.bind(sink);
    sink.display = (...shown) => {
      vi.advanceTimersByTime(20);
      display(...shown);
    };
    runLoop(100, 40);
    // Charts of 20 ms: the second 250 ms after the first, then a second of rest for each, so five in four seconds of epochs.
    expect(sink.shown.slice(1)).toHaveLength(5);
  });
});

describe("a loop that runs again in its cell", () => {
  it("draws over its charts and says which run it is", async () => {
    for (let rate = 0; rate < 3; rate++) runLoop(1000, 2);
    await sink.settled();
    expect(titles()).toEqual([["Memory by epoch · cpu · run 3", "Time by epoch · cpu · run 3"]]);
    expect(sink.outputs().every(({ data }) => "image/png" in data)).toBe(true);
  });

  it("keeps to four updates a second over all of its runs, and draws one picture", async () => {
    const drawn = vi.spyOn(render, "renderPng");
    for (let rate = 0; rate < 100; rate++) runLoop(10, 1);
    expect(sink.shown.slice(1)).toHaveLength(4);
    await sink.settled();
    expect(drawn).toHaveBeenCalledTimes(1);
    expect(titles()).toEqual([["Memory by epoch · cpu · run 100", "Time by epoch · cpu · run 100"]]);
  });

  it("is told from another loop of the cell by its line, and by its call of lab.epochs", () => {
    runLoop(1000, 1, open({ line: 3 }));
    runLoop(1000, 1, open({ line: 9 }));
    runLoop(1000, 1, open({ line: 0, site: "at a:1:1" }));
    runLoop(1000, 1, open({ line: 0, site: "at a:2:1" }));
    expect(sink.outputs()).toHaveLength(4);
  });

  it("has charts of its own in another run of the cell", () => {
    runLoop(1000, 1);
    sink.cell = "Cell [2]";
    runLoop(1000, 1);
    expect(sink.outputs()).toHaveLength(2);
  });
});

it("outside a notebook a loop prints its lines once, at the end, and draws nothing", async () => {
  sink.live = false;
  const drawn = vi.spyOn(render, "renderPng");
  runLoop(1000, 5);
  await sink.settled();
  expect(sink.shown.map(({ data }) => Object.keys(data))).toEqual([["text/plain"]]);
  expect(String(summary()).split("\n")).toHaveLength(2);
  expect(drawn).not.toHaveBeenCalled();
});
