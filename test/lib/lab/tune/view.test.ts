// Tests how the result of `lab.tune` is shown: as a table, on charts, and in the output of a cell while it runs.
import { inspect } from "node:util";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { installOutputSink } from "../../../../lib/display.ts";
import { lab, torch } from "../../../../lib/index.ts";
import { batchChart, gainChart } from "../../../../lib/lab/tune/chart.ts";
import { useScriptedClock } from "../scripted_device.ts";
import { ScriptedSink } from "../scripted_sink.ts";
import { svgOf, titleOf } from "../vega.ts";
import { QUICK, training } from "./scripted_training.ts";

const VEGA = "application/vnd.vegalite.v5+json";

beforeEach(() => {
  useScriptedClock();
  torch.setNumThreads(2);
});
afterEach(() => vi.useRealTimers());

const tuneThreads = (options: lab.TuneOptions = {}) =>
  lab.tune(
    training(({ threads, casts }) => (threads === 1 ? 4 : 9) + (casts ? 5 : 0)),
    { ...QUICK, only: ["threads", "autocast"], threads: [1], ...options },
  );

it("the table has a row for each value, then why, then the code", async () => {
  const tuned = await tuneThreads();
  const text = inspect(tuned).replace(/\d+(\.\d+)? (B|KiB)/g, (size) => size.replace(/[\d.]/g, "0"));
  expect(text).toContain(
    "tune on cpu: 2.00 times as many samples a second, by threads; spread is half the distance between the quartiles of the windows, or between the turns\n",
  );
  expect(text).toMatch(/^\* threads +1 +5 ms +6,400 +\+100% .* kept$/m);
  expect(text).toMatch(/^ {2}autocast +bfloat16 .* no gain$/m);
  expect(text).toContain("\nNot asked for: batch, numWorkers, checkpoint, capture, channelsLast.\n");
  expect(text).toContain("\ntorch.setNumThreads(1); // 2 -> 1: +100% samples a second, spread 0%\n");
  expect(JSON.parse(JSON.stringify(tuned))).toEqual(tuned);
});

it("the chart has each value with its verdict, and no chart where nothing was measured", async () => {
  const tuned = await tuneThreads();
  const chart = gainChart(tuned)!;
  expect(titleOf(chart.specification).text).toBe("What each change gains · tune · cpu");
  expect(chart.summary).toBe("tune on cpu: 2.00 times as many samples a second, by threads.");
  const svg = await svgOf(chart.specification);
  for (const text of ["threads 1", "autocast bfloat16", "kept", "no gain"])
    expect(svg).toContain(`>${text}<`);
  expect(gainChart({ ...tuned, knobs: [] })).toBeNull();
  expect(batchChart(tuned)).toBeNull();
});

it("a cell shows progress, then the table and the chart with its picture, in one place", async () => {
  const sink = new ScriptedSink();
  installOutputSink(sink);
  const tuned = await tuneThreads({ show: true });
  await sink.settled();
  const [table, chart, ...more] = sink.outputs();
  expect(more).toEqual([]);
  expect(String(sink.shown[0]!.data["text/plain"])).toMatch(
    /^tune: 0 points, now (threads|autocast) \w+, turn 1$/,
  );
  expect(String(table!.data["text/html"])).toContain("<pre");
  expect(Object.keys(chart!.data).toSorted()).toEqual([VEGA, "image/png", "text/plain"]);
  expect(sink.held[0]).toBe(tuned);
});
