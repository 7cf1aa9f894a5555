// Splits text into parts of words, learnt from single bytes by merging the most frequent neighbours repeatedly. Every
// text has tokens and decodes to itself. Sources: Sennrich et al. 2016 (https://arxiv.org/abs/1508.07909); GPT-2
// (over bytes, split into words first).
import { checkIterable } from "../../tensor/tensor_arguments.ts";
import { checkText } from "../../vocabulary/arguments.ts";
import { integer, readOptions, type Rules } from "../../vocabulary/options.ts";
import { type AddedToken, AddedTokens } from "./added_tokens.ts";
import { BYTE_LETTERS, fromLetters } from "./byte_letters.ts";
import { joinPair, type Merge, mergeMostFrequent } from "./byte_pair_merges.ts";
import {
  checkId,
  checkTexts,
  PADDING,
  PADDING_TOKEN,
  type Tokenizer,
  type TrainOptions,
} from "./tokenizer.ts";
import { isPart, readTokenizerFile, type TokenizerFile, writeTokenizerFile } from "./tokenizer_json.ts";

/**
 * A word with the space before it, digits, marks; spaces that are left over. JavaScript's \s would differ from the
 * pattern of `tokenizers` in two letters: it has U+FEFF and lacks U+0085.
 */
const WORDS =
  /'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

/** Id 0 is the padding; then come the 256 bytes, then the merged tokens. */
const FIRST_BYTE_ID = 1;
const FIRST_MERGE_ID = FIRST_BYTE_ID + 256;

/** How many words are remembered with their tokens, so that frequent words are split only once. */
const MAX_CACHED = 20_000;

const encoder = new TextEncoder();
const pairKey = (left: number, right: number) => left * 2 ** 24 + right;

const TRAIN_RULES: Rules<TrainOptions> = {
  vocabularySize: integer(1000, FIRST_MERGE_ID),
  minFrequency: integer(2, 1),
};

/** The rank of a merge among all merges, and the token that it gives. */
interface Joined {
  readonly rank: number;
  readonly pair: Merge;
  readonly id: number;
}

/**
 * Splits text into pieces that training found frequent (byte-pair encoding, Sennrich et al., 2016): every text has
 * ids, since single bytes are tokens too.
 */
export class BytePairTokenizer implements Tokenizer {
  readonly vocabulary: readonly string[];
  /** Ids that were joined, in order; in a tokenizer that was trained here, the first gave token 257. */
  readonly merges: readonly Merge[];
  /** Tokens in GPT-2's letters. */
  readonly #tokens: readonly string[];
  readonly #bytes: readonly Uint8Array[];
  readonly #idOfByte: readonly number[];
  readonly #joined: ReadonlyMap<number, Joined>;
  readonly #added: AddedTokens;
  readonly #cache = new Map<string, readonly number[]>();

  private constructor(
    tokens: readonly string[],
    ids: ReadonlyMap<string, number>,
    merges: readonly Merge[],
    added: readonly AddedToken[],
  ) {
    this.merges = merges;
    this.#tokens = tokens;
    this.#bytes = tokens.map(fromLetters);
    this.#idOfByte = BYTE_LETTERS.map((letter) => ids.get(letter)!);
    this.#joined = new Map(
      merges.map((pair, rank) => {
        const [left, right] = pair;
        return [pairKey(left, right), { rank, pair, id: ids.get(tokens[left]! + tokens[right]!)! }];
      }),
    );
    this.#added = new AddedTokens(added);
    const decoder = new TextDecoder();
    this.vocabulary = this.#bytes.map((token) => decoder.decode(token));
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
    const words = Array.from(counts, ([word, count]) => ({
      ids: Array.from(encoder.encode(word), (byte) => byte + FIRST_BYTE_ID),
      count,
    }));
    const tokens = [PADDING, ...BYTE_LETTERS];
    const merges = mergeMostFrequent(words, tokens, vocabularySize, minFrequency);
    return new BytePairTokenizer(tokens, new Map(tokens.map((token, id) => [token, id])), merges, [
      PADDING_TOKEN,
    ]);
  }

  /**
   * From a tokenizer.json that `save` or Python's `tokenizers` wrote, with the model BPE over bytes, as GPT-2's.
   *
   * @throws TypeError for a file with something else in it, or with settings that are not supported
   */
  static load(file: string): BytePairTokenizer {
    const content = readTokenizerFile("BytePairTokenizer.load", file, "BPE");
    checkSettings(content);
    const { vocabulary, ids, added } = content;
    return new BytePairTokenizer(vocabulary, ids, readMerges(content), added);
  }

  /** Ids of the text's tokens, in [0, vocabulary.length). A special token's name in the text becomes that token. */
  encode(text: string): number[] {
    return this.#added.encodeAround(checkText("BytePairTokenizer.encode", "a text", text), (piece) =>
      wordsOf(piece).flatMap((word) => this.#encodeWord(word)),
    );
  }

  /**
   * The text of ids; padding and other special tokens are left out.
   *
   * @throws RangeError for an id that no token has
   */
  decode(ids: Iterable<number>): string {
    const call = "BytePairTokenizer.decode";
    const known = Array.from(checkIterable(call, "ids", ids), (id) => checkId(call, id, this.#bytes.length));
    const parts = known.filter((id) => !this.#added.isSpecial(id)).map((id) => this.#bytes[id]!);
    return new TextDecoder().decode(Buffer.concat(parts));
  }

  /** Writes Hugging Face's tokenizer.json, for `load` and for Python's `tokenizers`. */
  save(file: string): void {
    const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true };
    const token = (id: number) => this.#tokens[id]!;
    writeTokenizerFile("BytePairTokenizer.save", file, this.#added.tokens, {
      normalizer: null,
      pre_tokenizer: byteLevel,
      decoder: byteLevel,
      model: {
        type: "BPE",
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: false,
        vocab: Object.fromEntries(this.#tokens.map((text, id) => [text, id])),
        merges: this.merges.map(([left, right]) => [token(left), token(right)]),
      },
    });
  }

  #encodeWord(word: string): readonly number[] {
    const known = this.#cache.get(word);
    if (known) return known;
    let ids: readonly number[] = Array.from(encoder.encode(word), (byte) => this.#idOfByte[byte]!);
    for (let next = this.#earliest(ids); next !== undefined; next = this.#earliest(ids))
      ids = joinPair(ids, ...next.pair, next.id);
    if (this.#cache.size < MAX_CACHED) this.#cache.set(word, ids);
    return ids;
  }

  /** The neighbours that were joined first in training. */
  #earliest(ids: readonly number[]): Joined | undefined {
    let earliest: Joined | undefined;
    for (let i = 1; i < ids.length; i++) {
      const joined = this.#joined.get(pairKey(ids[i - 1]!, ids[i]!));
      if (joined !== undefined && (earliest === undefined || joined.rank < earliest.rank)) earliest = joined;
    }
    return earliest;
  }
}

function wordsOf(text: string): string[] {
  return text.match(WORDS) ?? [];
}

/** Settings of BPE for which ids follow from the merges only. A setting that is absent has this value. */
const PLAIN_MODEL: Readonly<Record<string, readonly unknown[]>> = {
  dropout: [null, 0],
  continuing_subword_prefix: [null, ""],
  end_of_word_suffix: [null, ""],
  byte_fallback: [false],
  ignore_merges: [false],
};

function checkSettings({ model, normalizer, preTokenizer, decoder, ids, refuse }: TokenizerFile): void {
  for (const [name, allowed] of Object.entries(PLAIN_MODEL)) {
    if (!allowed.includes(model[name] ?? allowed[0]))
      refuse(`sets ${name} in its model, which is not supported`);
  }
  if (normalizer !== null) refuse("has a normalizer, which BytePairTokenizer does not support");
  if (!isPart(preTokenizer, "ByteLevel", { add_prefix_space: false, use_regex: true })) {
    refuse(
      "splits text in a way that is not supported; its pre_tokenizer must be ByteLevel with add_prefix_space=False and use_regex=True",
    );
  }
  if (!isPart(decoder, "ByteLevel")) refuse("does not decode bytes; its decoder must be ByteLevel");
  const missing = BYTE_LETTERS.findIndex((letter) => !ids.has(letter));
  if (missing >= 0)
    refuse(`has no token for byte ${missing}; train it with initial_alphabet=ByteLevel.alphabet()`);
}

/** Merges as pairs of ids. Older versions of `tokenizers` write a pair as one string with a space in it. */
function readMerges({ model, ids, refuse }: TokenizerFile): Merge[] {
  const { merges } = model;
  const list: readonly unknown[] = Array.isArray(merges) ? merges : refuse("has no valid merges");
  return list.map((given) => {
    const pair: readonly unknown[] =
      typeof given === "string" ? given.split(" ") : Array.isArray(given) ? given : [];
    const [left, right] = pair.map((token) => ids.get(token as string));
    const isValid = pair.length === 2 && left !== undefined && right !== undefined && ids.has(pair.join(""));
    return isValid ? [left, right] : refuse("has no valid merges");
  });
}
