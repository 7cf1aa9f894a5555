// Declares what tokenizers have in common, and checks texts and token ids.
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import type { AddedToken } from "./added_tokens.ts";

export interface Tokenizer {
  /** The token of each id; 0 is the padding, `<pad>`, in every tokenizer that was trained here. */
  readonly vocabulary: readonly string[];
  /** Ids of a text's tokens: `torch.tensor(tokenizer.encode(text), { dtype: "int64" })`. */
  encode(text: string): number[];
  /** The text of ids; padding and other special tokens are left out. */
  decode(ids: Iterable<number>): string;
  /** Writes Hugging Face's tokenizer.json, for `load` and for Python's `tokenizers`. */
  save(file: string): void;
}

export const PADDING = "<pad>";
/** Special, so that Python's `decode` leaves padding out too. */
export const PADDING_TOKEN: AddedToken = { id: 0, content: PADDING, special: true };

/** Most tokens, and how often a token must occur. */
export interface TrainOptions {
  /**
   * Tokens in the vocabulary, at most; the frequent ones stay. Default: 1000 for pairs of bytes, no limit for words.
   */
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
