// A column of a table: its values, its summary, and the tensors that are made of it.
import { inspect } from "node:util";
import { DISPLAY, type MimeBundle } from "../../../display.ts";
import { shownAs, tableBundle } from "../../../views/shown_as.ts";
import { tableText } from "../../../views/table.ts";
import { native } from "../../engine/native.ts";
import { defaultDevice } from "../../engine/device.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { AS_TENSOR, type TensorValues } from "../../tensor/values.ts";
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import type { DeviceName, DeviceText } from "../../vocabulary/device_name.ts";
import { type DType, isDType, isFloatingDType } from "../../vocabulary/dtype.ts";
import { checkedLater, type OpenRules, optional, readOptions } from "../../vocabulary/options.ts";
import { type ColumnData, isMissingAt, lengthOf, valueAt } from "./column_data.ts";
import type { CellValue, ColumnKind } from "./kinds.ts";
import { type ColumnSummary, countsOf, type Statistic, statisticOf, summaryOf } from "./summary.ts";
import { columnTable, summaryTable } from "./view.ts";

export interface ToTensorOptions {
  /** The dtype of the values. Default: float32, also for whole numbers: a layer takes nothing else. */
  readonly dtype?: DType;
  /** Where the tensor is. Default: the default device, the CPU unless `torch.setDefaultDevice` chose another. */
  readonly device?: DeviceText;
}

/** The classes of a column of words, and the class of each row. */
export interface Categories {
  /** The words in the order of their code points. */
  readonly classes: readonly string[];
  /** int64 [rows]: the number of each row's class, -1 where it is missing. */
  readonly codes: Tensor;
}

const TO_TENSOR_RULES = {
  dtype: optional((call, name, value) => {
    if (typeof value === "string" && isDType(value)) return value;
    throw new TypeError(`${call}: ${name} must be a dtype such as "float32", got ${describe(value)}.`);
  }),
  device: checkedLater<DeviceName | undefined>(undefined),
} satisfies OpenRules<ToTensorOptions>;

export class Column<Value extends CellValue = CellValue> implements TensorValues {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly length: number;
  readonly #data: ColumnData;

  /** Columns are made by `data.readCsv` and `new data.Table`. */
  constructor(name: string, data: ColumnData) {
    this.name = name;
    this.kind = data.kind;
    this.length = lengthOf(data);
    this.#data = data;
  }

  /** How many values are missing: NaN for numbers, null for all other kinds. */
  get missing(): number {
    let count = 0;
    for (let row = 0; row < this.length; row++) if (isMissingAt(this.#data, row)) count++;
    return count;
  }

  /** The values as the table holds them, which no caller may change. */
  get data(): ColumnData {
    return this.#data;
  }

  /**
   * The value of a row.
   *
   * @throws RangeError for a row outside of the column
   */
  get(row: number): Value {
    checkInteger("Column.get", "row", row, 0);
    if (row >= this.length)
      throw new RangeError(`Column.get: row ${row} is outside a column of ${this.length} values.`);
    return valueAt(this.#data, row) as Value;
  }

  /** A new array of all values. */
  values(): Value[] {
    return Array.from({ length: this.length }, (_, row) => valueAt(this.#data, row) as Value);
  }

  [Symbol.iterator](): IterableIterator<Value> {
    return this.values()[Symbol.iterator]();
  }

  /** Count, mean, standard deviation, quartiles as pandas computes them; of words the most frequent. */
  describe(): ColumnSummary {
    return shownAs(summaryOf(this.name, this.#data), (summary) => summaryTable([summary], this.length));
  }

  /** The sum of the values that are not missing, 0 where none is; of booleans how many are true. @throws TypeError for words and dates */
  sum(): number {
    return this.#statistic("sum");
  }

  /** The mean of the values that are not missing, NaN where none is; of booleans the share that is true. @throws TypeError for words and dates */
  mean(): number {
    return this.#statistic("mean");
  }

  /** The standard deviation, with n - 1 in the denominator; NaN for fewer than two values. @throws TypeError for words and dates */
  std(): number {
    return this.#statistic("std");
  }

  /** NaN where all values are missing. @throws TypeError for words and dates, whose `describe()` has `first` */
  min(): number {
    return this.#statistic("min");
  }

  /** NaN where all values are missing. @throws TypeError for words and dates */
  median(): number {
    return this.#statistic("median");
  }

  /** NaN where all values are missing. @throws TypeError for words and dates, whose `describe()` has `last` */
  max(): number {
    return this.#statistic("max");
  }

  #statistic(statistic: Statistic): number {
    return statisticOf(`Column.${statistic}`, this, statistic);
  }

  /**
   * The words as numbers of classes, for a loss or `functional.oneHot`: `["dog", "cat", "dog"]` has the classes
   * `["cat", "dog"]` and the codes `[1, 0, 1]`.
   *
   * @throws TypeError for a column that holds no words
   */
  categories(): Categories {
    if (this.#data.kind !== "string")
      throw new TypeError(
        `Column.categories: ${this.name} is a column of the kind ${this.kind}, not of words; read it with types: { ${JSON.stringify(this.name)}: "string" }.`,
      );
    const { codes, words } = this.#data;
    const counts = countsOf(codes, words.length);
    const classes = words.filter((_, code) => counts[code]! > 0).toSorted((a, b) => (a < b ? -1 : 1));
    const classOf = new Map(classes.map((word, at) => [word, at]));
    const numbers = Float64Array.from(codes, (code) => classOf.get(words[code]!) ?? -1);
    return { classes, codes: tensorOf(numbers, [this.length], { dtype: "int64", device: "cpu" }) };
  }

  /**
   * The values as a tensor [rows]. A missing value is NaN, booleans are 1 and 0, dates milliseconds since 1970.
   *
   * @throws TypeError for words, and for dates in a dtype that cannot hold them; RangeError if a value is missing and
   *   the dtype has no NaN
   */
  toTensor(options?: ToTensorOptions): Tensor {
    return this[AS_TENSOR]("Column.toTensor", options);
  }

  /** As `torch.tensor(column)` calls it. */
  [AS_TENSOR](call: string, options: ToTensorOptions | undefined): Tensor {
    const read = readPlace(call, options);
    return tensorOf(numbersFor(call, this, read.dtype), [this.length], read);
  }

  [DISPLAY](): MimeBundle {
    return tableBundle(columnTable(this));
  }

  [inspect.custom](): string {
    return tableText(columnTable(this));
  }
}

export interface Place {
  readonly dtype: DType;
  readonly device: DeviceName;
}

export function readPlace(call: string, options: ToTensorOptions | undefined): Place {
  const { dtype = "float32", device = defaultDevice() } = readOptions(call, options, TO_TENSOR_RULES);
  return { dtype, device };
}

/** The values of a column for a tensor of that dtype. */
export function numbersFor(call: string, column: Column, dtype: DType): Float64Array {
  const { data, name } = column;
  if (data.kind === "string")
    throw new TypeError(
      `${call}: ${name} is a column of words; column(${JSON.stringify(name)}).categories().codes are numbers of its classes.`,
    );
  if (data.kind === "date" && dtype !== "float64" && dtype !== "int64")
    throw new TypeError(
      `${call}: ${name} is a column of dates, whose milliseconds since 1970 no ${dtype} holds; take dtype: "float64".`,
    );
  const { missing } = column;
  if (missing > 0 && !isFloatingDType(dtype))
    throw new RangeError(
      `${call}: ${name} misses ${missing} of ${column.length} values, and ${dtype} has no NaN for them; dropMissing(${JSON.stringify(name)}) leaves those rows out.`,
    );
  return data.values;
}

/** A tensor with a copy of the values. */
export function tensorOf(values: Float64Array, shape: readonly number[], { dtype, device }: Place): Tensor {
  const doubles = native.fromTypedArray(values, shape, "float64");
  if (dtype === "float64" && device === "cpu") return doubles;
  const tensor = doubles.to(device, dtype);
  native.dispose(doubles);
  return tensor;
}
