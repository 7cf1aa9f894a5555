// Counts how often each class was predicted as each class, from indices, names, logits, or given counts.
import type { Tensor } from "../../torch/types/index.ts";
import { describe, shapeText } from "../../torch/vocabulary/arguments.ts";
import { countText, counted } from "../../words.ts";
import { isTensor, type Numbers, readMatrix, readNumbers } from "./numbers.ts";

/** Class indices, or names. */
export type Classes = Numbers | readonly string[];

export interface ClassCounts {
  readonly names: readonly string[];
  /** Row by row, a row for each true class. */
  readonly counts: Float64Array;
}

const MAX_CLASSES = 64;

/** Counts that are given, a row for each true class. */
export function readCounts(
  call: string,
  values: unknown,
  labels: readonly string[] | undefined,
): ClassCounts {
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
  const names = named(call, counts.rows, labels);
  if (counts.values.every((count) => count === 0))
    throw new RangeError(`${call}: there is nothing to draw: all counts are zero.`);
  return { names, counts: counts.values };
}

/** Counts pairs of a true and a predicted class. */
export function countClasses(
  call: string,
  target: unknown,
  predicted: unknown,
  labels: readonly string[] | undefined,
): ClassCounts {
  const isNamed = [target, predicted].some(
    (list) => Array.isArray(list) && list.some((one) => typeof one === "string"),
  );
  const found: string[] = [...(labels ?? [])];
  const read = (name: string, list: unknown) =>
    isNamed ? indicesOfNames(call, name, list, found, labels) : readIndices(call, name, list);
  const [truth, guess] = [read("target", target), read("predicted", predicted)];
  if (truth.length !== guess.length)
    throw new RangeError(
      `${call}: target has ${counted(truth.length, "value")} and predicted ${countText(guess.length)}; give one prediction for each target.`,
    );
  if (truth.length === 0) throw new RangeError(`${call}: there is nothing to draw: the lists are empty.`);
  const greatest = [...truth, ...guess].reduce((max, index) => Math.max(max, index));
  const classes = isNamed ? found.length : Math.max(greatest + 1, labels?.length ?? 0);
  const names = named(call, classes, isNamed ? found : labels);
  const counts = new Float64Array(classes * classes);
  truth.forEach((row, at) => (counts[row * classes + guess[at]!]! += 1));
  return { names, counts };
}

/** The labels, or the indices as text if there are none. */
function named(call: string, classes: number, labels: readonly string[] | undefined): readonly string[] {
  if (classes > MAX_CLASSES)
    throw new RangeError(`${call}: ${countText(classes)} classes have no room; draw at most ${MAX_CLASSES}.`);
  if (labels !== undefined && labels.length !== classes)
    throw new RangeError(
      `${call}: labels has ${counted(labels.length, "name")}, and there are ${classes} classes; give one for each.`,
    );
  return labels ?? Array.from({ length: classes }, (_, at) => String(at));
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

/** The names in the order of the labels, or else in the order in which they first occur. */
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
