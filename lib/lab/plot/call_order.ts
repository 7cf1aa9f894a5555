// Says the way out of calls that other libraries order otherwise: the table last, or columns as arguments of their own.
import { isRecord } from "../../torch/vocabulary/arguments.ts";
import { isTable, isTableColumn } from "./tables.ts";

/** What names columns: `"area"`, a column, `{ x: "area" }`. */
function namesIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (isTableColumn(value)) return [value.name];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return isRecord(value) ? Object.values(value).flatMap(namesIn) : [];
}

/**
 * @param options those that name columns, in the order of their meaning: x before y
 * @throws TypeError for a table that is not the first argument, or whose columns are named by arguments
 */
export function checkOrder(call: string, given: readonly unknown[], options: readonly string[]): void {
  const at = given.findIndex(isTable);
  if (at < 0) return;
  const [second] = given.slice(1);
  const isRest = second === undefined || (isRecord(second) && !isTableColumn(second));
  if (at === 0 && isRest && given.length <= 2) return;
  const table = given[at];
  const asked = given.filter((one) => !isTable(one)).flatMap(namesIn);
  const has = isTable(table) ? table.names : [];
  const names = [...new Set([...asked.filter((name) => has.includes(name)), ...has])];
  const named = options.flatMap((option, index) =>
    names[index] === undefined ? [] : [`${option}: ${JSON.stringify(names[index])}`],
  );
  throw new TypeError(
    `${call}: a table is the first argument, and options name its columns: ${call}(table, { ${named.join(", ")} }).`,
  );
}
