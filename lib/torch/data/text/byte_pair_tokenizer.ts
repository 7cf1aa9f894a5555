// Splits text into parts of words, learnt from single bytes by merging the most frequent neighbours repeatedly. Every
// text has tokens and decodes to itself. Sources: Sennrich et al. 2016 (https://arxiv.org/abs/1508.07909); GPT-2
// (over bytes, split into words first).
import { checkIterable } from "../../tensor/tensor_arguments.ts";
import { checkText } from "../../vocabulary/arguments.ts";
import { integer, readOptions, type Rules } from "../../vocabulary/options.ts";
import { joinPair, type Merge, mergeMostFrequent } from "./byte_pair_merges.ts";
import {
  checkId,
  checkTexts,
  PADDING,
  PADDING_ID,
  readVocabulary,
  type Tokenizer,
  type TrainOptions,
  writeVocabulary,
} from "./tokenizer.ts";

/** A word with the space before it, digits, marks; spaces that are left over. */
const WORDS = /'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/** Id 0 is the padding, then come the 256 bytes, then what was joined. */
const FIRST_BYTE_ID = 1;
const FIRST_MERGE_ID = FIRST_BYTE_ID + 256;

/** Words whose tokens are kept, so that frequent ones are split once. */
const MAX_CACHED = 20_000;

const encoder = new TextEncoder();
const bytesOf = (word: string) => Array.from(encoder.encode(word), (byte) => byte + FIRST_BYTE_ID);
const pairKey = (left: number, right: number) => left * 2 ** 24 + right;

const TRAIN_RULES: Rules<TrainOptions> = {
  vocabularySize: integer(1000, FIRST_MERGE_ID),
  minFrequency: integer(2, 1),
};

/**
 * Splits text into pieces that training found frequent (byte-pair encoding, Sennrich et al., 2016): every text has
 * ids, since single bytes are tokens too.
 */
export class BytePairTokenizer implements Tokenizer {
  readonly vocabulary: readonly string[];
  /** Ids that were joined; the first gave token 257. */
  readonly merges: readonly Merge[];
  readonly #bytes: readonly Uint8Array[];
  readonly #merged: ReadonlyMap<number, number>;
  readonly #cache = new Map<string, readonly number[]>();

  private constructor(merges: readonly Merge[]) {
    const bytes = [new Uint8Array(), ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))];
    for (const [left, right] of merges) bytes.push(Uint8Array.of(...bytes[left]!, ...bytes[right]!));
    this.merges = merges;
    this.#bytes = bytes;
    this.#merged = new Map(merges.map(([left, right], i) => [pairKey(left, right), FIRST_MERGE_ID + i]));
    const decoder = new TextDecoder();
    this.vocabulary = bytes.map((token, id) => (id === PADDING_ID ? PADDING : decoder.decode(token)));
  }

  /**
   * `data.BytePairTokenizer.train(texts, { vocabularySize: 1000 })`: 257 tokens and 743 joined ones. Of pairs that are
   * equally frequent, the one with the lower ids is joined first.
   */
  static train(texts: Iterable<string>, options?: TrainOptions): BytePairTokenizer {
    const call = "BytePairTokenizer.train";
    const { vocabularySize, minFrequency } = readOptions<TrainOptions>(call, options, TRAIN_RULES);
    const counts = new Map<string, number>();
    for (const text of checkTexts(call, texts)) {
      for (const word of wordsOf(checkText(call, "a text", text)))
        counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const words = Array.from(counts, ([word, count]) => ({ ids: bytesOf(word), count }));
    return new BytePairTokenizer(
      mergeMostFrequent(words, FIRST_MERGE_ID, vocabularySize - FIRST_MERGE_ID, minFrequency),
    );
  }

  /**
   * From a file that `save` wrote.
   *
   * @throws TypeError for a file with something else in it
   */
  static load(file: string): BytePairTokenizer {
    const call = "BytePairTokenizer.load";
    const { merges } = readVocabulary(call, file, "bytePair");
    const isMerge = (pair: unknown, index: number) =>
      Array.isArray(pair) &&
      pair.length === 2 &&
      pair.every((id) => Number.isInteger(id) && id >= FIRST_BYTE_ID && id < FIRST_MERGE_ID + index);
    if (!Array.isArray(merges) || !merges.every(isMerge))
      throw new TypeError(`${call}: ${file} has no valid merges.`);
    return new BytePairTokenizer(merges as Merge[]);
  }

  /** Ids of the text's tokens, in [0, vocabulary.length). */
  encode(text: string): number[] {
    return wordsOf(checkText("BytePairTokenizer.encode", "a text", text)).flatMap((word) =>
      this.#encodeWord(word),
    );
  }

  /**
   * The text of ids, padding left out.
   *
   * @throws RangeError for an id that no token has
   */
  decode(ids: Iterable<number>): string {
    const call = "BytePairTokenizer.decode";
    const parts = Array.from(
      checkIterable(call, "ids", ids),
      (id) => this.#bytes[checkId(call, id, this.#bytes.length)]!,
    );
    return new TextDecoder().decode(Buffer.concat(parts));
  }

  /** Writes the vocabulary to a file, JSON, for `load`. */
  save(file: string): void {
    writeVocabulary("BytePairTokenizer.save", file, "bytePair", { merges: this.merges });
  }

  #encodeWord(word: string): readonly number[] {
    const known = this.#cache.get(word);
    if (known) return known;
    let ids = bytesOf(word);
    for (let next = this.#earliest(ids); next !== undefined; next = this.#earliest(ids)) {
      const [left, right] = this.merges[next - FIRST_MERGE_ID]!;
      ids = joinPair(ids, left, right, next);
    }
    if (this.#cache.size < MAX_CACHED) this.#cache.set(word, ids);
    return ids;
  }

  /** The token of the neighbours that were joined first in training. */
  #earliest(ids: readonly number[]): number | undefined {
    let earliest: number | undefined;
    for (let i = 1; i < ids.length; i++) {
      const joined = this.#merged.get(pairKey(ids[i - 1]!, ids[i]!));
      if (joined !== undefined && (earliest === undefined || joined < earliest)) earliest = joined;
    }
    return earliest;
  }
}

function wordsOf(text: string): string[] {
  return text.match(WORDS) ?? [];
}
