// Keeps one dtype for each column of a loader's batches. If the dtype of a batch follows from its numbers, a later
// batch that holds a fraction would have another dtype. Knows columns by their places in a batch, and not how batches
// are made.
import { native } from "../engine/native.ts";
import { getDefaultDtype } from "../tensor/default_dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { readValues } from "../tensor/values.ts";
import { type DType, isInt64 } from "../vocabulary/dtype.ts";

type Path = readonly (number | string)[];

/** The dtypes that a column of JavaScript numbers can get; a column of any other dtype is left alone. */
const ofNumbers = (dtype: DType): boolean => dtype === "int64" || dtype === getDefaultDtype();

/** `[1].label`; "" for the batch itself. */
const placeOf = (path: Path): string =>
  path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

export class ColumnDtypes {
  readonly #dtypes = new Map<string, DType>();
  /** The items of a dataset that is a list: they can be inspected without being made. */
  readonly #items: readonly unknown[];

  /**
   * @param source the data from which the default collate function makes batches; undefined for another collate
   *   function
   */
  constructor(source: unknown) {
    this.#items = Array.isArray(source) ? source : [];
  }

  /**
   * The batch, with the columns of whole numbers in the dtype that they had in earlier batches.
   *
   * @throws TypeError for a column that was int64 and has fractions in this batch
   */
  settle(batch: unknown, path: Path = [], holders: readonly unknown[] = []): unknown {
    if (native.isTensor(batch)) return this.#column(batch, path);
    // The result of a custom collateFn may contain itself.
    if (holders.includes(batch)) return batch;
    const within = [...holders, batch];
    if (Array.isArray(batch)) {
      const settled = batch.map((part, at) => this.settle(part, [...path, at], within));
      return settled.some((part, at) => part !== batch[at]) ? settled : batch;
    }
    if (!isPlain(batch)) return batch;
    const entries = Object.entries(batch).map(([key, part]) => [
      key,
      this.settle(part, [...path, key], within),
    ]);
    return entries.some(([key, part]) => part !== batch[key as string]) ? Object.fromEntries(entries) : batch;
  }

  #column(column: Tensor, path: Path): Tensor {
    const dtype = native.dtype(column);
    if (!ofNumbers(dtype)) return column;
    const place = placeOf(path);
    let known = this.#dtypes.get(place);
    if (known === undefined) {
      known =
        dtype === "int64" && this.#items.some((item) => isFloating(item, path)) ? getDefaultDtype() : dtype;
      this.#dtypes.set(place, known);
    }
    if (dtype === "int64") return known === dtype ? column : column.to(known);
    if (known !== "int64") return column;
    const fraction = readValues(column).find((value) => typeof value === "number" && !isInt64(value));
    const seen = fraction === undefined ? dtype : String(fraction);
    throw new TypeError(
      `DataLoader: the column batch${place} was int64 in the batches before, whose numbers were whole, and this one has ${seen}: ` +
        `make its items torch.tensor(value, { dtype: ${JSON.stringify(dtype)} }) in the dataset, or the column in the collateFn.`,
    );
  }
}

/** Whether the value at that place in an item makes a floating-point batch. */
function isFloating(item: unknown, path: Path): boolean {
  let value = item;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return false;
    value = (value as Record<string | number, unknown>)[key];
  }
  if (native.isTensor(value)) return native.dtype(value) === getDefaultDtype();
  return typeof value === "number" && !isInt64(value);
}
