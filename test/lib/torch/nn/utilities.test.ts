// nn.utils: clipping against PyTorch's numbers, parameters as a vector, sequences of several lengths.
import { describe, expect, it } from "vitest";
import { nn, torch, type Tensor } from "../../../../lib/index.ts";
import { clipped, expectClose } from "./layers/recorded.ts";
import { refuses } from "../tensor/misuse.ts";

const { clipGradNorm_, clipGradValue_, clipGradsWithNorm_, getTotalNorm, rnn } = nn.utils;

function makeParameters(): Tensor[] {
  torch.manualSeed(2);
  const parameters = [new nn.Parameter(torch.randn([3, 2])), new nn.Parameter(torch.randn([4]))];
  for (const parameter of parameters) parameter.grad = torch.randn(parameter.shape).mul(3);
  return parameters;
}

const CLIPS: Record<string, (parameters: Tensor[]) => Tensor | void> = {
  norm: (p) => clipGradNorm_(p, 1.5),
  "norm within": (p) => clipGradNorm_(p, 100),
  largest: (p) => clipGradNorm_(p, 0.5, { normType: Infinity }),
  value: (p) => clipGradValue_(p, 0.7),
};

describe("clipping", () => {
  it.each(Object.entries(CLIPS))("by %s gives PyTorch's gradients", (name, clip) => {
    const parameters = makeParameters();
    const record = clipped[name]!;
    const returned = clip(parameters);
    if (record.returned === null) expect(returned).toBeUndefined();
    else expect(returned!.item()).toBeCloseTo(record.returned, 5);
    for (const [i, { grad }] of parameters.entries()) expectClose(`gradient ${i}`, grad, record.grads[i]!);
  });

  it("by a norm that was computed before equals clipping at once", () => {
    const [a, b] = [makeParameters(), makeParameters()];
    clipGradNorm_(a, 1);
    clipGradsWithNorm_(b, 1, getTotalNorm(b.map(({ grad }) => grad!)));
    for (const [i, { grad }] of a.entries()) expect(b[i]!.grad!.tolist()).toEqual(grad!.tolist());
  });

  it("leaves alone those without a gradient", () => {
    const weight = new nn.Parameter(torch.ones([2]));
    expect(clipGradNorm_(weight, 1).item()).toBe(0);
    expect(weight.grad).toBeNull();
  });

  const infinite = () => {
    const weight = new nn.Parameter(torch.ones([1]));
    weight.grad = torch.tensor([Infinity]);
    return weight;
  };

  refuses([
    [
      "a module",
      () => clipGradNorm_(new nn.Linear(1, 1) as never, 1),
      "TypeError",
      "clipGradNorm_: parameters must be a tensor or a list of tensors, got Linear(inFeatures=1, outFeatures=1, bias=true).",
    ],
    [
      "numbers",
      () => clipGradValue_([1] as never, 1),
      "TypeError",
      "clipGradValue_: parameters[0] must be a tensor, got 1.",
    ],
    [
      "a negative bound",
      () => clipGradNorm_([], -1),
      "RangeError",
      "clipGradNorm_: maxNorm must be at least 0, got -1.",
    ],
    [
      "a NaN bound",
      () => clipGradValue_([], NaN),
      "RangeError",
      "clipGradValue_: clipValue must be a number, got NaN.",
    ],
    [
      "an unknown option",
      () => clipGradNorm_([], 1, { norm: 1 } as never),
      "TypeError",
      'clipGradNorm_: unknown option "norm"; it takes normType, errorIfNonfinite, foreach.',
    ],
    [
      "an infinite norm, where it is an error",
      () => clipGradNorm_(infinite(), 1, { errorIfNonfinite: true }),
      "RangeError",
      "clipGradNorm_: the norm of order 2 is Infinity; pass { errorIfNonfinite: false } to go on with it.",
    ],
  ]);
});

describe("parameters as a vector", () => {
  it("go out and come back", () => {
    const model = new nn.Linear(2, 2);
    const vector = nn.utils.parametersToVector(model.parameters());
    expect(vector.shape).toEqual([6]);
    nn.utils.vectorToParameters(torch.arange(6).float(), model.parameters());
    expect(model.weight.tolist()).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(model.bias!.tolist()).toEqual([4, 5]);
    expect(model.weight.requiresGrad).toBe(true);
  });

  refuses([
    [
      "a vector of another length",
      () => nn.utils.vectorToParameters(torch.ones([5]), new nn.Linear(2, 2).parameters()),
      "RangeError",
      "vectorToParameters: the parameters have 6 elements, and the vector has shape [5].",
    ],
    [
      "no parameters",
      () => nn.utils.parametersToVector([]),
      "TypeError",
      "parametersToVector: expected parameters as model.parameters() gives, got [].",
    ],
  ]);
});

describe("sequences of several lengths", () => {
  const sequences = () => [[1, 2], [3], [4, 5, 6]].map((values) => torch.tensor(values).float());

  it("are padded, on either side, and cut again", () => {
    const padded = rnn.padSequence(sequences(), { batchFirst: true, paddingValue: -1 });
    expect(padded.tolist()).toEqual([
      [1, 2, -1],
      [3, -1, -1],
      [4, 5, 6],
    ]);
    const left = rnn.padSequence(sequences(), { batchFirst: true, paddingSide: "left" });
    expect(left.tolist()).toEqual([
      [0, 1, 2],
      [0, 0, 3],
      [4, 5, 6],
    ]);
    const cut = rnn.unpadSequence(padded, [2, 1, 3], { batchFirst: true });
    expect(cut.map((sequence) => sequence.tolist())).toEqual([[1, 2], [3], [4, 5, 6]]);
  });

  it("are packed step by step, and unpacked in the order they came in", () => {
    const packed = rnn.packSequence(sequences(), { enforceSorted: false });
    expect(packed.data.tolist()).toEqual([4, 1, 3, 5, 2, 6]);
    expect(packed.batchSizes.tolist()).toEqual([3, 2, 1]);
    expect(packed.sortedIndices!.tolist()).toEqual([2, 0, 1]);
    expect(packed.unsortedIndices!.tolist()).toEqual([1, 2, 0]);
    expect(rnn.unpackSequence(packed).map((sequence) => sequence.tolist())).toEqual([[1, 2], [3], [4, 5, 6]]);
    const [padded, lengths] = rnn.padPackedSequence(packed, { totalLength: 4, paddingValue: 9 });
    expect(padded.shape).toEqual([4, 3]);
    expect(padded.select(1, 1).tolist()).toEqual([3, 9, 9, 9]);
    expect(lengths.tolist()).toEqual([2, 1, 3]);
  });

  const batch = () => torch.zeros([3, 2, 4]);

  refuses([
    [
      "lengths that rise",
      () => rnn.packPaddedSequence(batch(), [2, 3]),
      "RangeError",
      "packPaddedSequence: the lengths must fall, got [2, 3]; sort the sequences, or pass { enforceSorted: false }.",
    ],
    [
      "a length of 0",
      () => rnn.packPaddedSequence(batch(), [2, 0]),
      "RangeError",
      "packPaddedSequence: lengths[1] must be an integer of at least 1, got 0.",
    ],
    [
      "a length beyond the steps",
      () => rnn.packPaddedSequence(batch(), [4, 1]),
      "RangeError",
      "packPaddedSequence: each length must be from 1 to the 3 steps of the input, got 4.",
    ],
    [
      "too few lengths",
      () => rnn.packPaddedSequence(batch(), [3]),
      "RangeError",
      "packPaddedSequence: a batch of 2 sequences needs as many lengths, got 1.",
    ],
    [
      "lengths that are none",
      () => rnn.packPaddedSequence(batch(), 3 as never),
      "TypeError",
      "packPaddedSequence: lengths must be a tensor or a list of whole numbers, got 3.",
    ],
    [
      "no dimensions to pack",
      () => rnn.packPaddedSequence(torch.zeros([3]), [3]),
      "RangeError",
      "packPaddedSequence: the input must be [time, batch, ...], got shape [3].",
    ],
    [
      "what is not packed",
      () => rnn.padPackedSequence(batch() as never),
      "TypeError",
      "padPackedSequence: expected a PackedSequence, got a Tensor.",
    ],
    [
      "a total below the longest",
      () => rnn.padPackedSequence(rnn.packPaddedSequence(batch(), [3, 1]), { totalLength: 2 }),
      "RangeError",
      "padPackedSequence: totalLength must be an integer of at least 3, got 2.",
    ],
    [
      "sequences of several widths",
      () => rnn.padSequence([torch.zeros([2, 3]), torch.zeros([2, 4])]),
      "RangeError",
      "padSequence: the sequences must be [length, 3], got shape [2, 4] at 1.",
    ],
    [
      "no sequences",
      () => rnn.padSequence([]),
      "TypeError",
      "padSequence: expected a list of tensors, got [].",
    ],
  ]);
});
