// Splits text into words and punctuation marks. Each frequent one is a token, every other one `<unk>`.
import { checkIterable } from "../../tensor/tensor_arguments.ts";
import { checkText } from "../../vocabulary/arguments.ts";
import { boolean, integer, readOptions, type Rules } from "../../vocabulary/options.ts";
import { type AddedToken, AddedTokens } from "./added_tokens.ts";
import {
  byFrequency,
  checkId,
  checkTexts,
  PADDING,
  PADDING_TOKEN,
  type Tokenizer,
  type TrainOptions,
} from "./tokenizer.ts";
import { isPart, readTokenizerFile, type TokenizerFile, writeTokenizerFile } from "./tokenizer_json.ts";

const UNKNOWN = "<unk>";

/** Letters, digits and underscores together; any other mark alone. The saved file holds this pattern for Python. */
const TOKENS = /[\p{L}\p{M}\p{N}_]+|[^\p{White_Space}\p{L}\p{M}\p{N}_]/gu;

/** `\w+|[^\w\s]+` as Rust understands it, the pattern of the pre-tokenizer Whitespace: marks stay together. */
const WHITESPACE_TOKENS =
  /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+/gu;

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
  readonly #content: WordContent;
  readonly #added: AddedTokens;

  private constructor(content: WordContent) {
    this.vocabulary = content.vocabulary;
    this.lowercase = content.lowercase;
    this.#content = content;
    this.#added = new AddedTokens(content.added);
  }

  /** `data.WordTokenizer.train(texts, { vocabularySize: 5000 })` */
  static train(texts: Iterable<string>, options?: WordTrainOptions): WordTokenizer {
    const call = "WordTokenizer.train";
    const read = readOptions<WordTrainOptions>(call, options, TRAIN_RULES);
    const { vocabularySize, minFrequency, lowercase } = read;
    const counts = new Map<string, number>();
    for (const text of checkTexts(call, texts)) {
      for (const token of tokensOf(checkText(call, "a text", text), TOKENS, lowercase))
        counts.set(token, (counts.get(token) ?? 0) + 1);
    }
    const frequent = new Map([...counts].filter(([, count]) => count >= minFrequency));
    const vocabulary = [PADDING, UNKNOWN, ...byFrequency(frequent).slice(0, vocabularySize - 2)];
    const ids = new Map(vocabulary.map((token, id) => [token, id]));
    return new WordTokenizer({
      vocabulary,
      ids,
      unknown: UNKNOWN,
      lowercase,
      pattern: TOKENS,
      added: [PADDING_TOKEN],
    });
  }

  /**
   * From a tokenizer.json that `save` or Python's `tokenizers` wrote, with the model WordLevel.
   *
   * @throws TypeError for a file with something else in it, or with settings that are not supported
   */
  static load(file: string): WordTokenizer {
    return new WordTokenizer(readWords(readTokenizerFile("WordTokenizer.load", file, "WordLevel")));
  }

  /** Ids of the text's tokens, in [0, vocabulary.length). A special token's name in the text becomes that token. */
  encode(text: string): number[] {
    const { ids, unknown, pattern, lowercase } = this.#content;
    return this.#added.encodeAround(checkText("WordTokenizer.encode", "a text", text), (piece) =>
      tokensOf(piece, pattern, lowercase).map((token) => ids.get(token) ?? ids.get(unknown)!),
    );
  }

  /**
   * The text of ids; padding and other special tokens are left out.
   *
   * @throws RangeError for an id that no token has
   */
  decode(ids: Iterable<number>): string {
    const call = "WordTokenizer.decode";
    const known = Array.from(checkIterable(call, "ids", ids), (id) =>
      checkId(call, id, this.vocabulary.length),
    );
    return known
      .filter((id) => !this.#added.isSpecial(id))
      .map((id) => this.vocabulary[id])
      .join(" ");
  }

  /** Writes Hugging Face's tokenizer.json, for `load` and for Python's `tokenizers`. */
  save(file: string): void {
    const { ids, unknown, pattern, lowercase, added } = this.#content;
    const split = { type: "Split", pattern: { Regex: pattern.source }, behavior: "Removed", invert: true };
    writeTokenizerFile("WordTokenizer.save", file, added, {
      normalizer: lowercase ? { type: "Lowercase" } : null,
      pre_tokenizer: pattern === TOKENS ? split : { type: "Whitespace" },
      decoder: null,
      model: { type: "WordLevel", vocab: Object.fromEntries(ids), unk_token: unknown },
    });
  }
}

interface WordContent {
  readonly vocabulary: readonly string[];
  /** The ids of the model's own tokens. */
  readonly ids: ReadonlyMap<string, number>;
  readonly unknown: string;
  readonly lowercase: boolean;
  readonly pattern: RegExp;
  readonly added: readonly AddedToken[];
}

function readWords({ vocabulary, ids, added, model, ...file }: TokenizerFile): WordContent {
  const { normalizer, preTokenizer, decoder, refuse } = file;
  const unknown = model["unk_token"];
  if (typeof unknown !== "string" || !ids.has(unknown))
    return refuse("has no token for unknown words (unk_token)");
  if (normalizer !== null && !isPart(normalizer, "Lowercase"))
    return refuse("has a normalizer that is not supported; it must be Lowercase or null");
  if (decoder !== null) return refuse("has a decoder, which WordTokenizer does not support");
  const pattern = patternOf(preTokenizer);
  if (pattern === null) {
    return refuse(
      "splits text in a way that is not supported; its pre_tokenizer must be Whitespace, or the one that save() writes",
    );
  }
  return { vocabulary, ids, unknown, lowercase: normalizer !== null, pattern, added };
}

function patternOf(preTokenizer: TokenizerFile["preTokenizer"]): RegExp | null {
  if (isPart(preTokenizer, "Whitespace")) return WHITESPACE_TOKENS;
  if (!isPart(preTokenizer, "Split", { behavior: "Removed", invert: true })) return null;
  const { Regex } = (preTokenizer!["pattern"] ?? {}) as { readonly Regex?: unknown };
  return Regex === TOKENS.source ? TOKENS : null;
}

/** Lowers "Σ" to "σ" everywhere, as `tokenizers` does; JavaScript alone would write "ς" at the end of a word. */
function tokensOf(text: string, pattern: RegExp, lowercase: boolean): string[] {
  return (lowercase ? text.replaceAll("Σ", "σ").toLowerCase() : text).match(pattern) ?? [];
}
