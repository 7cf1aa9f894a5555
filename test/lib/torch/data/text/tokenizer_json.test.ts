// tokenizer.json in both directions: Python's files give equal ids here, and ours gave equal ids in Python, which the
// fixture made by test/fixtures/tokenizers/make_ids.py recorded.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { data } from "../../../../../lib/index.ts";
import { refuses } from "../../tensor/misuse.ts";

interface Recorded {
  readonly corpus: string[];
  readonly texts: string[];
  readonly ids: Record<string, number[][]>;
  readonly decoded: Record<string, string[]>;
}

const fixtures = fileURLToPath(new URL("../../../../fixtures/tokenizers/", import.meta.url));
const fixture = (name: string) => path.join(fixtures, name);
const { corpus, texts, ids, decoded } = JSON.parse(readFileSync(fixture("ids.json"), "utf8")) as Recorded;
const folder = mkdtempSync(path.join(tmpdir(), "mpslab-tokenizers-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => path.join(folder, name);

const load = (name: string) =>
  name.includes("words")
    ? data.WordTokenizer.load(fixture(name))
    : data.BytePairTokenizer.load(fixture(name));

const OURS: Record<string, () => data.Tokenizer> = {
  "mpslab_byte_pairs.json": () => data.BytePairTokenizer.train(corpus, { vocabularySize: 320 }),
  "mpslab_words.json": () => data.WordTokenizer.train([...corpus, ...texts.slice(6, 18)]),
  "mpslab_words_cased.json": () => data.WordTokenizer.train(corpus, { lowercase: false }),
};

describe.each(["python_byte_pairs.json", "python_words.json", ...Object.keys(OURS)])("%s", (name) => {
  it("gives the ids and texts that Python's tokenizers gives", () => {
    const tokenizer = load(name);
    expect(texts.map((text) => tokenizer.encode(text))).toEqual(ids[name]);
    expect(ids[name]!.map((one) => tokenizer.decode(one))).toEqual(decoded[name]);
  });

  it("is the same after save and load", () => {
    const tokenizer = load(name);
    tokenizer.save(file(name));
    const loaded = name.includes("words")
      ? data.WordTokenizer.load(file(name))
      : data.BytePairTokenizer.load(file(name));
    expect(loaded.vocabulary).toEqual(tokenizer.vocabulary);
    expect(texts.map((text) => loaded.encode(text))).toEqual(ids[name]);
  });
});

it.each(Object.keys(OURS))(
  "%s is what save() writes, and gives the ids of the tokenizer saved",
  async (name) => {
    const tokenizer = OURS[name]!();
    tokenizer.save(file(name));
    await expect(readFileSync(file(name), "utf8")).toMatchFileSnapshot(fixture(name));
    expect(texts.map((text) => tokenizer.encode(text))).toEqual(ids[name]);
  },
);

describe("a tokenizer.json that would give other ids", () => {
  const plain = JSON.parse(readFileSync(fixture("python_byte_pairs.json"), "utf8")) as Record<string, object>;
  const words = JSON.parse(readFileSync(fixture("python_words.json"), "utf8")) as Record<string, object>;
  const written = (name: string, content: object) => {
    writeFileSync(file(name), JSON.stringify(content));
    return file(name);
  };
  const pairs = (name: string, changes: object) => () =>
    data.BytePairTokenizer.load(written(name, { ...plain, ...changes }));
  const wordLevel = (name: string, changes: object) => () =>
    data.WordTokenizer.load(written(name, { ...words, ...changes }));
  const { vocab, ...model } = plain["model"] as { readonly vocab: Record<string, number> };
  const { "!": removed, ...withoutByte } = vocab;
  refuses([
    [
      "with a leading space",
      pairs("space.json", { pre_tokenizer: { type: "ByteLevel", add_prefix_space: true, use_regex: true } }),
      "TypeError",
      `BytePairTokenizer.load: ${file("space.json")} splits text in a way that is not supported; its pre_tokenizer must be ByteLevel with add_prefix_space=False and use_regex=True.`,
    ],
    [
      "with a normalizer",
      pairs("nfc.json", { normalizer: { type: "NFC" } }),
      "TypeError",
      `BytePairTokenizer.load: ${file("nfc.json")} has a normalizer, which BytePairTokenizer does not support.`,
    ],
    [
      "with padding",
      pairs("padding.json", { padding: { strategy: "BatchLongest" } }),
      "TypeError",
      `BytePairTokenizer.load: ${file("padding.json")} sets padding, which is not supported; save it from Python with padding off.`,
    ],
    [
      "with a template around each text",
      pairs("template.json", { post_processor: { type: "TemplateProcessing" } }),
      "TypeError",
      `BytePairTokenizer.load: ${file("template.json")} has the post-processor "TemplateProcessing", which is not supported; save it without.`,
    ],
    [
      "with dropout",
      pairs("dropout.json", { model: { ...model, vocab, dropout: 0.1 } }),
      "TypeError",
      `BytePairTokenizer.load: ${file("dropout.json")} sets dropout in its model, which is not supported.`,
    ],
    [
      "without a byte",
      pairs("byte.json", { model: { ...model, vocab: { ...withoutByte, "!!!!": removed }, merges: [] } }),
      "TypeError",
      `BytePairTokenizer.load: ${file("byte.json")} has no token for byte 33; train it with initial_alphabet=ByteLevel.alphabet().`,
    ],
    [
      "with a gap in its ids",
      pairs("gap.json", { model: { ...model, vocab: withoutByte, merges: [] } }),
      "TypeError",
      `BytePairTokenizer.load: ${file("gap.json")} has no token ${removed}: ids must have no gap.`,
    ],
    [
      "with an added token that takes the spaces beside it",
      pairs("strip.json", { added_tokens: [{ id: 1, content: "<pad>", lstrip: true }] }),
      "TypeError",
      `BytePairTokenizer.load: ${file("strip.json")} has the added token "<pad>" with lstrip, which is not supported; add it without.`,
    ],
    [
      "with words split otherwise",
      wordLevel("split.json", { pre_tokenizer: { type: "WhitespaceSplit" } }),
      "TypeError",
      `WordTokenizer.load: ${file("split.json")} splits text in a way that is not supported; its pre_tokenizer must be Whitespace, or the one that save() writes.`,
    ],
    [
      "without a model",
      wordLevel("model.json", { model: null }),
      "TypeError",
      `WordTokenizer.load: ${file("model.json")} is no tokenizer.json: it has no model; save() writes one.`,
    ],
    [
      "in the old private format",
      () =>
        data.WordTokenizer.load(
          written("old.json", { format: "mpslab tokenizer", kind: "word", vocabulary: [] }),
        ),
      "TypeError",
      `WordTokenizer.load: ${file("old.json")} has mpslab's old format, which is no longer read; train the tokenizer again and save it.`,
    ],
  ]);
});
