// The texts about stale cells: one line below a cell, and the list of `%stale`.
import { clipped, listed } from "../../lib/words.ts";
import type { OutdatedRead, StaleCell, StaleReason } from "./cell_graph.ts";

const LONGEST_TITLE = 40;
const MOST_NAMES = 3;
const MAX_OUTDATED = 10;

/** `Stale: used model, which Cell [7] has redefined since.` */
export function staleSentence(stale: StaleCell): string {
  return `Stale: used ${reasonText(stale)}. %stale lists the cells to run again.`;
}

/** The answer of `%stale`. */
export function staleList(cells: readonly StaleCell[], outdated: readonly OutdatedRead[]): string {
  return `${runList(cells)}${outdatedList(outdated)}`;
}

function runList(cells: readonly StaleCell[]): string {
  if (cells.length === 0) return "No cell is stale.\n";
  const numbers = cells.map(({ count }) => `[${count}]`);
  const titles = cells.map(({ title }) => clipped(title, LONGEST_TITLE));
  const numberWidth = Math.max(...numbers.map(({ length }) => length));
  const titleWidth = Math.max(...titles.map(({ length }) => length));
  const lines = cells.map((stale, at) => {
    const [number = "", title = ""] = [numbers[at], titles[at]];
    return `  ${number.padStart(numberWidth)}  ${title.padEnd(titleWidth)}  used ${reasonText(stale)}`;
  });
  return ["Cells to run again, in this order:", ...lines, ""].join("\n");
}

function outdatedList(outdated: readonly OutdatedRead[]): string {
  if (outdated.length === 0) return "";
  const latest = outdated.slice(-MAX_OUTDATED);
  const lines = latest.map(
    ({ name, count, from, by }) =>
      `  [${count}]  used ${name} of Cell [${from}], before Cell [${by}] defined it`,
  );
  const left = outdated.length - latest.length;
  const more = left === 0 ? [] : [`  and ${left} earlier`];
  return ["Not stale, unless the later definition was meant for them too:", ...lines, ...more, ""].join("\n");
}

/** `model and rate, which Cell [7] has redefined since` */
function reasonText({ reasons }: StaleCell): string {
  // A redefined name says more than a name from a stale cell, so it is shown if there is one.
  const redefined = reasons.filter(({ kind }) => kind === "redefined");
  const [first] = redefined.length > 0 ? redefined : reasons;
  const { by, kind } = first as StaleReason;
  const same = reasons.filter((reason) => reason.by === by && reason.kind === kind);
  const names = same.slice(0, MOST_NAMES).map(({ name }) => name);
  if (same.length > MOST_NAMES) names.push("others");
  return kind === "redefined"
    ? `${listed(names)}, which Cell [${by}] has redefined since`
    : `${listed(names)} of Cell [${by}], which is stale`;
}
