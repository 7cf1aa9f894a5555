// `lab.plot.confusionMatrix`: how often each class was predicted as each class. A row is a true class, and the colour
// is the share of its row, so that rare classes are seen too.
import type { Tensor } from "../../torch/types/index.ts";
import { describe, isRecord, shapeText } from "../../torch/vocabulary/arguments.ts";
import { readOptions } from "../../torch/vocabulary/options.ts";
import { FRAME, type FrameOptions } from "./frame_options.ts";
import { labelsRule } from "./labels.ts";
import {
  isListOfNumbers,
  isTensor,
  type Matrix,
  type Numbers,
  readMatrix,
  readNumbers,
  type Rectangle,
} from "./numbers.ts";
import { makePlot, type Plot } from "./plot.ts";
import { frame, shortened, textWidth } from "./style.ts";
import { counted, countText } from "./words.ts";

/** Options of `lab.plot.confusionMatrix`. */
export interface ConfusionMatrixOptions extends FrameOptions {
  /** Names of the classes, in order. Default: their index; for strings the strings themselves. */
  readonly labels?: readonly string[];
}

/** Class indices, or names. */
export type Classes = Numbers | readonly string[];

const RULES = { ...FRAME, labels: labelsRule() } as const;

/** Cells that are wide enough for their counts. */
const MAX_COUNTED = 16;
const MAX_CLASSES = 64;
const MAX_SIDE = 400;
/** Shares of a row from which white is read better than black. */
const WHITE_FROM = 0.75;

/**
 * Draws a confusion matrix: of true and predicted classes (indices, names, or for the predicted ones logits of
 * [N, classes], of which the greatest counts), or of counts as a matrix with a row for each true class.
 *
 * @throws TypeError for what are no classes, RangeError where numbers or labels do not match, and for more than 64 classes
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
  const { counts, names } = ofClasses
    ? countClasses(call, given, second, read.labels)
    : { counts: readCounts(call, given), names: read.labels };
  return draw(call, counts, names, read);
}

function draw(
  call: string,
  { rows: classes, values }: Rectangle,
  given: readonly string[] | undefined,
  options: {
    readonly title: string | undefined;
    readonly width: number | undefined;
    readonly height: number | undefined;
  },
): Plot {
  if (classes > MAX_CLASSES)
    throw new RangeError(`${call}: ${classes} classes have no room; draw at most ${MAX_CLASSES}.`);
  if (given !== undefined && given.length !== classes)
    throw new RangeError(
      `${call}: labels has ${counted(given.length, "name")}, and there are ${counted(classes, "class").replace(/class(s)$/, "classes")}; give one for each.`,
    );
  const names = (given ?? Array.from({ length: classes }, (_, at) => String(at))).map((name) =>
    shortened(name, 18),
  );
  const total = values.reduce((sum, value) => sum + value, 0);
  if (total === 0) throw new RangeError(`${call}: there is nothing to draw: all counts are zero.`);
  const rows = names.flatMap((name, row) => {
    const all = values.subarray(row * classes, (row + 1) * classes).reduce((sum, value) => sum + value, 0);
    return names.map((predicted, column) => {
      const count = values[row * classes + column]!;
      return { target: name, predicted, count, share: all === 0 ? 0 : count / all };
    });
  });
  const right = names.reduce((sum, _, at) => sum + values[at * classes + at]!, 0);
  const wrong = rows
    .filter(({ target, predicted }) => target !== predicted)
    .toSorted((a, b) => b.count - a.count)[0];
  const accuracy = `${percent(right / total)} of ${countText(total)} right`;
  const mistake =
    wrong === undefined || wrong.count === 0
      ? "no mistake"
      : `most often mistaken: ${wrong.target} for ${wrong.predicted}, ${wrong.count === 1 ? "once" : `${countText(wrong.count)} times`}`;
  const widest = Math.max(...names.map((name) => textWidth(name)));
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
  // Names that would meet are left out: every second, every third.
  const axis = { ticks: false, domain: false, grid: false, labelOverlap: "parity" };
  const domain = { domain: names, paddingInner: 0.03, paddingOuter: 0 };
  return makePlot(
    {
      ...frame(options.title ?? "Confusion matrix", [`${accuracy}; ${mistake}`], size),
      data: { values: rows },
      encoding: {
        x: {
          field: "predicted",
          type: "nominal",
          sort: null,
          scale: domain,
          axis: { ...axis, title: "predicted" },
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
    `${accuracy}; ${mistake}.`,
  );
}

/** Rounded down, so that 99.96% are not all. */
function percent(share: number): string {
  return `${Math.floor(share * 1000) / 10}%`;
}

function readCounts(call: string, values: unknown): Rectangle {
  const counts = readMatrix(call, "counts", values);
  if (counts.rows !== counts.columns)
    throw new RangeError(
      `${call}: counts has ${counted(counts.rows, "row")} and ${counted(counts.columns, "column")}, and takes as many; pass true and predicted classes as two lists.`,
    );
  const wrong = counts.values.findIndex((value) => !(value >= 0 && Number.isFinite(value)));
  if (wrong >= 0)
    throw new RangeError(
      `${call}: counts[${Math.floor(wrong / counts.columns)}][${wrong % counts.columns}] is ${counts.values[wrong]}, and takes a count of at least 0.`,
    );
  return counts;
}

function countClasses(
  call: string,
  target: unknown,
  predicted: unknown,
  labels: readonly string[] | undefined,
) {
  const names: string[] = [...(labels ?? [])];
  const isNamed = [target, predicted].some(
    (list) => Array.isArray(list) && list.some((one) => typeof one === "string"),
  );
  const read = (name: string, list: unknown) =>
    isNamed ? indicesOfNames(call, name, list, names, labels) : readIndices(call, name, list);
  const [truth, guess] = [read("target", target), read("predicted", predicted)];
  if (truth.length !== guess.length)
    throw new RangeError(
      `${call}: target has ${counted(truth.length, "value")} and predicted ${countText(guess.length)}; give one prediction for each target.`,
    );
  if (truth.length === 0) throw new RangeError(`${call}: there is nothing to draw: the lists are empty.`);
  const greatest = Math.max(
    truth.reduce((a, b) => Math.max(a, b)),
    guess.reduce((a, b) => Math.max(a, b)),
  );
  const classes = isNamed ? names.length : Math.max(greatest + 1, labels?.length ?? 0);
  if (classes > MAX_CLASSES)
    throw new RangeError(`${call}: ${countText(classes)} classes have no room; draw at most ${MAX_CLASSES}.`);
  const values = new Float64Array(classes * classes);
  truth.forEach((row, at) => (values[row * classes + guess[at]!]! += 1));
  return { counts: { rows: classes, columns: classes, values }, names: isNamed ? names : labels };
}

function readIndices(call: string, name: string, list: unknown): Float64Array {
  const indices =
    name === "predicted" && isTensor(list) && list.shape.length === 2
      ? greatestOf(list)
      : readNumbers(call, name, list);
  const wrong = indices.findIndex((value) => !Number.isInteger(value) || value < 0);
  if (wrong >= 0)
    throw new RangeError(
      `${call}: ${name}[${wrong}] is ${indices[wrong]}, and takes the index of a class: 0, 1, ....`,
    );
  return indices;
}

function greatestOf(logits: Tensor): Float64Array {
  if (logits.shape[1] === 0)
    throw new RangeError(
      `lab.plot.confusionMatrix: predicted is of shape ${shapeText(logits.shape)}: logits of no class.`,
    );
  return readNumbers("lab.plot.confusionMatrix", "predicted", logits.argmax(1));
}

/** Names in the order of labels, else in that of their first use. */
function indicesOfNames(
  call: string,
  name: string,
  list: unknown,
  names: string[],
  labels: readonly string[] | undefined,
): Float64Array {
  return Float64Array.from(list as readonly unknown[], (one, at) => {
    if (typeof one !== "string")
      throw new TypeError(`${call}: ${name}[${at}] must be a string like the others, got ${describe(one)}.`);
    const index = names.indexOf(one);
    if (index >= 0) return index;
    if (labels !== undefined)
      throw new RangeError(`${call}: ${name}[${at}] is ${describe(one)}, which is none of the labels.`);
    return names.push(one) - 1;
  });
}
