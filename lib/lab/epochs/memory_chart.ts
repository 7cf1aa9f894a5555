// Draws the memory chart of one epoch loop. It shows what tensors and the allocator hold, as a sawtooth that drops at
// each flush, with each epoch's peak and the recommended limit.
import { type Chart, highest } from "../../charts/chart.ts";
import { chartTitle, cutEpoch, type DrawnLoop, groups } from "./drawn_loop.ts";
import {
  COLOR,
  integerTicks,
  type Label,
  labelsLayer,
  measureAxis,
  PLOT,
  type Specification,
  wrapped,
} from "../../charts/chart_style.ts";
import { warningLayers } from "../../charts/warning.ts";
import {
  allocationPeaks,
  driverSteps,
  flushMarks,
  limitRule,
  peaks,
  pointerColumns,
  placedMarks,
  stepMarks,
} from "./memory_chart_layers.ts";
import { growthText, riseParts } from "./growth_text.ts";
import type { EpochRecord } from "../../records/epochs.ts";
import { byteUnit, formatBytes, formatShare } from "../../units.ts";
import { counted } from "../../words.ts";

/** A limit above this multiple of the data is only named in words; drawn, it would flatten the data. */
const LIMIT_IN_SIGHT = 2.5;

export function memoryChart(loop: DrawnLoop): Chart {
  const { epochs, marks } = loop;
  const last = epochs.at(-1) as EpochRecord;
  // The ledger may have been cleared while the loop ran.
  const [begin, end] = [(epochs[0] as EpochRecord).epoch, last.epoch + 1];
  const { recommendedBytes } = last.after;
  const peakBytes = highest(epochs.map((record) => record.before.peakBytes));
  const highestBytes = Math.max(peakBytes, highest(epochs.map((record) => record.before.driverBytes)));
  const limitInSight = recommendedBytes > 0 && recommendedBytes <= LIMIT_IN_SIGHT * highestBytes;
  const topBytes = Math.max(highestBytes, limitInSight ? recommendedBytes : 0, 1) * 1.08;
  const unit = byteUnit(topBytes);
  const scaled = (bytes: number): number => bytes / unit.size;

  const drawn = groups(epochs);
  const shownMarks = placedMarks(drawn.groups, marks, scaled);
  const flushed = drawn.groups.filter((group) => group.some((record) => record.collection !== "none"));
  const layers: Specification[] = [
    ...driverSteps(drawn.groups, flushed.length > 0, scaled),
    peaks(drawn.groups, scaled),
    allocationPeaks(drawn.groups, shownMarks, scaled),
  ];
  if (flushed.length > 0) layers.push(...flushMarks(flushed, scaled));
  if (limitInSight) layers.push(limitRule(scaled(recommendedBytes)));
  if (shownMarks.length > 0) layers.push(...stepMarks(end, shownMarks, scaled(topBytes)));

  const label = (name: string, color: string, bytes: number, symbol: Label["symbol"] = "line"): Label => ({
    text: `${name} ${formatBytes(bytes)}`,
    color,
    y: scaled(bytes),
    symbol,
  });
  const labels: Label[] = [
    label("driver", COLOR.purple, last.before.driverBytes),
    label("peak", COLOR.blue, last.before.peakBytes, "dashed"),
    label("allocated", COLOR.blue, last.after.allocatedBytes),
  ];
  if (flushed.length > 0) {
    labels.push(
      { text: "flush", color: COLOR.green, y: 0, symbol: "triangle" },
      // The dashes, which show what each flush left.
      label("driver left", COLOR.purple, last.after.driverBytes, "dash"),
    );
  }
  if (shownMarks.length > 0)
    labels.push({ text: "lab.mark", color: COLOR.vermillion, y: 0, symbol: "diamond" });
  if (limitInSight) labels.push(label("limit", COLOR.vermillion, recommendedBytes, "dashed"));
  layers.push(labelsLayer(labels, end, scaled(topBytes)), pointerColumns(drawn.groups));

  const cut = cutEpoch(epochs);
  const verdict = describeGrowth(loop);
  const rise = riseParts(epochs, loop.holders);
  if (rise !== null) layers.push(...warningLayers(rise.word, rise.rate));
  const limit = describeLimit(recommendedBytes, highestBytes);
  return {
    specification: {
      $schema: "https://vega.github.io/schema/vega-lite/v5.json",
      title: {
        text: chartTitle("Memory", loop),
        subtitle: wrapped(
          [
            ...(rise === null ? [verdict] : rise.details),
            limitInSight ? [] : limit,
            cut === null ? [] : `epoch ${cut.epoch + 1} was cut`,
            loop.guess === undefined ? [] : `taken for an epoch loop: ${loop.guess}`,
            drawn.size > 1 ? `one step is ${drawn.size} epochs` : [],
          ].flat(),
        ),
      },
      ...PLOT,
      encoding: {
        x: {
          type: "quantitative",
          scale: { domain: [begin, end], nice: false },
          axis: {
            title: "epochs completed",
            values: integerTicks(begin, end),
            format: "d",
            grid: false,
          },
        },
        y: measureAxis(scaled(topBytes), unit.name),
      },
      layer: layers,
    },
    summary:
      `Memory of ${counted(epochs.length, "epoch")} on ${last.device}: ` +
      `${formatBytes(last.after.allocatedBytes)} allocated at the end, peak ${formatBytes(peakBytes)}, ` +
      `driver ${formatBytes(last.after.driverBytes)}; ${limit}; ${verdict}${cut === null ? "" : `; epoch ${cut.epoch + 1} was cut`}.`,
  };
}

function describeGrowth({ epochs, holders = [] }: DrawnLoop): string {
  if (epochs.every((record) => record.collection === "none")) return "no flush, so no verdict on growth";
  return growthText(epochs, holders);
}

function describeLimit(recommendedBytes: number, highestBytes: number): string {
  if (recommendedBytes <= 0) return "no recommended limit";
  return `recommended limit ${formatBytes(recommendedBytes)}, used to ${formatShare(highestBytes / recommendedBytes)}`;
}
