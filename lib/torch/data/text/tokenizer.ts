// What tokenizers share: checks of texts and token ids, and the file that keeps a vocabulary.
import { readFileSync } from "node:fs";
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import { fileFailure, writeWhole } from "../../../whole_file.ts";

export interface Tokenizer {
  /** The token of each id; 0 is the padding, `<pad>`. */
  readonly vocabulary: readonly string[];
  /** Ids of a text's tokens: `torch.tensor(tokenizer.encode(text), { dtype: "int64" })`. */
  encode(text: string): number[];
  /** The text of ids, padding left out. */
  decode(ids: Iterable<number>): string;
  /** Writes the vocabulary to a file, JSON, for `load`. */
  save(file: string): void;
}

export const PADDING = "<pad>";
export const PADDING_ID = 0;

/** Most tokens, and how often a token must occur. */
export interface TrainOptions {
  /** Tokens in the vocabulary, at most; the frequent ones stay. */
  readonly vocabularySize?: number;
  /** Occurrences below which nothing becomes a token. Default: 1 for words, 2 for byte pairs. */
  readonly minFrequency?: number;
}

export function checkTexts(call: string, texts: unknown): Iterable<string> {
  const iterable = typeof texts === "object" && texts !== null && Symbol.iterator in texts;
  if (!iterable)
    throw new TypeError(`${call}: expected texts, as an array of strings, got ${describe(texts)}.`);
  return texts as Iterable<string>;
}

export function checkId(call: string, id: unknown, size: number): number {
  const checked = checkInteger(call, "a token's id", id, 0);
  if (checked < size) return checked;
  throw new RangeError(`${call}: there is no token ${checked}; the vocabulary has ${size}.`);
}

/** Most frequent first, equal ones by their text. */
export function byFrequency(counts: ReadonlyMap<string, number>): string[] {
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([token]) => token);
}

export function writeVocabulary(call: string, file: string, kind: string, content: object): void {
  requirePath(call, file);
  const text = JSON.stringify({ format: "mpslab tokenizer", kind, ...content });
  writeWhole(call, file, (write) => write(Buffer.from(`${text}\n`)));
}

/** A number would be a file that is open already: 0 waits for the keyboard. */
function requirePath(call: string, file: unknown): void {
  if (typeof file !== "string" || file === "")
    throw new TypeError(`${call}: the file must be a path, got ${describe(file)}.`);
}

/** The content that `writeVocabulary` wrote. The caller checks what it needs of it. */
export function readVocabulary(call: string, file: string, kind: string): Record<string, unknown> {
  requirePath(call, file);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw fileFailure(call, file, error);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new TypeError(`${call}: ${file} is no JSON (${(error as Error).message}).`, { cause: error });
  }
  const record = typeof content === "object" && content !== null ? (content as Record<string, unknown>) : {};
  if (record["format"] !== "mpslab tokenizer" || record["kind"] !== kind) {
    throw new TypeError(
      `${call}: ${file} does not hold a ${kind} tokenizer that save() wrote (its kind: ${describe(record["kind"])}).`,
    );
  }
  return record;
}
