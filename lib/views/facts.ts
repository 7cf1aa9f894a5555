// Makes a table of names and values, one below the other, from a record of figures.
import { columns, type Table } from "./table.ts";

/** A name and its value in words and units; null for a value that is not known. */
export type Fact = readonly [name: string, value: string | null];

/** The facts that are known as rows, and the names of the others in a sentence. */
export function factsTable(caption: string, facts: readonly Fact[], notes: readonly string[] = []): Table {
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== null);
  const unknown = facts.filter(([, value]) => value === null).map(([name]) => name);
  return {
    caption,
    columns: columns("<", ""),
    rows: known,
    notes: [...(unknown.length === 0 ? [] : [`Not known here: ${unknown.join(", ")}.`]), ...notes],
  };
}
