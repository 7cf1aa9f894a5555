// Joins two tables: finds which rows belong together, those with the same values in some columns, and takes their values.
import { checkText, describe } from "../../vocabulary/arguments.ts";
import { checkedLater, choice, type OpenRules } from "../../vocabulary/options.ts";
import { Column } from "./column.ts";
import { type ColumnData, isMissingAt, lengthOf, takeRows, valueAt } from "./column_data.ts";
import { dataOfValues } from "./column_of_values.ts";
import { keyText } from "./groups.ts";

export type JoinKind = "inner" | "left" | "outer";

export interface JoinOptions<Name extends string = string> {
  /** The columns that both tables have, whose values are equal in rows that belong together. */
  readonly on: Name | readonly Name[];
  /** `inner` leaves out rows that belong to no other, `left` keeps those of this table, `outer` those of both. Default: inner. */
  readonly how?: JoinKind;
  /** Is added to the name of another column of the other table that this one has too. Default: "_right". */
  readonly suffix?: string;
}

export const JOIN_RULES = {
  on: checkedLater<string | readonly string[]>([]),
  how: choice<JoinKind>("inner", ["inner", "left", "outer"]),
  suffix: { fallback: "_right", check: checkText },
} satisfies OpenRules<JoinOptions>;

/** The columns of a table, and those of them that are joined. */
export interface Side {
  readonly columns: readonly Column[];
  readonly keys: readonly Column[];
}

/** @throws RangeError where a name occurs twice, TypeError where keys are of different kinds */
export function joinedColumns(call: string, one: Side, other: Side, how: JoinKind, suffix: string): Column[] {
  const { left, right } = joinedRows(call, one.keys, other.keys, how);
  const own = one.columns.map(({ name, data }) => {
    const at = one.keys.findIndex((key) => key.name === name);
    const taken = takeRows(data, left);
    // A row of the other table alone has its own values there.
    return new Column(
      name,
      at < 0 ? taken : filled(call, name, taken, takeRows(other.keys[at]!.data, right)),
    );
  });
  const names = new Set(one.columns.map(({ name }) => name));
  const added = other.columns.flatMap(({ name, data }) => {
    if (other.keys.some((key) => key.name === name)) return [];
    const unique = names.has(name) ? `${name}${suffix}` : name;
    if (names.has(unique))
      throw new RangeError(`${call}: both tables have ${describe(unique)}; give another suffix.`);
    names.add(unique);
    return [new Column(unique, takeRows(data, right))];
  });
  return [...own, ...added];
}

/** The first values, in place of missing ones the second. */
function filled(call: string, name: string, first: ColumnData, second: ColumnData): ColumnData {
  const length = lengthOf(first);
  const values = Array.from({ length }, (_, row) => valueAt(isMissingAt(first, row) ? second : first, row));
  return dataOfValues(call, name, values);
}

/** Rows of the left and the right table, one pair for each row of the join; -1 where one has none. */
interface JoinedRows {
  readonly left: readonly number[];
  readonly right: readonly number[];
}

/**
 * In the order of the left rows, then of the right ones. A missing value belongs to no other.
 *
 * @throws TypeError where two columns are of different kinds: no value of one would be found in the other
 */
function joinedRows(
  call: string,
  left: readonly Column[],
  right: readonly Column[],
  kind: JoinKind,
): JoinedRows {
  for (const [at, { name, kind: own }] of left.entries()) {
    const other = right[at]!;
    if (own !== other.kind && ![left[at]!, other].some((column) => column.missing === column.length))
      throw new TypeError(
        `${call}: ${name} is a column of the kind ${own} here and ${other.kind} there; read both with types: { ${JSON.stringify(name)}: "string" }.`,
      );
  }
  const isWhole = (columns: readonly Column[], row: number) =>
    !columns.some(({ data }) => isMissingAt(data, row));
  const found = new Map<string, number[]>();
  const rightLength = right[0]!.length;
  for (let row = 0; row < rightLength; row++) {
    if (!isWhole(right, row)) continue;
    const key = keyText(right, row);
    const rows = found.get(key);
    if (rows === undefined) found.set(key, [row]);
    else rows.push(row);
  }
  const pairs: { left: number[]; right: number[] } = { left: [], right: [] };
  const add = (one: number, other: number): void => {
    pairs.left.push(one);
    pairs.right.push(other);
  };
  const used = new Set<number>();
  for (let row = 0; row < left[0]!.length; row++) {
    const rows = isWhole(left, row) ? found.get(keyText(left, row)) : undefined;
    for (const other of rows ?? []) {
      add(row, other);
      used.add(other);
    }
    if (rows === undefined && kind !== "inner") add(row, -1);
  }
  if (kind === "outer") for (let row = 0; row < rightLength; row++) if (!used.has(row)) add(-1, row);
  return pairs;
}
