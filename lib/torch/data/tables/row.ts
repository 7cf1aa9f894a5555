// The types of a table's rows, and of the names of its columns. In a notebook a row has the columns that a cell has read; a
// program's compiler has not seen the file, and knows none.
import type { CellValue } from "./kinds.ts";

/**
 * A row of a table whose columns TypeScript does not know, because they are in a file: their values are `any`, so that
 * `row.age > 30` may be written.
 */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyRow = Record<string, any>;

/**
 * A row with one more column. Of a name that is known only when the program runs nothing is known, so that a loop over names can
 * assign the table to one without the column.
 */
export type WithColumn<Row extends object, Name extends string, Value> = string extends Name
  ? // oxlint-disable-next-line typescript/no-explicit-any
    any
  : Omit<Row, Name> & { [Key in Name]: Value };

/**
 * A column's name. A literal must be one of the row's; a text that is known only when the program runs may be any, as those of
 * `const features = ["area", "rooms"]`, and is looked up then.
 */
export type NameOf<Row extends object, Name extends string> = NameAmong<keyof Row & string, Name>;

/** The same, where the names are known otherwise. */
export type NameAmong<Known extends string, Name extends string> = string extends Name ? Name : Known;

/** Names as the arguments of a call, or one list of them. The kernel reads it in what the compiler says of a wrong name. */
export type NamesAmong<Known extends string, Name extends string> =
  | readonly NameAmong<Known, Name>[]
  | readonly [readonly NameAmong<Known, Name>[]];

/** The values of a column; of a name that is known only when the program runs, those of any. */
export type ValueIn<Row extends object, Name extends string> = Extract<Row[Name & keyof Row], CellValue>;

/** A row with some of its columns. */
export type Selected<Row extends object, Name extends string> = string extends Name
  ? AnyRow
  : Pick<Row, Name & keyof Row>;

/** A row of which some columns have other names. Of rows that TypeScript does not know nothing is known then either. */
export type Renamed<Row extends object, Names> = string extends keyof Row
  ? AnyRow
  : {
      [
        Key in keyof Row as Key extends keyof Names ? (Names[Key] extends string ? Names[Key] : Key) : Key
      ]: Row[Key];
    };

/** What a column's missing values become. Of rows that TypeScript does not know it may be any value, but a list is none of them. */
export type Filling<Row extends object, Name extends keyof Row> = Exclude<
  string extends keyof Row ? CellValue : Row[Name],
  null
>;

/** A row of which some columns miss no value. */
export type Filled<Row extends object, Name extends string> = {
  [Key in keyof Row]: Key extends Name ? Exclude<Row[Key], null> : Row[Key];
};

/**
 * A row of one of two tables with the same columns. What only one of their types knows has the kind of that column in the other
 * too; whether values miss there is not known.
 */
export type Below<Row extends object, Other extends object> = {
  [Key in keyof Row]: Row[Key] | (Key extends Named<Other> ? Other[Key & keyof Other] : OfKind<Row[Key]>);
} & {
  [Key in keyof Other as Key extends Named<Row> ? never : Key]: Other[Key] | OfKind<Other[Key]>;
};

/** The names of columns that TypeScript knows. */
type Named<Row extends object> = keyof { [Key in keyof Row as string extends Key ? never : Key]: true };

/** Any value of a column of the kind: of "yes" any text. */
type OfKind<Value> = Value extends number
  ? number
  : Value extends string
    ? string
    : Value extends boolean
      ? boolean
      : Value;
