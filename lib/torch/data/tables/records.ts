// The records of columns: the values of a row by the columns' names. A name that is no column may not be read.
import { recordPrototype } from "../../../plain_object.ts";
import { describe } from "../../vocabulary/arguments.ts";
import type { Column } from "./column.ts";
import { valueAt } from "./column_data.ts";
import type { CellValue } from "./kinds.ts";

export class Records {
  readonly #columns: readonly Column[];
  readonly #prototype: object;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
    this.#prototype = recordPrototype((name) => {
      throw new RangeError(`record.${name}: ${noColumn(name, columns)}`);
    });
  }

  /** The record of a row, which must be one of the columns'. */
  at(row: number): Readonly<Record<string, CellValue>> {
    const values = Object.fromEntries(this.#columns.map(({ name, data }) => [name, valueAt(data, row)]));
    // Not by `Object.setPrototypeOf`, after which reading a value takes twice the time.
    return { __proto__: this.#prototype as never, ...values };
  }
}

/** `there is no column "ag"; there are name, age.` */
export function noColumn(name: string, columns: readonly Column[]): string {
  return `there is no column ${describe(name)}; there are ${columns.map((one) => one.name).join(", ")}.`;
}
