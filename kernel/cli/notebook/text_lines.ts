// Converts a notebook's texts as nbformat does: in the file they are arrays of lines, in memory strings. This file
// lists which fields are texts; everything else stays as it is.
import type { JsonObject } from "./format.ts";

/** Python's `splitlines` splits at all of these, and not only at \n. */
const ENDS = String.raw`\n\r\v\f\x1c-\x1e\x85\u2028\u2029`;
const LINE = new RegExp(`[^${ENDS}]*(?:\\r\\n|[${ENDS}])|[^${ENDS}]+$`, "g");
const SPLIT_TYPES: ReadonlySet<string> = new Set(["application/javascript", "image/svg+xml"]);

type Convert = (value: unknown) => unknown;

/** The cells of a file, with each text as one string. */
export function joinTexts(cells: readonly JsonObject[]): JsonObject[] {
  const joinMember = (type: string, value: unknown) => (isJsonType(type) ? value : joined(value));
  return cells.map((cell) => withTexts(cell, joined, joinMember));
}

/** The cells for a file, with each text as an array of lines. */
export function splitTexts(cells: readonly JsonObject[]): JsonObject[] {
  const isSplit = (type: string) => type.startsWith("text/") || SPLIT_TYPES.has(type);
  const splitMember = (type: string, value: unknown) => (isSplit(type) ? split(value) : value);
  return cells.map((cell) => withTexts(cell, split, splitMember));
}

function withTexts(
  cell: JsonObject,
  convert: Convert,
  convertMember: (type: string, value: unknown) => unknown,
): JsonObject {
  const bundle = (given: unknown): unknown =>
    isObject(given) ? mapped(given, (value, type) => convertMember(type, value)) : given;
  const output = (given: unknown): unknown => {
    if (!isObject(given)) return given;
    if (given["output_type"] === "stream") return { ...given, text: convert(given["text"]) };
    return "data" in given ? { ...given, data: bundle(given["data"]) } : given;
  };
  const { attachments, outputs } = cell;
  return {
    ...cell,
    ...("source" in cell ? { source: convert(cell["source"]) } : {}),
    ...(isObject(attachments) ? { attachments: mapped(attachments, bundle) } : {}),
    ...(Array.isArray(outputs) ? { outputs: outputs.map(output) } : {}),
  };
}

function mapped(object: JsonObject, convert: (value: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, convert(value, key)]));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isJsonType(type: string): boolean {
  return type === "application/json" || (type.startsWith("application/") && type.endsWith("+json"));
}

function joined(value: unknown): unknown {
  return Array.isArray(value) && value.every((line) => typeof line === "string") ? value.join("") : value;
}

function split(value: unknown): unknown {
  return typeof value === "string" ? (value.match(LINE) ?? []) : value;
}
