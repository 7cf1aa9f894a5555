// Makes one error for a failed cell of `%%ranks` from the errors of its ranks: the error of the rank that failed first,
// with its traceback, and a line for each rank that ended because of it.
import { STYLE } from "../../errors/code_frame.ts";
import { capitalized } from "../../../lib/words.ts";
import type { ErrorContent } from "../channel.ts";

export interface RankFailure {
  readonly rank: number;
  readonly error: ErrorContent;
}

/** Errors that a rank throws when another rank, for which it waits, has failed. */
const CONSEQUENCES: ReadonlySet<string> = new Set([
  "KeyboardInterrupt",
  "DistBackendError",
  "DistStoreError",
]);

const isConsequence = ({ error }: RankFailure): boolean => CONSEQUENCES.has(error.ename);

/**
 * @param failures in the order in which they were reported, at least one
 * @param size how many ranks there are
 * @param stopped whether the user has stopped the cell
 */
export function describeFailures(
  failures: readonly RankFailure[],
  size: number,
  stopped: boolean,
): ErrorContent {
  const ended = failures.find(({ error }) => error.ename === "SessionEnded");
  const interrupted = stopped ? failures.find(({ error }) => error.ename === "KeyboardInterrupt") : undefined;
  const first = ended ?? interrupted ?? failures.find((one) => !isConsequence(one)) ?? failures[0]!;
  const { error } = first;
  // A rank that was stopped has nothing new to say, nor has one whose collective failed because of another rank.
  if (first === interrupted) return error;
  const alike = failures.filter((one) => sameError(one, first));
  const others = failures.filter((one) => !sameError(one, first));
  const heading = alike.length === size ? allText(size) : ranksText(alike.map(({ rank }) => rank));
  if (first === ended) return withLines(error, [], others);
  const named = { ...error, evalue: `${heading}: ${error.evalue}` };
  return withLines(named, [`${STYLE.name}${capitalized(heading)}:${STYLE.plain}`], others);
}

function sameError({ error }: RankFailure, { error: other }: RankFailure): boolean {
  return error.ename === other.ename && error.evalue === other.evalue;
}

function withLines(
  error: ErrorContent,
  above: readonly string[],
  others: readonly RankFailure[],
): ErrorContent {
  const below = others
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ rank, error: { ename, evalue } }) =>
      ename === "KeyboardInterrupt" || ename === "SessionEnded"
        ? `${prefix([rank])} was stopped.`
        : `${prefix([rank])} ${ename}: ${evalue}`,
    );
  return { ...error, traceback: [...above, ...error.traceback, ...below] };
}

/** `[rank 2]`, `[ranks 0, 3]` */
export function prefix(ranks: readonly number[]): string {
  return `[${ranksText(ranks)}]`;
}

export function allText(size: number): string {
  return size === 1 ? "rank 0" : `all ${size} ranks`;
}

function ranksText(ranks: readonly number[]): string {
  const sorted = ranks.toSorted((a, b) => a - b);
  return `rank${sorted.length === 1 ? "" : "s"} ${sorted.join(", ")}`;
}
