// Keeps one dtype for each column of a loader's batches. Where a batch's dtype follows from its numbers, the next one may
// hold a fraction and have another. Knows batches by their places, and nothing of how one is made.
import { native } from "../engine/native.ts";
import { getDefaultDtype } from "../tensor/default_dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { readValues } from "../tensor/values.ts";
import { type DType, isInt64 } from "../vocabulary/dtype.ts";

type Path = readonly (number | string)[];

/** The dtypes that a number can make; a column that has any other keeps what the dataset says. */
const ofNumbers = (dtype: DType): boolean => dtype === "int64" || dtype === getDefaultDtype();

/** `[1].label`; "" for the batch itself. */
const placeOf = (path: Path): string =>
  path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

export class ColumnDtypes {
  readonly #dtypes = new Map<string, DType>();
  /** A list's items, which can be looked at without being made. */
  readonly #items: readonly unknown[];

  /** @param source what the default collate function makes batches of; undefined where another one does */
  constructor(source: unknown) {
    this.#items = Array.isArray(source) ? source : [];
  }

  /**
   * The batch, with the columns of whole numbers in the dtype that they had in earlier batches.
   *
   * @throws TypeError for a column of int64 that becomes floating
   */
  settle(batch: unknown, path: Path = [], holders: readonly unknown[] = []): unknown {
    if (native.isTensor(batch)) return this.#column(batch, path);
    // What a collateFn gives may hold itself.
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

/** Whether what an item has at that place makes floating batches. */
function isFloating(item: unknown, path: Path): boolean {
  let value = item;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return false;
    value = (value as Record<string | number, unknown>)[key];
  }
  if (native.isTensor(value)) return native.dtype(value) === getDefaultDtype();
  return typeof value === "number" && !isInt64(value);
}
