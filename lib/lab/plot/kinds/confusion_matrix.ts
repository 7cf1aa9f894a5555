// `lab.plot.confusionMatrix`: how often each class was predicted as each class. A row is a true class, and the colour
// shows the share of that row, so that rare classes are visible too.
import type { Tensor } from "../../../torch/types/index.ts";
import { describe, isRecord } from "../../../torch/vocabulary/arguments.ts";
import { readOptions } from "../../../torch/vocabulary/options.ts";
import { countText } from "../../../words.ts";
import { type ClassCounts, type Classes, countClasses, readCounts } from "../class_counts.ts";
import { FRAME, type FrameOptions } from "../frame_options.ts";
import { namesRule, turned } from "../labels.ts";
import { isListOfNumbers, type Matrix } from "../numbers.ts";
import { makePlot, type Plot } from "../plot.ts";
import { frame, textWidth } from "../../../charts/plot_style.ts";

/** Options of `lab.plot.confusionMatrix`. */
export interface ConfusionMatrixOptions extends FrameOptions {
  /** Names of the classes, in order. Default: their indices; if classes are given as strings, the strings. */
  readonly labels?: readonly string[];
}

const RULES = { ...FRAME, labels: namesRule() } as const;

/** With more classes than this, cells are too narrow for their counts. */
const MAX_COUNTED = 16;
/** Pixels for the name of a class. */
const NAME_WIDTH = 130;
const MAX_SIDE = 400;
/** From this share of its row on, a cell is so dark that white text is easier to read than black. */
const WHITE_FROM = 0.75;

/**
 * Draws a confusion matrix: from true and predicted classes (indices or names; the predictions may also be logits of
 * [N, classes], of which the greatest decides), or from a matrix of counts with a row for each true class.
 *
 * @throws TypeError for values that are not classes, RangeError where numbers or labels do not match, and for more than
 *   64 classes
 */
export function confusionMatrix(
  target: Classes,
  predicted: Classes | Tensor,
  options?: ConfusionMatrixOptions,
): Plot;
export function confusionMatrix(counts: Matrix, options?: ConfusionMatrixOptions): Plot;
export function confusionMatrix(
  given: Classes | Matrix,
  second?: Classes | Tensor | ConfusionMatrixOptions,
  third?: ConfusionMatrixOptions,
): Plot {
  const call = "lab.plot.confusionMatrix";
  const ofClasses = isListOfNumbers(second);
  if (!ofClasses && second !== undefined && !isRecord(second))
    throw new TypeError(`${call}: predicted must be a list of classes or a Tensor, got ${describe(second)}.`);
  const read = readOptions(call, ofClasses ? third : (second as ConfusionMatrixOptions | undefined), RULES);
  const counts = ofClasses
    ? countClasses(call, given, second, read.labels)
    : readCounts(call, given, read.labels);
  return draw(counts, read);
}

/** How often one true class was predicted as one class. */
interface Cell {
  readonly target: string;
  readonly predicted: string;
  readonly count: number;
  /** The share of all items of the true class. */
  readonly share: number;
}

function cellsOf({ names, counts }: ClassCounts): Cell[] {
  return names.flatMap((target, row) => {
    const ofRow = counts.subarray(row * names.length, (row + 1) * names.length);
    const all = ofRow.reduce((sum, count) => sum + count, 0);
    return Array.from(ofRow, (count, column) => ({
      target,
      predicted: names[column]!,
      count,
      share: all === 0 ? 0 : count / all,
    }));
  });
}

/** `86.2% of 2,000 right; most often mistaken: 4 for 5, 10 times` */
function findingOf(cells: readonly Cell[]): string {
  const sum = (of: readonly Cell[]) => of.reduce((total, { count }) => total + count, 0);
  const right = cells.filter(({ target, predicted }) => target === predicted);
  const [wrong] = cells
    .filter(({ target, predicted }) => target !== predicted)
    .toSorted((a, b) => b.count - a.count);
  const accuracy = `${percent(sum(right) / sum(cells))} of ${countText(sum(cells))} right`;
  if (wrong === undefined || wrong.count === 0) return `${accuracy}; no mistake`;
  const times = wrong.count === 1 ? "once" : `${countText(wrong.count)} times`;
  return `${accuracy}; most often mistaken: ${wrong.target} for ${wrong.predicted}, ${times}`;
}

function draw(
  table: ClassCounts,
  options: {
    readonly title: string | undefined;
    readonly width: number | undefined;
    readonly height: number | undefined;
  },
): Plot {
  const { names } = table;
  const classes = names.length;
  const rows = cellsOf(table);
  const finding = findingOf(rows);
  const widest = Math.min(NAME_WIDTH, Math.max(...names.map((name) => textWidth(name))));
  const cell = Math.min(
    64,
    Math.max(widest + 8, 36),
    Math.floor(Math.max(MAX_SIDE - Math.max(0, widest - 60), 200) / classes),
  );
  const side = Math.max(80, cell * classes);
  const size = {
    width: options.width ?? side,
    height: options.height ?? Math.min(side, Math.max(80, 32 * classes)),
  };
  const isCounted =
    classes <= MAX_COUNTED &&
    Math.max(...rows.map(({ count }) => textWidth(countText(count)))) <= size.width / classes;
  const axis = { ticks: false, domain: false, grid: false, labelOverlap: "parity", labelLimit: NAME_WIDTH };
  const domain = { domain: names, paddingInner: 0.03, paddingOuter: 0 };
  return makePlot(
    {
      ...frame(options.title ?? "Confusion matrix", [finding], size),
      data: { values: rows },
      encoding: {
        x: {
          field: "predicted",
          type: "nominal",
          sort: null,
          scale: domain,
          axis: { ...axis, title: "predicted", ...turned(names, size.width / classes) },
        },
        y: {
          field: "target",
          type: "nominal",
          sort: null,
          scale: domain,
          axis: {
            ...axis,
            title: "true",
            titleAngle: 0,
            titleAlign: "right",
            titleX: -8,
            titleY: -6,
            titleBaseline: "bottom",
          },
        },
      },
      layer: [
        {
          mark: { type: "rect" },
          encoding: {
            color: {
              field: "share",
              type: "quantitative",
              scale: { scheme: "blues", domain: [0, 1] },
              legend: {
                title: "share of row",
                format: ".0%",
                tickCount: 3,
                gradientLength: Math.max(60, Math.min(140, size.height - 30)),
              },
            },
            tooltip: [
              { field: "target", type: "nominal", title: "true" },
              { field: "predicted", type: "nominal" },
              { field: "count", type: "quantitative", format: "," },
              { field: "share", type: "quantitative", title: "share of row", format: ".1%" },
            ],
          },
        },
        ...(isCounted
          ? [
              {
                mark: { type: "text", baseline: "middle" },
                encoding: {
                  text: { field: "count", type: "quantitative", format: "," },
                  color: {
                    condition: { test: `datum.share > ${WHITE_FROM}`, value: "white" },
                    value: "black",
                  },
                },
              },
            ]
          : []),
      ],
    },
    `${finding}.`,
  );
}

/** Rounded down, so that 99.96% does not read as 100%. */
function percent(share: number): string {
  return `${Math.floor(share * 1000) / 10}%`;
}
