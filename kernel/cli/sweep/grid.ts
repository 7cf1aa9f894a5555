// Reads the values of a sweep's parameters from the command line and from YAML, and names the files of its points. Knows
// nothing of notebooks.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseDocument, type Tags } from "yaml";
import { failureReason } from "../../../lib/whole_file.ts";
import { canonicalText, type Grid, type Point, valueText } from "../../../lib/records/parameters.ts";
import { CommandError } from "../project.ts";

/** The most characters of a file's name, without the extension. */
const LONGEST_NAME = 100;

/**
 * `[["batchSize", "32, 64"]]` and a YAML file's `rate: [0.1, 0.01]` -> `{ rate: [0.1, 0.01], batchSize: [32, 64] }`
 *
 * @throws CommandError for values that cannot be run
 */
export function gridOf(parameters: readonly (readonly [string, string])[], file?: string): Grid {
  const grid: Record<string, unknown[]> = file === undefined ? {} : gridFromFile(file);
  for (const [name, text] of parameters) {
    try {
      // The brackets make commas separate values, and YAML's own rules say what a number is.
      grid[name] = parseYaml(`[${text}]`) as unknown[];
    } catch {
      throw new CommandError(
        `-p ${name} takes values with commas between them, as in 32,64,128, not ${text}.`,
      );
    }
  }
  for (const [name, values] of Object.entries(grid)) {
    if (values.length === 0) throw new CommandError(`${name} has no values: give one at least.`);
    const texts = values.map(canonicalText);
    const twice = texts.find((text, at) => texts.indexOf(text) !== at);
    if (twice !== undefined)
      throw new CommandError(`${name} has the value ${twice} twice: each point is run once.`);
  }
  return grid;
}

function gridFromFile(file: string): Record<string, unknown[]> {
  let given: unknown;
  try {
    given = parseYaml(readFileSync(file, "utf8"));
  } catch (error) {
    const name = basename(file);
    if ((error as NodeJS.ErrnoException).syscall !== undefined)
      throw new CommandError(`${name} cannot be read: ${failureReason(file, error)}.`);
    throw new CommandError(`${name} is no YAML: ${(error as Error).message.split(/\s+/).join(" ")}`);
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new CommandError(
      `${basename(file)} has to name parameters and their values, as in rate: [0.1, 0.01].`,
    );
  const entries = Object.entries(given);
  return Object.fromEntries(
    entries.map(([name, values]) => [name, Array.isArray(values) ? values : [values]]),
  );
}

/** Dates stay strings, because a notebook in TypeScript has no literal for them. */
const withoutDates = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:timestamp");

/**
 * YAML 1.1, in which yes is true, as papermill reads it. Integers that a number cannot hold become bigints.
 *
 * @throws Error in words
 */
export function parseYaml(text: string): unknown {
  const document = parseDocument(text, {
    version: "1.1",
    intAsBigInt: true,
    prettyErrors: false,
    customTags: withoutDates,
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw problem;
  return plainValue(document.toJS({ mapAsMap: true }));
}

/**
 * Integers become numbers if a number holds them exactly; sets become lists, and maps objects, since a YAML map may
 * have keys of any type.
 */
function plainValue(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (Array.isArray(value) || value instanceof Set) return Array.from(value, plainValue);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries(Array.from(value, ([key, member]) => [String(key), plainValue(member)]));
}

/** `03,batchSize=64,rate=0.1`: numbered as the table is, since values may differ in what a file's name cannot hold. */
export function fileName(number: number, count: number, point: Point): string {
  const parts = Object.entries(point).map(([name, value]) => `${name}=${valueText(value)}`);
  const text = [String(number).padStart(String(count).length, "0"), ...parts].join(",");
  return [...text.replace(/[^\p{L}\p{N}_.,=+-]/gu, "_")].slice(0, LONGEST_NAME).join("");
}
