// Tests the errors of layers for wrong sizes and wrong inputs, before libtorch is asked.
import { describe } from "vitest";
import { nn, torch, type Tensor } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

describe("a layer's constructor", () => {
  refuses([
    [
      "Linear with a fraction",
      () => new nn.Linear(1.5, 2),
      "RangeError",
      "new nn.Linear: inFeatures must be an integer of at least 0, got 1.5.",
    ],
    [
      "Linear with NaN",
      () => new nn.Linear(2, Number.NaN),
      "RangeError",
      "new nn.Linear: outFeatures must be an integer of at least 0, got NaN.",
    ],
    [
      "Linear with a string",
      () => new nn.Linear("2" as never, 2),
      "TypeError",
      'new nn.Linear: inFeatures must be an integer, got "2".',
    ],
    [
      "Linear with a negative size",
      () => new nn.Linear(-1, 2),
      "RangeError",
      "new nn.Linear: inFeatures must be an integer of at least 0, got -1.",
    ],
    [
      "Linear with an unknown option",
      () => new nn.Linear(2, 2, { bais: false } as never),
      "TypeError",
      'new nn.Linear: unknown option "bais"; it takes bias, device, dtype.',
    ],
    [
      "Linear with a bias that is no boolean",
      () => new nn.Linear(2, 2, { bias: 0 as never }),
      "TypeError",
      "new nn.Linear: bias must be true or false, got 0.",
    ],
    [
      "Linear with a number for its bias",
      () => new nn.Linear(2, 2, 1 as never),
      "TypeError",
      "new nn.Linear: bias must be true or false, got 1.",
    ],
    [
      "Conv2d without channels",
      () => new nn.Conv2d(0, 1, 3),
      "RangeError",
      "new nn.Conv2d: inChannels must be an integer of at least 1, got 0.",
    ],
    [
      "Conv2d with three kernel sizes",
      () => new nn.Conv2d(1, 1, [3, 3, 3]),
      "RangeError",
      "new nn.Conv2d: kernelSize takes one number or 2 of them, got [3, 3, 3].",
    ],
    [
      "Conv2d with groups that do not divide",
      () => new nn.Conv2d(3, 4, 1, { groups: 2 }),
      "RangeError",
      "new nn.Conv2d: inChannels and outChannels must be multiples of groups, got 3, 4 and 2.",
    ],
    [
      "Conv2d with an unknown padding",
      () => new nn.Conv2d(1, 1, 3, { padding: "full" as never }),
      "TypeError",
      'new nn.Conv2d: padding must be one of "same", "valid", got "full".',
    ],
    [
      "Conv2d with same padding and a stride",
      () => new nn.Conv2d(1, 1, 3, { padding: "same", stride: 2 }),
      "RangeError",
      'new nn.Conv2d: padding "same" needs stride 1, got [2, 2].',
    ],
    [
      "Conv2d with an unknown padding mode",
      () => new nn.Conv2d(1, 1, 3, { paddingMode: "wrap" as never }),
      "TypeError",
      'new nn.Conv2d: paddingMode must be one of "zeros", "reflect", "replicate", "circular", got "wrap".',
    ],
    [
      "MaxPool2d with stride 0",
      () => new nn.MaxPool2d(2, { stride: 0 }),
      "RangeError",
      "new nn.MaxPool2d: stride must be an integer of at least 1, got 0.",
    ],
    [
      "MaxPool2d with too much padding",
      () => new nn.MaxPool2d(2, { padding: 2 }),
      "RangeError",
      "new nn.MaxPool2d: padding must be at most half of kernelSize, got 2 and 2.",
    ],
    [
      "AvgPool2d with an unknown option",
      () => new nn.AvgPool2d(2, { dilation: 2 } as never),
      "TypeError",
      'new nn.AvgPool2d: unknown option "dilation"; it takes stride, padding, ceilMode, countIncludePad, divisorOverride.',
    ],
    [
      "Dropout above 1",
      () => new nn.Dropout(1.5),
      "RangeError",
      "new nn.Dropout: p must be at least 0 and at most 1, got 1.5.",
    ],
    [
      "Dropout of NaN",
      () => new nn.Dropout(Number.NaN),
      "RangeError",
      "new nn.Dropout: p must be a number, got NaN.",
    ],
    [
      "Flatten from a fraction",
      () => new nn.Flatten(0.5),
      "RangeError",
      "new nn.Flatten: startDim must be an integer, got 0.5.",
    ],
    [
      "Unflatten to a number",
      () => new nn.Unflatten(1, 4 as never),
      "TypeError",
      "new nn.Unflatten: unflattenedSize must be a list of sizes, got 4.",
    ],
    [
      "GELU with an unknown approximation",
      () => new nn.GELU({ approximate: "erf" as never }),
      "TypeError",
      'new nn.GELU: approximate must be one of "none", "tanh", got "erf".',
    ],
    [
      "Softmax without a dimension",
      () => new nn.Softmax(undefined as never),
      "TypeError",
      "new nn.Softmax: dim must be an integer, got undefined.",
    ],
    [
      "GroupNorm with groups that do not divide",
      () => new nn.GroupNorm(3, 4),
      "RangeError",
      "new nn.GroupNorm: numChannels must be a multiple of numGroups, got 4 and 3.",
    ],
    [
      "LayerNorm over nothing",
      () => new nn.LayerNorm([]),
      "RangeError",
      "new nn.LayerNorm: normalizedShape must name at least one dimension, got [].",
    ],
    [
      "BatchNorm with a momentum above 1",
      () => new nn.BatchNorm1d(2, { momentum: 2 }),
      "RangeError",
      "new nn.BatchNorm1d: momentum must be at least 0 and at most 1, got 2.",
    ],
    [
      "Embedding with padding outside",
      () => new nn.Embedding(3, 2, { paddingIdx: 3 }),
      "RangeError",
      "new nn.Embedding: paddingIdx must be below 3, got 3.",
    ],
    [
      "CrossEntropyLoss with an unknown reduction",
      () => new nn.CrossEntropyLoss({ reduction: "avg" as never }),
      "TypeError",
      'new nn.CrossEntropyLoss: reduction must be one of "mean", "sum", "none", got "avg".',
    ],
    [
      "Sequential of a function",
      () => new nn.Sequential((() => 1) as unknown as nn.ReLU),
      "TypeError",
      "Sequential: layer 0 must be a module, got a function.",
    ],
    [
      "Sequential of a class instead of an instance",
      () => new nn.Sequential(nn.ReLU as unknown as nn.ReLU),
      "TypeError",
      "Sequential: layer 0 must be a module, got the function ReLU.",
    ],
    [
      "Sequential with a name of its own",
      () => new nn.Sequential({ forward: new nn.ReLU() }),
      "TypeError",
      'Sequential: a layer cannot be named "forward", which Sequential itself uses. Choose another name.',
    ],
  ]);
});

describe("a layer's input", () => {
  refuses([
    [
      "Linear given numbers",
      () => new nn.Linear(2, 2)([1, 2] as never),
      "TypeError",
      "Linear(inFeatures=2, outFeatures=2, bias=true): the input must be a tensor, got [1, 2].",
    ],
    [
      "Linear given another size",
      () => new nn.Linear(4, 2)(torch.ones([3, 5]) as Tensor),
      "RangeError",
      "Linear(inFeatures=4, outFeatures=2, bias=true): the input's last dimension must be 4, got shape [3, 5].",
    ],
    [
      "Linear given a scalar",
      () => new nn.Linear(4, 2)(torch.ones([])),
      "RangeError",
      "Linear(inFeatures=4, outFeatures=2, bias=true): the input's last dimension must be 4, got shape [].",
    ],
    [
      "Conv2d given a matrix",
      () => new nn.Conv2d(1, 2, 3)(torch.ones([28, 28])),
      "RangeError",
      "Conv2d(1, 2, kernelSize=[3, 3], stride=[1, 1]): the input must be [batch, channels, height, width] or [channels, height, width], got shape [28, 28].",
    ],
    [
      "Conv2d given other channels",
      () => new nn.Conv2d(3, 2, 3)(torch.ones([8, 1, 28, 28]) as Tensor),
      "RangeError",
      "Conv2d(3, 2, kernelSize=[3, 3], stride=[1, 1]): the input must have 3 channels, got 1 in shape [8, 1, 28, 28].",
    ],
    [
      "MaxPool2d given a vector",
      () => new nn.MaxPool2d(2)(torch.ones([4])),
      "RangeError",
      "MaxPool2d(kernelSize=2, stride=2, padding=0, dilation=1, ceilMode=false): the input must be [batch, channels, height, width] or [channels, height, width], got shape [4].",
    ],
    [
      "BatchNorm2d given one item",
      () => new nn.BatchNorm2d(3)(torch.ones([3, 4, 4])),
      "RangeError",
      "BatchNorm2d(3, eps=0.00001, momentum=0.1, affine=true, trackRunningStats=true): the input must be [batch, channels, height, width], got shape [3, 4, 4].",
    ],
    [
      "BatchNorm1d given other channels",
      () => new nn.BatchNorm1d(3)(torch.ones([2, 4])),
      "RangeError",
      "BatchNorm1d(3, eps=0.00001, momentum=0.1, affine=true, trackRunningStats=true): the input must be [batch, 3] or [batch, 3, length], got shape [2, 4].",
    ],
    [
      "LayerNorm given another size",
      () => new nn.LayerNorm(4)(torch.ones([2, 3])),
      "RangeError",
      "LayerNorm([4], eps=0.00001, elementwiseAffine=true, bias=true): the input's last dimensions must be [4], got shape [2, 3].",
    ],
    [
      "Embedding given fractions",
      () => new nn.Embedding(4, 2)(torch.ones([2]) as Tensor),
      "TypeError",
      'Embedding(4, 2): indices must be int64 or int32, got float32; convert them with input.to("int64").',
    ],
    [
      "Flatten given too few dimensions",
      () => new nn.Flatten(2)(torch.ones([2])),
      "RangeError",
      "Flatten(startDim=2, endDim=-1): an input of 1 dimensions has no dimension 2.",
    ],
    [
      "ReLU given a string",
      () => new nn.ReLU()("x" as never),
      "TypeError",
      'ReLU(): the input must be a tensor, got "x".',
    ],
    [
      "Dropout given nothing",
      () => new nn.Dropout()(undefined as never),
      "TypeError",
      "Dropout(p=0.5): the input must be a tensor, got undefined.",
    ],
    [
      "a disposed tensor",
      () => {
        const gone = torch.ones([2]);
        gone.dispose();
        new nn.Linear(2, 2)(gone);
      },
      "UseAfterDisposeError",
      "This tensor was disposed and has no memory any more: keep it out of tidy by returning it, or dispose it after its last use.",
    ],
  ]);
});
