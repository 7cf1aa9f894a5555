// A right call of everything in `data`: datasets, samplers, loaders, images, texts and transforms.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { data, torch, type Tensor } from "../../../../lib/index.ts";
import { anything, inFolder, long, ofNames, ones, type RightCalls, under } from "./right_calls.ts";

const fixtures = path.resolve(import.meta.dirname, "../../../fixtures");
const dataset = () => new data.TensorDataset(torch.arange(6).reshape([3, 2]), long(0, 1, 2));
const generator = () => new torch.Generator().manualSeed(1);
const image = (): Tensor => torch.rand([3, 8, 8]);
const IMAGE = path.join(fixtures, "images", "rgb.png");
const DIGITS = inFolder("digits.idx");
writeFileSync(DIGITS, Uint8Array.of(0, 0, 8, 1, 0, 0, 0, 2, 7, 9));
const PEOPLE = inFolder("people.csv");
writeFileSync(PEOPLE, "Ada,36\n");
const PICTURES = inFolder("pictures");
mkdirSync(path.join(PICTURES, "red"), { recursive: true });
copyFileSync(IMAGE, path.join(PICTURES, "red", "1.png"));
const texts = ["to be or not to be", "that is the question"];
const words = () => data.WordTokenizer.train(texts);
const pairs = () => data.BytePairTokenizer.train(texts, { vocabularySize: 260, minFrequency: 2 });
const saved = (tokenizer: { save(file: string): void }, name: string) => {
  tokenizer.save(inFolder(name));
  return inFolder(name);
};
const fill = { fill: 0, paddingMode: "constant" };
const affine = { interpolation: "bilinear", fill: 0, center: [4, 4] };
const resize = { interpolation: "bilinear", antialias: true };

const grid = { nrow: 2, padding: 1, normalize: true, valueRange: [0, 1], scaleEach: true, padValue: 1 };

const people = () => data.readCsv("name,age\nAda,36\nBob,22\n");

const TRANSFORMS: Readonly<Record<string, readonly unknown[]>> = {
  CenterCrop: [[4, 4]],
  ColorJitter: [{ brightness: 0.1, contrast: 0.1, saturation: [0.9, 1.1], hue: 0.1 }],
  Compose: [[new data.transforms.CenterCrop(4)]],
  GaussianBlur: [
    [3, 5],
    [0.1, 2],
  ],
  Grayscale: [3],
  Normalize: [
    [0.5, 0.5, 0.5],
    [0.5, 0.5, 0.5],
  ],
  Pad: [[1, 1, 2, 2], fill],
  RandAugment: [2, 9, 31, { interpolation: "bilinear", fill: 0 }],
  RandomAdjustSharpness: [2, 0.5],
  RandomAffine: [10, { ...affine, translate: [0.1, 0.1], scale: [0.9, 1.1], shear: [-5, 5] }],
  RandomApply: [[new data.transforms.CenterCrop(4)], 0.5],
  RandomAutocontrast: [0.5],
  RandomCrop: [[4, 4], { ...fill, padding: 1, padIfNeeded: true }],
  RandomEqualize: [0.5],
  RandomErasing: [0.5, { scale: [0.02, 0.33], ratio: [0.3, 3.3], value: 0 }],
  RandomGrayscale: [0.5],
  RandomHorizontalFlip: [0.5],
  RandomInvert: [0.5],
  RandomPosterize: [3, 0.5],
  RandomResizedCrop: [[4, 4], { ...resize, scale: [0.5, 1], ratio: [0.75, 1.3] }],
  RandomRotation: [[-10, 10], affine],
  RandomSolarize: [0.5, 0.5],
  RandomVerticalFlip: [0.5],
  Resize: [4, { ...resize, maxSize: 6 }],
  ToDtype: ["float32", { scale: true }],
  ToTensor: [],
  TrivialAugmentWide: [31, { interpolation: "bilinear", fill: 0 }],
};

type TransformClass = new (...args: unknown[]) => unknown;
const classes = data.transforms as unknown as Readonly<Record<string, TransformClass>>;
const transforms: RightCalls = Object.fromEntries(
  Object.entries(TRANSFORMS).flatMap(([name, make]) => [
    [`transforms.${name}`, () => make],
    [`transforms.${name}#forward`, () => [new classes[name]!(...make), image()]],
  ]),
);

export const dataCalls: RightCalls = under("data", {
  ...transforms,
  TensorDataset: () => [ones(3, 2), long(0, 1, 2)],
  "TensorDataset#get": () => [dataset(), 1],
  "TensorDataset#getBatch": () => [dataset(), [0, 2]],
  StackDataset: () => [ofNames({ first: dataset(), second: dataset() })],
  "StackDataset#get": () => [new data.StackDataset({ first: dataset(), second: dataset() }), 1],
  ConcatDataset: () => [[dataset(), dataset()]],
  "ConcatDataset#get": () => [new data.ConcatDataset([dataset(), dataset()]), 4],
  ChainDataset: () => [[[1, 2], [3]]],
  Subset: () => [dataset(), [0, 2]],
  "Subset#get": () => [new data.Subset(dataset(), [0, 2]), 1],
  TransformedDataset: () => [dataset(), (x: Tensor) => x],
  "TransformedDataset#get": () => [new data.TransformedDataset(dataset(), (x: Tensor) => x), 1],
  readCsv: () => [
    PEOPLE,
    {
      delimiter: ",",
      header: ["name", "age"],
      types: ofNames({ name: "string" }),
      missing: [""],
      defaultMissing: true,
      decimal: ".",
      thousands: "_",
      dateFormat: "%d.%m.%Y",
      comment: "#",
      rows: 1,
      encoding: "utf-8",
    },
  ],
  Table: () => [ofNames({ age: [36, 22] })],
  "Table.fromRecords": () => [[{ age: 36 }]],
  "Table#column": () => [people(), "age"],
  "Table#get": () => [people(), 1],
  "Table#records": () => [people()],
  "Table#head": () => [people(), 1],
  "Table#tail": () => [people(), 1],
  "Table#toCsv": () => [people(), "people.csv"],
  "Table#take": () => [people(), [1, 0]],
  "Table#select": () => [people(), ["age"]],
  "Table#filter": () => [people(), () => true],
  "Table#sortBy": () => [people(), "age", { descending: true }],
  "Table#groupBy": () => [people(), ["name"]],
  "Table#join": () => [people(), people(), { on: "name", how: "left", suffix: "_other" }],
  "Table#withColumn": () => [people(), "tall", [true, false]],
  "Table#dropMissing": () => [people(), ["age"]],
  "Table#rename": () => [people(), ofNames({ age: "years" })],
  "Table#fillMissing": () => [people(), ofNames({ age: 1 })],
  "Table#concat": () => [people(), people()],
  "Table#describe": () => [people()],
  "Table#toTensor": () => [people(), ["age"], { dtype: "float32", device: "cpu" }],
  randomSplit: () => [dataset(), [2, 1], generator()],
  SequentialSampler: () => [dataset()],
  RandomSampler: () => [dataset(), { replacement: true, numSamples: 2, generator: generator() }],
  SubsetRandomSampler: () => [[0, 2], generator()],
  WeightedRandomSampler: () => [[0.5, 0.5], 2, { replacement: true, generator: generator() }],
  BatchSampler: () => [new data.SequentialSampler(dataset()), 2, false],
  DataLoader: () => [
    dataset(),
    {
      batchSize: 2,
      shuffle: true,
      dropLast: false,
      collateFn: (items: unknown[]) => items,
      generator: generator(),
      numWorkers: 0,
      pinMemory: false,
    },
  ],
  "DataLoader#close": () => [new data.DataLoader(dataset())],
  defaultCollate: () => [
    [
      { x: ones(2), y: 1 },
      { x: ones(2), y: 2 },
    ],
  ],
  padCollate: () => [{ paddingValue: 0, paddingSide: "right" }],
  diagnoseLoader: () => [
    new data.DataLoader(dataset()),
    { mostWorkers: 0, batches: 1, seconds: 1, timeout: 1 },
  ],
  getWorkerInfo: () => [],
  workerDataset: () => [path.join(fixtures, "datasets", "numbers.mjs"), anything],
  readIdx: () => [DIGITS],
  readImage: () => [IMAGE, "rgb"],
  makeGrid: () => [torch.rand([3, 1, 4, 4]), grid],
  saveImage: () => [torch.rand([3, 1, 4, 4]), inFolder("grid.png"), grid],
  decodeImage: () => [readFileSync(IMAGE), "rgb"],
  ImageFolder: () => [
    PICTURES,
    {
      transform: (x: Tensor) => x,
      targetTransform: (y: number) => y,
      isValidFile: () => true,
      allowEmpty: true,
    },
  ],
  "ImageFolder#get": () => [data.imageFolder(PICTURES), 0],
  imageFolder: () => [PICTURES, { allowEmpty: true }],
  mnist: () => [{ train: false }],
  MNIST: () => [
    "no such folder",
    {
      train: false,
      transform: (image: Tensor) => image,
      targetTransform: (digit: number) => digit,
      download: true,
    },
  ],
  "MNIST#get": () => [new data.MNIST("no such folder", { train: false }), 0],
  "WordTokenizer.train": () => [texts, { vocabularySize: 10, minFrequency: 1, lowercase: true }],
  "WordTokenizer.load": () => [saved(words(), "words.json")],
  "WordTokenizer#encode": () => [words(), "to be"],
  "WordTokenizer#decode": () => [words(), [2, 3]],
  "WordTokenizer#save": () => [words(), inFolder("words.json")],
  "BytePairTokenizer.train": () => [texts, { vocabularySize: 260, minFrequency: 2 }],
  "BytePairTokenizer.load": () => [saved(pairs(), "pairs.json")],
  "BytePairTokenizer#encode": () => [pairs(), "to be"],
  "BytePairTokenizer#decode": () => [pairs(), [5, 6]],
  "BytePairTokenizer#save": () => [pairs(), inFolder("pairs.json")],
});
