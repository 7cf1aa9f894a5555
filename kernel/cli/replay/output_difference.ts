// Compares a cell's outputs with stored ones: words and numbers, without those that differ in every run. Knows outputs
// in the form of a notebook's file, and nothing of how they were made.
import { stripVTControlCharacters } from "node:util";
import type { Output } from "../notebook/format.ts";
import { clipped } from "../../../lib/words.ts";

const NUMBER = /[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/.source;
/** How fast a loop was, as `lab.progress` says it: `12.3 a second`, or `1.37 s each` below one a second. */
const RATE = /\b[\d.,]+ (?:a second|(?:ms|s|min) each)/g;
const TIME = new RegExp(`${NUMBER} ?(?:ns|µs|us|ms|min|s|/s)(?![\\p{L}\\p{N}_])`, "gu");
/**
 * The free memory of the machine changes by the second. So do the percentages and ratios in a line with times (SHARE).
 */
const LIMIT = /recommended limit \S+ \w+(?:, used to (?:under )?\S+%)?/g;
const SHARE = new RegExp(`±?${NUMBER}(?:%|×)`, "gu");
const IDENTIFIER = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
/** The URL of a cell's script counts every run of the session, hidden ones included. */
const CELL_URL = /\bmpslab-cell:\d+/g;
const TOKEN = new RegExp(
  `(?<![\\p{L}\\p{N}_.])${NUMBER}(?![\\p{L}\\p{N}_])|\\S+?(?=[\\s,;:()[\\]]|$)|[,;:()[\\]]`,
  "gu",
);
const CHART = "application/vnd.vegalite.v5+json";
/**
 * A line with this many times is a row of measurements: none of its numbers is the same in the next run, nor is the
 * kind of collection that there was time for.
 */
const ROW_OF_TIMES = 2;
const COLLECTION = /\b(?:full|minor)\b/g;
/** The frame of `console.table` is as wide as its longest time. */
const FRAME = /─+|(?<=│) +| +(?=│)/gu;
const LONGEST_LINE = 300;

/**
 * The tag of a cell that cannot give the same outputs again. Its metadata holds the reason: {"mpslab": {"replaySkip":
 * "runs for two seconds"}}.
 */
export const SKIPPED_TAG = "replay-skip";
/** A date, a time of day, or the milliseconds since 1970. */
const CLOCK =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?|\b\d{1,2}:\d\d:\d\d(?:\.\d+)?|\b1[5-9]\d{11}\b/g;

type Text = readonly [kind: string, text: string];

/** A sentence with the stored line and the new one, or null if the outputs are the same. */
export function firstDifference(
  stored: readonly Output[],
  now: readonly Output[],
  tolerance: number,
): string | null {
  const [before, after] = [textsOf(stored), textsOf(now)];
  for (const [at, [kind, text]] of before.slice(0, after.length).entries()) {
    const [otherKind, otherText] = after[at] as Text;
    if (kind !== otherKind) return difference(`gave ${otherKind} in place of ${kind}`, text, otherText);
    const found = lineDifference(kind, comparableLines(text), comparableLines(otherText), tolerance);
    if (found !== null) return found;
  }
  const missing = before[after.length];
  if (missing) return difference(`lacks an output, ${missing[0]}`, missing[1], "");
  const added = after[before.length];
  return added ? difference(`has one output more, ${added[0]}`, "", added[1]) : null;
}

function lineDifference(
  kind: string,
  stored: readonly string[],
  now: readonly string[],
  tolerance: number,
): string | null {
  for (let at = 0; at < Math.max(stored.length, now.length); at++) {
    const [line, other] = [stored[at], now[at]];
    const isSame = line !== undefined && other !== undefined && sameTokens(line, other, tolerance);
    if (isSame) continue;
    const found = difference(`differs in ${kind}, line ${at + 1}`, line ?? "", other ?? "");
    return differsInClock(line, other) ? `${found}\n  ${OF_CLOCK}` : found;
  }
  return null;
}

const OF_CLOCK = `a date or a time of day is another in each run: tag the cell ${SKIPPED_TAG}, and it runs without being compared`;

/** Whether nothing but dates and times of day differs. */
function differsInClock(stored: string | undefined, now: string | undefined): boolean {
  if (stored === undefined || now === undefined) return false;
  return stored.replaceAll(CLOCK, "") === now.replaceAll(CLOCK, "");
}

/** The lines of a text with colours, identifiers and times taken out, and in a row of measurements all numbers. */
function comparableLines(text: string): string[] {
  const lines = stripVTControlCharacters(text).replace(FRAME, "").split("\n");
  return lines.map((line) => {
    let shown = line
      .replace(IDENTIFIER, "(id)")
      .replace(CELL_URL, "(cell)")
      .replace(LIMIT, "recommended limit")
      .replace(RATE, "(rate)");
    const times = shown.match(TIME)?.length ?? 0;
    if (times > 0) shown = shown.replace(TIME, "(time)").replace(SHARE, "(share)");
    if (times >= ROW_OF_TIMES)
      shown = shown.replace(new RegExp(NUMBER, "gu"), "(number)").replace(COLLECTION, "(collection)");
    return shown.trimEnd();
  });
}

/** Joins neighbouring pieces of one stream, as JupyterLab does when it shows them. */
function textsOf(outputs: readonly Output[]): Text[] {
  const found: [string, string][] = [];
  for (const output of outputs) {
    const [kind, text] = textOf(output);
    const last = found.at(-1);
    if (output.output_type === "stream" && last?.[0] === kind) last[1] += text;
    else found.push([kind, text]);
  }
  return found;
}

function textOf(output: Output): Text {
  if (output.output_type === "stream") return [output.name, output.text];
  if (output.output_type === "error") return ["error", `${output.ename}: ${output.evalue}`];
  const { data, output_type: kind } = output;
  const plain = String(data["text/plain"] ?? "");
  // Compares the names of charts and not their numbers: peaks depend on when garbage was collected. The ledger has the
  // other numbers.
  const shown = CHART in data ? plain.replaceAll(/:.*$/gm, "") : plain;
  const types = Object.keys(data)
    .filter((type) => type !== "text/plain")
    .sort();
  return [kind, [shown, ...types.map((type) => `(${type})`)].join("\n")];
}

/** Whether two lines say the same; numbers may differ by the tolerance, which is 0 on one machine. */
function sameTokens(stored: string, now: string, tolerance: number): boolean {
  const [one, other] = [stored.match(TOKEN) ?? [], now.match(TOKEN) ?? []];
  if (one.length !== other.length) return false;
  return one.every((token, at) => {
    const against = other[at] as string;
    return token === against || (tolerance > 0 && isClose(token, against, tolerance));
  });
}

const WHOLE_NUMBER = new RegExp(`^${NUMBER}$`, "u");

function isClose(one: string, other: string, tolerance: number): boolean {
  if (!WHOLE_NUMBER.test(one) || !WHOLE_NUMBER.test(other)) return false;
  const [x, y] = [Number(one.replaceAll(",", "")), Number(other.replaceAll(",", ""))];
  const rounding = Math.max(lastPlace(one), lastPlace(other)) * 1.001;
  return Math.abs(x - y) <= tolerance * Math.max(1, Math.abs(x), Math.abs(y)) + rounding;
}

/** The weight of the last printed decimal, in which a rounding may differ; 0 for a whole number. */
function lastPlace(number: string): number {
  const [, digits, exponent = "0"] = /\.(\d+)(?:[eE]([-+]?\d+))?$/.exec(number) ?? [];
  return digits === undefined ? 0 : 10 ** (Number(exponent) - digits.length);
}

function difference(what: string, stored: string, now: string): string {
  return `${what}\n  stored  ${firstLine(stored)}\n  now     ${firstLine(now)}`;
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return clipped(line, LONGEST_LINE) || "(nothing)";
}
