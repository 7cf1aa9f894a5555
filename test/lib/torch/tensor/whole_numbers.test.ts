// An operator that refuses int64 says where it comes from: numbers that were written as floats and are whole.
import { describe, expect, it } from "vitest";
import { functional as F, nn, torch, type Tensor } from "../../../../lib/index.ts";

const WAY =
  'Whole numbers make int64: write { dtype: "float32" } where they become a tensor, or convert it with x.float().';

const whole = torch.tensor([1.0, 0.0, 1.0]);
const matrix = torch.tensor([
  [1.0, 2.0],
  [3.0, 4.0],
]);
const floats = torch.ones([2, 2]);
const scores = torch.ones([3]);

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}

describe("the way out of whole numbers", () => {
  it.each<[string, () => unknown]>([
    ["mean", () => whole.mean()],
    ["std", () => whole.std()],
    ["softmax", () => whole.softmax(0)],
    ["multinomial", () => whole.multinomial(1)],
    ["quantile", () => whole.quantile(0.5)],
    ["matmul", () => matrix.matmul(floats)],
    ["matmul from the right", () => floats.matmul(matrix)],
    ["dot", () => whole.dot(scores)],
    ["bmm", () => matrix.unsqueeze(0).bmm(floats.unsqueeze(0))],
    ["conv1d", () => F.conv1d(matrix.unsqueeze(0), torch.ones([1, 2, 1]))],
    ["a layer", () => new nn.Linear(2, 1)(matrix)],
    ["layerNorm", () => F.layerNorm(matrix, [2])],
    ["binaryCrossEntropy", () => F.binaryCrossEntropy(scores, whole)],
    ["binaryCrossEntropyWithLogits", () => F.binaryCrossEntropyWithLogits(scores, whole)],
    ["klDiv", () => F.klDiv(scores, whole)],
    ["crossEntropy", () => F.crossEntropy(matrix, torch.tensor([0, 1]))],
    ["a fraction added in place", () => whole.add_(0.5)],
    ["dropout", () => F.dropout(whole)],
    ["linalg.inv", () => torch.linalg.inv(matrix)],
    ["complex", () => torch.complex(whole, whole)],
    ["cdist", () => torch.cdist(matrix, matrix)],
    ["addcdiv", () => scores.addcdiv(whole, whole)],
    ["pow", () => whole.pow(-1)],
    ["isclose", () => torch.isclose(whole, scores)],
    ["allclose", () => torch.allclose(scores, whole)],
    ["scatter", () => torch.zeros([3]).scatter(0, torch.tensor([0]), torch.tensor([5.0]))],
    ["indexAdd", () => scores.indexAdd(0, torch.tensor([0]), torch.tensor([5.0]))],
    ["put_", () => torch.zeros([2]).put_(torch.tensor([0]), torch.tensor([9.0]))],
    ["quantiles", () => scores.quantile(torch.tensor([0, 1]))],
    ["linalg.lstsq", () => torch.linalg.lstsq(matrix, matrix)],
    ["gaussianNllLoss", () => F.gaussianNllLoss(scores, scores, whole)],
    ["cosineSimilarity", () => F.cosineSimilarity(matrix, matrix)],
  ])("is said by %s", (_, act) => {
    const message = messageOf(act);
    expect(message.slice(-WAY.length)).toBe(WAY);
    expect(message).not.toContain("Convert ");
  });

  it("is said where gradients are asked for", () => {
    for (const act of [
      () => torch.tensor([1.0, 2.0], { requiresGrad: true }),
      () => torch.full([2], 1, { requiresGrad: true }),
      () => new nn.Parameter(torch.tensor([1.0])),
      () => whole.norm(),
      () => F.crossEntropy(floats, matrix),
    ])
      expect(messageOf(act)).toContain('whole numbers make int64, so write { dtype: "float32" }');
  });

  it.each<[string, () => unknown]>([
    ["an index that is no int64", () => whole.gather(0, scores)],
    ["a source that is no int64", () => scores.scatter(0, torch.tensor([0]), scores.double())],
    ["an index of int64 beside it", () => scores.indexAdd(0, scores, whole)],
    ["classes that are floats", () => F.nllLoss(floats, torch.ones([2]))],
    ["another dtype", () => torch.ones([2], { dtype: "int32" }).softmax(0)],
    ["shapes", () => matrix.matmul(whole as Tensor)],
    ["a division by zero", () => whole.div(torch.tensor(0), { roundingMode: "floor" })],
  ])("is not said where the error is of %s", (_, act) => {
    expect(messageOf(act)).not.toMatch(/^$|[Ww]hole numbers make/);
  });
});
