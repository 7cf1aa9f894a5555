// Splits text into words and punctuation marks. Each frequent one is a token, every other one `<unk>`.
import { checkIterable } from "../../tensor/tensor_arguments.ts";
import { checkText } from "../../vocabulary/arguments.ts";
import { boolean, integer, readOptions, type Rules } from "../../vocabulary/options.ts";
import {
  byFrequency,
  checkId,
  checkTexts,
  PADDING,
  PADDING_ID,
  readVocabulary,
  type Tokenizer,
  type TrainOptions,
  writeVocabulary,
} from "./tokenizer.ts";

const UNKNOWN = "<unk>";
const UNKNOWN_ID = 1;

/** Letters, digits and underscores together; any other mark alone. */
const TOKENS = /[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu;

export interface WordTrainOptions extends TrainOptions {
  /** Whether `The` and `the` are one token. Default: true. */
  readonly lowercase?: boolean;
}

const TRAIN_RULES: Rules<WordTrainOptions> = {
  vocabularySize: integer(Number.MAX_SAFE_INTEGER, 3),
  minFrequency: integer(1, 1),
  lowercase: boolean(true),
};

/**
 * Splits text into words and punctuation marks; those that training did not see, or not often enough, are one token,
 * `<unk>`.
 */
export class WordTokenizer implements Tokenizer {
  readonly vocabulary: readonly string[];
  readonly lowercase: boolean;
  readonly #ids: ReadonlyMap<string, number>;

  private constructor(vocabulary: readonly string[], lowercase: boolean) {
    this.vocabulary = vocabulary;
    this.lowercase = lowercase;
    this.#ids = new Map(vocabulary.map((token, id) => [token, id]));
  }

  /** `data.WordTokenizer.train(texts, { vocabularySize: 5000 })` */
  static train(texts: Iterable<string>, options?: WordTrainOptions): WordTokenizer {
    const call = "WordTokenizer.train";
    const read = readOptions<WordTrainOptions>(call, options, TRAIN_RULES);
    const { vocabularySize, minFrequency, lowercase } = read;
    const counts = new Map<string, number>();
    for (const text of checkTexts(call, texts)) {
      for (const token of tokensOf(checkText(call, "a text", text), lowercase))
        counts.set(token, (counts.get(token) ?? 0) + 1);
    }
    const frequent = new Map([...counts].filter(([, count]) => count >= minFrequency));
    return new WordTokenizer(
      [PADDING, UNKNOWN, ...byFrequency(frequent).slice(0, vocabularySize - 2)],
      lowercase,
    );
  }

  /**
   * From a file that `save` wrote.
   *
   * @throws TypeError for a file with something else in it
   */
  static load(file: string): WordTokenizer {
    const call = "WordTokenizer.load";
    const { vocabulary, lowercase } = readVocabulary(call, file, "word");
    const tokens = Array.isArray(vocabulary) && vocabulary.every((token) => typeof token === "string");
    if (!tokens || vocabulary[PADDING_ID] !== PADDING || vocabulary[UNKNOWN_ID] !== UNKNOWN)
      throw new TypeError(`${call}: ${file} has no valid vocabulary.`);
    return new WordTokenizer(vocabulary as string[], lowercase === true);
  }

  /** Ids of the text's tokens, in [0, vocabulary.length). */
  encode(text: string): number[] {
    const tokens = tokensOf(checkText("WordTokenizer.encode", "a text", text), this.lowercase);
    return tokens.map((token) => this.#ids.get(token) ?? UNKNOWN_ID);
  }

  /**
   * The text of ids, padding left out.
   *
   * @throws RangeError for an id that no token has
   */
  decode(ids: Iterable<number>): string {
    const call = "WordTokenizer.decode";
    const known = Array.from(checkIterable(call, "ids", ids), (id) =>
      checkId(call, id, this.vocabulary.length),
    );
    return known
      .filter((id) => id !== PADDING_ID)
      .map((id) => this.vocabulary[id])
      .join(" ");
  }

  /** Writes the vocabulary to a file, JSON, for `load`. */
  save(file: string): void {
    writeVocabulary("WordTokenizer.save", file, "word", {
      lowercase: this.lowercase,
      vocabulary: this.vocabulary,
    });
  }
}

function tokensOf(text: string, lowercase: boolean): string[] {
  return (lowercase ? text.toLowerCase() : text).match(TOKENS) ?? [];
}
