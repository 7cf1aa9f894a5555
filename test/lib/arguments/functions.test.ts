// Walks over the functions of `functional` as places.test.ts does over layers: each default at its place and under its name
// gives what the needed arguments alone give, a wrong value at any place is refused, and the kernel's check accepts each call.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functional as F, torch } from "../../../lib/index.ts";
import { NotebookSession } from "../../kernel/language/notebook_session.ts";
import { NULL_ONLY } from "./needed.ts";
import { camel, type Parameter, parametersOf, signatures } from "./signatures.ts";

/** The functions by what they need. */
const NEEDED: Readonly<Record<string, string>> = {
  x: "alphaDropout celu celu_ dropout elu elu_ featureAlphaDropout gumbelSoftmax hardshrink hardsigmoid hardswish hardtanh hardtanh_ leakyRelu leakyRelu_ mish normalize pdist relu relu6 rrelu rrelu_ selu silu softplus softshrink",
  "x.view(3, 2)": "glu",
  "x, y":
    "binaryCrossEntropyWithLogits cosineSimilarity hingeEmbeddingLoss huberLoss klDiv l1Loss mseLoss multilabelSoftMarginLoss pairwiseDistance poissonNllLoss smoothL1Loss softMarginLoss",
  "y, y": "binaryCrossEntropy",
  "x, labels": "crossEntropy multiMarginLoss nllLoss",
  "x, bag": "multilabelMarginLoss",
  "x, y, sign": "cosineEmbeddingLoss",
  "x, x, y": "marginRankingLoss",
  "x, y, y": "gaussianNllLoss",
  "x, y, x": "tripletMarginLoss tripletMarginWithDistanceLoss",
  "line, 2": "adaptiveMaxPool1d avgPool1d maxPool1d",
  "image, 2":
    "adaptiveMaxPool2d avgPool2d interpolate localResponseNorm maxPool2d unfold upsample upsampleNearest",
  "image, 4": "upsampleBilinear",
  "cube, 2": "adaptiveMaxPool3d avgPool3d maxPool3d",
  line: "dropout1d instanceNorm",
  image: "dropout2d",
  cube: "dropout3d",
  "line, 2, 2": "lpPool1d",
  "image, 2, 2": "lpPool2d",
  "cube, 2, 2": "lpPool3d",
  "image, 1": "groupNorm",
  "columns, [4, 4], 2": "fold",
  "labels, x": "embedding",
  "bag, x": "embeddingBag",
  "theta, [1, 1, 2, 2]": "affineGrid",
  "image, grid": "gridSample",
  labels: "oneHot",
  "x, [1, 1]": "pad",
  "x, [3]": "layerNorm rmsNorm",
  "x, y.at(0), y.at(1)": "batchNorm",
};

/** PyTorch's names of parameters that are another here, or have no effect but PyTorch's own. */
const OWN_NAMES: Readonly<Record<string, string>> = { lambda: "lambd" };

const tensors = {
  x: torch.tensor([
    [0.1, -0.2, 0.3],
    [0.4, 0.5, -0.6],
  ]),
  y: torch.tensor([
    [0.3, 0.2, 0.1],
    [0.9, 0.5, 0.6],
  ]),
  labels: torch.tensor([0, 1]),
  bag: torch.tensor([
    [0, 1, 1],
    [1, 0, 1],
  ]),
  sign: torch.tensor([1, -1]).float(),
  line: torch.arange(8).float().square().view(1, 2, 4),
  image: torch.arange(32).float().view(1, 2, 4, 4),
  cube: torch.arange(128).float().view(1, 2, 4, 4, 4),
  columns: torch.arange(36).float().view(1, 4, 9),
  theta: torch.arange(6).float().view(1, 2, 3),
  grid: torch.full([1, 2, 2, 2], 0.3),
};

interface Walked {
  readonly name: string;
  readonly needed: string;
  readonly optional: readonly Parameter[];
}

const walked = Object.entries(NEEDED).flatMap(([needed, names]) =>
  names.split(" ").map((name): Walked => {
    const call = Object.keys(signatures).find(
      (one) => one.startsWith("functional.") && camel(one.slice(11)) === name,
    )!;
    const count = needed.replaceAll(/\[.*?\]|\(.*?\)/g, "").split(", ").length;
    const all = parametersOf(call).slice(count);
    return { name, needed, optional: all.map((one) => ({ ...one, name: OWN_NAMES[one.name] ?? one.name })) };
  }),
);

const placesOf = ({ optional }: Walked) => optional.filter((one) => !one.isNamedOnly);

const callsOf = (one: Walked): string[] => {
  const places = placesOf(one);
  const given = [
    ...places.map((_, at) => places.slice(0, at + 1).map(({ value }) => value!)),
    ...one.optional
      .filter(({ theirs }) => !(theirs in NULL_ONLY))
      .map(({ name, value }) => [`{ ${name}: ${value} }`]),
  ];
  return given.map((values) => `F.${one.name}(${[one.needed, ...values].join(", ")})`);
};

const read = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(read) : (value as typeof tensors.x).tolist();
const evaluate = (text: string): unknown => {
  torch.manualSeed(1);
  const copies = Object.values(tensors).map((one) => one.clone());
  return read(new Function("F", ...Object.keys(tensors), `return ${text}`)(F, ...copies));
};

describe("each function takes its defaults where PyTorch takes them", () => {
  it.each(walked.map((one) => [one.name, one] as const))("%s", (_, one) => {
    const expected = evaluate(`F.${one.name}(${one.needed})`);
    for (const text of callsOf(one)) expect({ text, read: evaluate(text) }).toEqual({ text, read: expected });
  });

  it.each(walked.map((one) => [one.name, one] as const))("%s refuses what is wrong there", (_, one) => {
    for (const [at, { name }] of placesOf(one).entries()) {
      const before = placesOf(one)
        .slice(0, at)
        .map(({ value }) => value!);
      const text = `F.${one.name}(${[one.needed, ...before, 'Symbol("wrong")'].join(", ")})`;
      expect(() => evaluate(text), `${text}: ${name}`).toThrow();
    }
  });
});

describe("max pooling gives indices where it is asked", () => {
  it.each([1, 2, 3] as const)("in %i dimensions", (spatial) => {
    const input = [tensors.line, tensors.image, tensors.cube][spatial - 1]!;
    const pool = [F.maxPool1d, F.maxPool2d, F.maxPool3d][spatial - 1]!;
    const expected = [F.maxPool1dWithIndices, F.maxPool2dWithIndices, F.maxPool3dWithIndices][spatial - 1]!(
      input,
      2,
    );
    expect(read(pool(input, 2, { returnIndices: true }))).toEqual(read(expected));
    expect(read(pool(input, 2, null, 0, 1, false, true))).toEqual(read(expected));
    const adaptive = [F.adaptiveMaxPool1d, F.adaptiveMaxPool2d, F.adaptiveMaxPool3d][spatial - 1]!;
    expect(read(adaptive(input, 2, true))).toEqual(read(expected));
    expect(read(adaptive(input, 2, { returnIndices: true }))).toEqual(read(expected));
  });
});

describe("the kernel's check", () => {
  let notebook: NotebookSession;
  beforeAll(async () => {
    notebook = new NotebookSession();
    const declared = Object.keys(tensors).map((name) => `const ${name} = torch.zeros([2]) as Tensor;`);
    await notebook.run(`import { functional as F, torch, type Tensor } from "mpslab"; ${declared.join(" ")}`);
  });
  afterAll(() => notebook.close());

  it("knows that a pair comes with indices", async () => {
    expect(
      await notebook.problems("const [a, b]: [Tensor, Tensor] = F.maxPool2d(x, 2, { returnIndices: true });"),
    ).toEqual([]);
    expect(await notebook.problems("const [a]: [Tensor] = F.maxPool2d(x, 2);")).toHaveLength(1);
  });

  it("accepts every such call", async () => {
    expect(
      await notebook.problems(walked.flatMap((one) => callsOf(one).map((text) => `${text};`)).join("\n")),
    ).toEqual([]);
  });
});
