// Every text of every chart of the lab is at least 12 pixels high, and has a contrast of 4.5 with what is behind it, on
// a light page and on a dark one. Computed from the SVG that the specification becomes.
import { describe, expect, it } from "vitest";
import { stacked } from "../../../lib/charts/chart.ts";
import type { Specification } from "../../../lib/charts/chart_style.ts";
import { memoryChart } from "../../../lib/lab/epochs/memory_chart.ts";
import { metricsChart } from "../../../lib/lab/epochs/metrics_chart.ts";
import { timingChart } from "../../../lib/lab/epochs/timing_chart.ts";
import * as sweep from "../../../lib/record_charts/batch_sweep_chart.ts";
import { resultOf } from "../../../lib/records/batch_sweeps/result.ts";
import { epochRecords, type RecordChange } from "../lab/epoch_records.ts";
import { MIB, outOfMemory, record } from "../lab/sweep/records.ts";
import { svgOf } from "../lab/vega.ts";

/** JupyterLab's two pages, and its text on them: black and white of 87%. */
const PAGES = [
  { background: 0xff, text: 0xff * 0.13 },
  { background: 0x11, text: 0xff * 0.87 + 0x11 * 0.13 },
];
/** The ground of a warning, with white text on it. */
const WARNING = "#B04A00";

function epochsChart(count: number, change: (epoch: number) => RecordChange): Specification {
  const epochs = epochRecords(count, (epoch) => ({ ...change(epoch), metrics: { loss: 1 / epoch } }));
  const mark = { tag: "forward", loop: 0, epoch: 0, atMs: 50, sample: epochs[0]!.before };
  const loop = { epochs, marks: [mark], run: 1, holders: ["kept"] };
  return stacked([metricsChart(loop)!, memoryChart(loop), timingChart(loop)]).specification;
}

const leak = (epoch: number): RecordChange => ({ after: { allocatedBytes: (10 + epoch) * MIB } });
const cut = (epoch: number): RecordChange => ({ cut: epoch === 4, after: { recommendedBytes: 60 * MIB } });

const points = [64, 128, 256].map((batch) => record(batch, { rate: 10 * batch }));
const result = resultOf({
  name: "tour",
  device: "mps",
  seed: 0,
  points: [...points, outOfMemory(512)],
  ends: [],
  resumedPoints: 0,
  cutOffPoints: [],
  journal: null,
});

const CHARTS: readonly (readonly [string, Specification])[] = [
  ["one epoch", epochsChart(1, () => ({}))],
  ["five epochs with a leak", epochsChart(5, leak)],
  ["five epochs with a limit, the last one cut", epochsChart(5, cut)],
  ["fifty epochs", epochsChart(50, () => ({}))],
  ["the throughput of a sweep", sweep.throughputChart(result)!.specification],
  ["the memory of a sweep", sweep.memoryChart(result)!.specification],
];

describe.each(CHARTS)("%s", (_name, specification) => {
  it("can be read in both themes", async () => {
    const texts = textsOf(await svgOf(specification));
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter(({ size }) => size < 12)).toEqual([]);
    expect(texts.filter((text) => lowestContrast(text) < 4.5)).toEqual([]);
  });
});

interface DrawnText {
  readonly text: string;
  readonly size: number;
  readonly fill: string;
}

function textsOf(svg: string): DrawnText[] {
  return [...svg.matchAll(/<text ([^>]*)>([^<]+)<\/text>/g)].map(([, attributes, text]) => {
    const value = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes!)?.[1] ?? "";
    return { text: text!, size: Number.parseFloat(value("font-size")), fill: value("fill") };
  });
}

function lowestContrast({ fill }: DrawnText): number {
  if (fill === "white") return contrast(luminanceOf(WARNING), 1);
  return Math.min(
    ...PAGES.map(({ background, text }) =>
      contrast(grey(background), fill === "currentColor" ? grey(text) : luminanceOf(fill)),
    ),
  );
}

/** WCAG 2's contrast of two luminances. */
function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function luminanceOf(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => grey(Number.parseInt(color.slice(at, at + 2), 16)));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** The luminance of a level from 0 to 255. */
function grey(level: number): number {
  const share = level / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
