// Text: tokenizers that are trained, saved and loaded, the changes of Leaflet, and a classifier from the one to the other.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { data, functional as F, nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";
import { leafletChanges } from "./leaflet_changes.ts";

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-text-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => path.join(folder, name);

describe("a WordTokenizer", () => {
  const texts = ["The map jumps.", "the map, the layer"];

  it("has a token for each word and mark, the frequent ones first, after padding and the unknown", () => {
    const tokenizer = data.WordTokenizer.train(texts);
    expect(tokenizer.vocabulary).toEqual(["<pad>", "<unk>", "the", "map", ",", ".", "jumps", "layer"]);
    expect(tokenizer.encode("THE layer moves!")).toEqual([2, 7, 1, 1]);
    expect(tokenizer.decode([2, 3, 1, 0, 0])).toBe("the map <unk>");
  });

  it("keeps the frequent words where its size is limited, and capitals where it is told to", () => {
    const options = { vocabularySize: 4, minFrequency: 2, lowercase: false };
    expect(data.WordTokenizer.train(texts, options).vocabulary).toEqual(["<pad>", "<unk>", "map", "the"]);
  });

  it("is the same after save and load", () => {
    const tokenizer = data.WordTokenizer.train(texts, { lowercase: false });
    tokenizer.save(file("words.json"));
    const loaded = data.WordTokenizer.load(file("words.json"));
    expect(loaded.vocabulary).toEqual(tokenizer.vocabulary);
    expect(loaded.encode("The the")).toEqual(tokenizer.encode("The the"));
  });
});

describe("a BytePairTokenizer", () => {
  // Sennrich's example: es, est and low are found first.
  const texts = [
    "low low low low low",
    "lower lower",
    "newest newest newest newest newest newest",
    "widest widest widest",
  ];

  it("joins the most frequent neighbours first", () => {
    const tokenizer = data.BytePairTokenizer.train(texts, { vocabularySize: 262 });
    expect(tokenizer.vocabulary.slice(257)).toEqual(["es", "est", "lo", "low", "ew"]);
    expect(tokenizer.encode("lowest").map((id) => tokenizer.vocabulary[id])).toEqual(["low", "est"]);
  });

  it("stops where no pair occurs often enough", () => {
    const few = data.BytePairTokenizer.train(["abab"], { vocabularySize: 1000 });
    expect(few.vocabulary.slice(257)).toEqual(["ab"]);
    expect(data.BytePairTokenizer.train(["ab"], { vocabularySize: 1000 }).merges).toEqual([]);
  });

  it("gives every text back, whatever it was trained on", () => {
    const tokenizer = data.BytePairTokenizer.train(texts, { vocabularySize: 270 });
    for (const text of [
      "",
      " ",
      "low  lowest\n\tlow",
      "naïve façade",
      "日本語 text",
      "👩‍💻 emoji",
      "it's 3.14, isn't it?",
    ]) {
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    }
    expect(tokenizer.decode([0, ...tokenizer.encode("low"), 0])).toBe("low");
  });

  it("is the same after save and load", () => {
    const tokenizer = data.BytePairTokenizer.train(texts, { vocabularySize: 270 });
    tokenizer.save(file("pairs.json"));
    const loaded = data.BytePairTokenizer.load(file("pairs.json"));
    expect(loaded.vocabulary).toEqual(tokenizer.vocabulary);
    expect(loaded.encode("the lowest")).toEqual(tokenizer.encode("the lowest"));
  });
});

describe("misuse of a tokenizer", () => {
  const words = data.WordTokenizer.train(["a b"]);
  const pairs = data.BytePairTokenizer.train(["a b"]);
  words.save(file("kind.json"));
  writeFileSync(file("broken.json"), "{");
  pairs.save(file("merges.json"));
  const saved = JSON.parse(readFileSync(file("merges.json"), "utf8")) as { model: object };
  writeFileSync(
    file("merges.json"),
    JSON.stringify({ ...saved, model: { ...saved.model, merges: [["a", "never"]] } }),
  );
  refuses([
    [
      "a number for texts",
      () => data.WordTokenizer.train(3 as never),
      "TypeError",
      "WordTokenizer.train: expected texts, as an array of strings, got 3.",
    ],
    [
      "a text for texts",
      () => data.WordTokenizer.train("abc" as never),
      "TypeError",
      'WordTokenizer.train: expected texts, as an array of strings, got "abc".',
    ],
    [
      "a number among the texts",
      () => data.BytePairTokenizer.train([3] as never),
      "TypeError",
      "BytePairTokenizer.train: a text must be a string, got 3.",
    ],
    [
      "a vocabulary without room for bytes",
      () => data.BytePairTokenizer.train([], { vocabularySize: 100 }),
      "RangeError",
      "BytePairTokenizer.train: vocabularySize must be an integer of at least 257, got 100.",
    ],
    [
      "a number to encode",
      () => pairs.encode(3 as never),
      "TypeError",
      "BytePairTokenizer.encode: a text must be a string, got 3.",
    ],
    [
      "an id beyond the vocabulary",
      () => words.decode([4]),
      "RangeError",
      "WordTokenizer.decode: there is no token 4; the vocabulary has 4.",
    ],
    [
      "an id that is no integer",
      () => pairs.decode([1.5]),
      "RangeError",
      "BytePairTokenizer.decode: a token's id must be an integer of at least 0, got 1.5.",
    ],
    [
      "a file of another kind",
      () => data.BytePairTokenizer.load(file("kind.json")),
      "TypeError",
      `BytePairTokenizer.load: ${file("kind.json")} has a model of type "WordLevel", not "BPE"; load "BPE" with BytePairTokenizer, "WordLevel" with WordTokenizer.`,
    ],
    [
      "a file that is no JSON",
      () => data.WordTokenizer.load(file("broken.json")),
      "TypeError",
      `WordTokenizer.load: ${file("broken.json")} is no JSON (...`,
    ],
    [
      "merges of what is not there yet",
      () => data.BytePairTokenizer.load(file("merges.json")),
      "TypeError",
      `BytePairTokenizer.load: ${file("merges.json")} has no valid merges.`,
    ],
  ]);

  it("leaves no half-written file", () => {
    expect(() => words.save("/none/words.json")).toThrow("WordTokenizer.save: there is no folder /none.");
    expect(JSON.parse(readFileSync(file("kind.json"), "utf8"))).toMatchObject({
      model: { type: "WordLevel" },
    });
  });
});

describe("the changes of Leaflet", () => {
  it("are lines of developers' text in three classes, apart for training and testing", () => {
    const train = leafletChanges({ train: true });
    const test = leafletChanges({ train: false });
    expect(train.classes).toEqual(["documentation", "bug", "feature"]);
    expect([train.labels.bincount().tolist(), test.labels.bincount().tolist()]).toEqual([
      [85, 335, 276],
      [19, 84, 72],
    ]);
    expect(train.labels.dtype).toBe("int64");
    const index = train.texts.indexOf(
      "Fix vector drifts when zoomAnimation is false and zooming via flyTo or pinch",
    );
    expect(train.labels.select(0, index).item()).toBe(1);
    expect(train.texts.filter((text) => test.texts.includes(text) || /\]\(|`|#\d/.test(text))).toEqual([]);
  });

  it("teach a classifier: tokenizer, padding collate, embedding and pooling", () => {
    torch.manualSeed(0);
    const { texts, labels, classes } = leafletChanges({ train: true });
    const tokenizer = data.WordTokenizer.train(texts, { minFrequency: 2 });
    const encode = (text: string) => torch.tensor(tokenizer.encode(text), { dtype: "int64" });
    const items = texts.map((text, i): [Tensor, number] => [encode(text), labels.select(0, i).item()]);
    const collateFn = data.padCollate() as (items: [Tensor, number][]) => Tensor[];
    const loader = new data.DataLoader(items as never, { batchSize: 32, shuffle: true, collateFn });
    const embedding = new nn.Embedding(tokenizer.vocabulary.length, 32, { paddingIdx: 0 });
    const head = new nn.Linear(32, classes.length);
    const logits = (tokens: Tensor, lengths: Tensor) =>
      head(embedding(tokens).sum(1).div(lengths.unsqueeze(1)));
    const optimizer = new optim.Adam([...embedding.parameters(), ...head.parameters()], { lr: 0.02 });
    for (let epoch = 0; epoch < 8; epoch++) {
      for (const [tokens, lengths, targets] of loader) {
        optimizer.zeroGrad();
        F.crossEntropy(logits(tokens!, lengths!), targets!).backward();
        optimizer.step();
      }
    }
    const test = leafletChanges({ train: false });
    const [tokens, lengths] = data.padCollate()(test.texts.map(encode)) as [Tensor, Tensor];
    const right = logits(tokens, lengths).argmax(1).eq(test.labels).float().mean().item();
    // The most frequent class alone is right for 84 of 175.
    expect(right).toBeGreaterThan(0.7);
  });
});
