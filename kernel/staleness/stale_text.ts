// The texts about stale cells: one line below a cell, and the list of `%stale`.
import type { StaleCell, StaleReason } from "./cell_graph.ts";

const LONGEST_TITLE = 40;
const MOST_NAMES = 3;

/** `It used model, which Cell [7] has redefined since.` */
export function staleSentence(stale: StaleCell): string {
  return `Stale: used ${reasonText(stale)}. %stale lists the cells to run again.`;
}

export function staleList(cells: readonly StaleCell[]): string {
  if (cells.length === 0) return "No cell is stale.\n";
  const numbers = cells.map(({ count }) => `[${count}]`);
  const titles = cells.map(({ title }) => shortened(title));
  const [numberWidth, titleWidth] = [numbers, titles].map((texts) =>
    Math.max(...texts.map(({ length }) => length)),
  );
  const lines = cells.map((stale, at) => {
    const columns = [numbers[at]?.padStart(numberWidth ?? 0), titles[at]?.padEnd(titleWidth ?? 0)];
    return `  ${columns.join("  ")}  used ${reasonText(stale)}`;
  });
  return ["Cells to run again, in this order:", ...lines, ""].join("\n");
}

/** `model and rate, which Cell [7] has redefined since` */
function reasonText({ reasons }: StaleCell): string {
  // A redefined name says more than a name of a stale cell.
  const redefined = reasons.filter(({ kind }) => kind === "redefined");
  const [first] = redefined.length > 0 ? redefined : reasons;
  const { by, kind } = first as StaleReason;
  const names = reasons.filter((reason) => reason.by === by && reason.kind === kind).map(({ name }) => name);
  const shown = names
    .slice(0, MOST_NAMES)
    .join(", ")
    .replace(/, ([^,]+)$/, " and $1");
  const others = names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES).join(", ")} and others` : shown;
  return kind === "redefined"
    ? `${others}, which Cell [${by}] has redefined since`
    : `${others} of Cell [${by}], which is stale`;
}

function shortened(title: string): string {
  return title.length <= LONGEST_TITLE ? title : `${title.slice(0, LONGEST_TITLE - 1)}…`;
}
