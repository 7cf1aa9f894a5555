// Losses with usual and with wrong targets. losses.py has the same programs.
import { functional as F, nn, torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs, refused } from "./helpers.ts";

const float = (values: number | number[] | number[][]): Tensor => torch.tensor(values, { dtype: "float32" });
const whole = (values: number | number[] | number[][] | number[][][]): Tensor =>
  torch.tensor(values, { dtype: "int64" });
const counted = (...shape: number[]): Tensor =>
  torch
    .arange(
      shape.reduce((n, s) => n * s, 1),
      { dtype: "float32" },
    )
    .reshape(shape);
const zeros = (...shape: number[]): Tensor => torch.zeros(shape);
const logits = () =>
  float([
    [1, 2, 0.5],
    [0.1, -1, 3],
  ]).requiresGrad_();

function backward(loss: Tensor, x: Tensor) {
  loss.backward();
  return [loss, x.grad];
}

export const losses: Programs = {
  crossEntropy() {
    const x = logits();
    return backward(new nn.CrossEntropyLoss()(x, whole([1, 2])), x);
  },
  crossEntropyOfProbabilities() {
    const x = logits();
    const target = float([
      [0.2, 0.8, 0],
      [0, 0, 1],
    ]);
    return backward(new nn.CrossEntropyLoss()(x, target), x);
  },
  crossEntropyOfFloatClasses: () => new nn.CrossEntropyLoss()(logits(), float([1, 2])),
  crossEntropyOfInt32Classes: () => new nn.CrossEntropyLoss()(logits(), whole([1, 2]).int()),
  crossEntropyOfAColumn: () => new nn.CrossEntropyLoss()(logits(), whole([[1], [2]])),
  crossEntropyOfAClassTooMany: () => new nn.CrossEntropyLoss()(logits(), whole([1, 3])),
  crossEntropyOfANegativeClass: () => new nn.CrossEntropyLoss()(logits(), whole([1, -1])),
  crossEntropyIgnores() {
    const x = logits();
    return backward(new nn.CrossEntropyLoss({ ignoreIndex: 2 })(x, whole([1, 2])), x);
  },
  crossEntropyIgnoresMinusHundred: () => new nn.CrossEntropyLoss()(logits(), whole([1, -100])),
  crossEntropyIgnoresAll: () => [
    new nn.CrossEntropyLoss()(logits(), whole([-100, -100])),
    new nn.CrossEntropyLoss({ reduction: "sum" })(logits(), whole([-100, -100])),
  ],
  crossEntropyOfAnEmptyBatch: () => new nn.CrossEntropyLoss()(zeros(0, 3), zeros(0).long()),
  crossEntropyWithWeights() {
    const x = logits();
    return backward(new nn.CrossEntropyLoss({ weight: float([1, 2, 0.5]) })(x, whole([1, 2])), x);
  },
  crossEntropyWithTooFewWeights: () =>
    new nn.CrossEntropyLoss({ weight: torch.ones([2]) })(logits(), whole([1, 2])),
  crossEntropySmoothed() {
    const x = logits();
    return backward(new nn.CrossEntropyLoss({ labelSmoothing: 0.1 })(x, whole([1, 2])), x);
  },
  crossEntropyOverPixels() {
    const target = whole([
      [
        [0, 1],
        [2, 0],
      ],
    ]);
    return new nn.CrossEntropyLoss({ reduction: "none" })(counted(1, 3, 2, 2), target);
  },
  crossEntropyWithClassesLast: () => F.crossEntropy(zeros(2, 4, 3), zeros(2, 4).long()),
  crossEntropyOfAnotherBatch: () => F.crossEntropy(logits(), whole([1])),
  crossEntropyWithoutABatch: () => F.crossEntropy(float([1, 2]), whole(1)),
  nllOfWhatIsNoLog: () => [
    F.nllLoss(float([[0.3, 0.7]]), whole([1])),
    F.nllLoss(float([[0.3, 0.7]]).log(), whole([1])),
  ],
  softmaxBeforeCrossEntropy() {
    const x = logits();
    return backward(F.crossEntropy(F.softmax(x, 1), whole([1, 2])), x);
  },
  mse() {
    const x = leaf(1, 2, 3);
    return backward(new nn.MSELoss()(x, float([1, 1, 1])), x);
  },
  mseOfIntegers() {
    const x = leaf(1, 2);
    return backward(F.mseLoss(x, whole([1, 1])), x);
  },
  mseOfDoubles: () => F.mseLoss(leaf(1, 2), float([1, 1]).double()).dtype,
  mseOfAColumnBroadcasts: () => F.mseLoss(counted(3), counted(3, 1)),
  mseOfShapesThatDoNotFit: () => F.mseLoss(zeros(3), zeros(2)),
  mseOfAnEmptyBatch: () => [
    F.mseLoss(zeros(0), zeros(0)),
    F.mseLoss(zeros(0), zeros(0), { reduction: "sum" }),
  ],
  reductions() {
    const [x, y] = [float([1, 5]), float([2, 2])];
    return [
      (["none", "mean", "sum"] as const).map((reduction) => F.l1Loss(x, y, { reduction })),
      refused(() => F.l1Loss(x, y, { reduction: "average" as never })),
    ];
  },
  huberAndSmoothL1() {
    const [x, y] = [leaf(0.5, 3, -3), zeros(3)];
    return [
      F.huberLoss(x, y, { delta: 2 }),
      F.smoothL1Loss(x, y, { beta: 0.5 }),
      F.smoothL1Loss(x, y, { beta: 0 }),
    ];
  },
  huberOfIntegers: () => F.huberLoss(leaf(1, 3), whole([0, 0])),
  bceWithLogits() {
    const x = leaf(2, -1);
    return backward(new nn.BCEWithLogitsLoss()(x, float([1, 0])), x);
  },
  bceWithLogitsOfIntegers: () => new nn.BCEWithLogitsLoss()(leaf(2, -1), whole([1, 0])),
  bceWithLogitsOfTruthValues() {
    const target: Tensor = torch.tensor([true, false]);
    return new nn.BCEWithLogitsLoss()(leaf(2, -1), target);
  },
  bceWithLogitsOfAnotherShape: () => new nn.BCEWithLogitsLoss()(zeros(2, 1), zeros(2)),
  bceWithAWeightOfPositives() {
    const x = leaf(2, -1);
    return backward(new nn.BCEWithLogitsLoss({ posWeight: float(3) })(x, float([1, 0])), x);
  },
  bceOfLogitsWithoutSigmoid: () => F.binaryCrossEntropy(float([2, -1]), float([1, 0])),
  bceAtTheEnds() {
    const x = leaf(0, 1);
    return [F.binaryCrossEntropy(x, float([1, 0])), refused(() => F.binaryCrossEntropy(x, float([2, 0])))];
  },
  klDivergence() {
    const p = float([[0.3, 0.7]]);
    const q = float([[0.5, 0.5]]).log();
    return [
      F.klDiv(q, p),
      F.klDiv(q, p, { reduction: "batchmean" }),
      F.klDiv(q, p.log(), { logTarget: true, reduction: "sum" }),
      F.klDiv(q, float([[0, 1]]), { reduction: "none" }),
    ];
  },
  cosineEmbedding() {
    const a = float([
      [1, 0],
      [0, 2],
    ]);
    const b = float([
      [1, 1],
      [0, -1],
    ]);
    return [F.cosineEmbeddingLoss(a, b, whole([1, -1])), F.cosineSimilarity(a, zeros(2, 2))];
  },
  triplets() {
    const [a, p, n] = [zeros(2, 2), torch.ones([2, 2]), torch.full([2, 2], 1.2)];
    return [F.tripletMarginLoss(a, p, n), F.tripletMarginLoss(a, p, n, { margin: 0.1, swap: true })];
  },
  margins() {
    const x = logits();
    const labels = float([
      [1, 0, 1],
      [0, 0, 1],
    ]);
    const places = whole([
      [1, -1, 0],
      [2, 0, -1],
    ]);
    return [
      F.multiMarginLoss(x, whole([1, 2])),
      F.multilabelSoftMarginLoss(x, labels),
      F.marginRankingLoss(float([1]), float([2]), float([1])),
      F.hingeEmbeddingLoss(float([0.5, 2]), float([1, -1])),
      F.softMarginLoss(float([0.5, 2]), float([1, -1])),
      F.multilabelMarginLoss(x, places),
    ];
  },
  gaussianAndPoisson() {
    const x = leaf(1, 2);
    return [
      F.gaussianNllLoss(x, zeros(2), float([0.5, 0])),
      F.poissonNllLoss(x, float([1, 3])),
      F.poissonNllLoss(x, float([1, 3]), { logInput: false, full: true }),
      refused(() => F.gaussianNllLoss(x, zeros(2), float([-1, 1]))),
    ];
  },
  ctc() {
    const x = counted(4, 2, 3).sin().logSoftmax(2).requiresGrad_();
    const targets = whole([
      [1, 2],
      [2, 1],
    ]);
    return backward(F.ctcLoss(x, targets, whole([4, 3]), whole([2, 1])), x);
  },
  ctcOfATargetTooLong() {
    const x = zeros(2, 1, 3).logSoftmax(2);
    const [t, i, n] = [whole([[1, 1, 2]]), whole([2]), whole([3])];
    return [F.ctcLoss(x, t, i, n), F.ctcLoss(x, t, i, n, { zeroInfinity: true })];
  },
  lossOfHalfPrecision() {
    const x = float([[1, 2]]).bfloat16();
    return [F.crossEntropy(x, whole([0])), F.mseLoss(x, x.add(1))];
  },
  lossAddedUpKeepsItsGraph() {
    const x = leaf(1, 2);
    let total = torch.tensor(0) as Tensor;
    for (let i = 0; i < 3; i++) total = total.add(x.pow(2).sum());
    return [total.requiresGrad, backward(total, x)];
  },
  lossAddedUpAsNumbers() {
    const x = leaf(1, 2);
    let total = 0;
    for (let i = 0; i < 3; i++) total += x.pow(2).sum().item();
    return total;
  },
  lossOfArgumentsSwapped: () => F.crossEntropy(whole([1, 2]), logits()),
  accuracy() {
    const x = logits();
    return [
      x
        .argmax(1)
        .eq(whole([1, 0]))
        .float()
        .mean(),
      x
        .argmax(1)
        .eq(whole([[1], [0]]))
        .float()
        .mean(),
    ];
  },
};
