// The method by which a table tells the session the type of its rows: its columns are in a file, which the checker does not read.

/** Its method returns a type's text, `{ "age": number; "name": string | null }`. */
export const ROW_TYPE: unique symbol = Symbol.for("mpslab.rowType") as never;
