// Reading and writing by index. indices.py has the same programs.
import { functional as F, torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs, refused } from "./helpers.ts";

const counted = (...shape: number[]): Tensor =>
  torch
    .arange(
      shape.reduce((n, s) => n * s, 1),
      { dtype: "float32" },
    )
    .reshape(shape);
const float = (values: number[] | number[][]): Tensor => torch.tensor(values, { dtype: "float32" });
const whole = (values: number[] | number[][]): Tensor => torch.tensor(values, { dtype: "int64" });
const mask = (...values: boolean[]): Tensor => torch.tensor(values);
const all = torch.slice(null);

export const indices: Programs = {
  negativeIndex: () => [counted(3, 4).at(-1), counted(3, 4).at(-1, -2)],
  indexOutOfRange: () => counted(3).at(3),
  negativeIndexOutOfRange: () => counted(3).at(-4),
  tooManyIndices: () => counted(3).at(0, 0),
  slicePastTheEnd: () => [
    counted(5).at(torch.slice(3, 100)),
    counted(5).at(torch.slice(10, 20)),
    counted(5).at(torch.slice(-100, 2)),
  ],
  sliceWithAStep: () => [counted(7).at(torch.slice(null, null, 2)), counted(7).at(torch.slice(1, 6, 3))],
  sliceWithANegativeStep: () => counted(5).at(torch.slice(null, null, -1)),
  ellipsisAndNone() {
    const x = counted(2, 3, 4);
    return [x.at("...", 0), x.at(0, "...", null), x.at(null).shape];
  },
  listOfRows: () => [counted(4, 2).at([0, 2]), counted(4, 2).at([3, 3, -1])],
  twoListsChoosePairs: () => counted(3, 3).at([0, 1, 2], [2, 1, 0]),
  twoListsOfUnequalLengths: () => counted(3, 3).at([0, 1], [0, 1, 2]),
  listBesideASlice: () => [
    counted(3, 4).at([0, 2], torch.slice(1, 3)),
    counted(3, 4).at(torch.slice(1, null), [3, 0]),
  ],
  listsApartGoToTheFront() {
    const x = counted(2, 3, 4);
    return [x.at([0, 1], all, [2, 3]).shape, x.at(all, [0, 1], [2, 3]).shape];
  },
  maskOfElements() {
    const x = counted(2, 3);
    return [x.at(x.gt(2)), x.at(x.gt(100))];
  },
  maskOfRows() {
    const x = counted(3, 2);
    return [x.at(mask(true, false, true)), x.at([true, false, true])];
  },
  maskOfAnotherLength: () => counted(3, 2).at(mask(true, false)),
  maskBesideAnIndex() {
    const x = counted(3, 4);
    return [x.at(mask(true, false, true), 1), x.at(1, mask(true, false, true, true))];
  },
  maskOfBytes: () => counted(3).at(torch.tensor([1, 0, 1], { dtype: "uint8" })),
  indexOfInt32: () => counted(4).at(torch.tensor([1, 2], { dtype: "int32" })),
  indexOfFloats: () => counted(4).at(float([1, 2])),
  indexTensorOfTwoDimensions: () =>
    counted(4, 2).at(
      whole([
        [0, 1],
        [2, 3],
      ]),
    ),
  indexThatIsAScalarTensor() {
    const x = counted(3, 2);
    return [x.at(torch.tensor(1)), x.at(torch.tensor(1), torch.tensor(0))];
  },
  writeARow() {
    const x = counted(3, 2);
    x.setAt(1, float([9, 8]));
    return x;
  },
  writeANumberIntoASlice() {
    const x = counted(5);
    x.setAt(torch.slice(1, 4), 7);
    return x;
  },
  writeANumberAtTwoRows() {
    const x = counted(4, 2);
    x.setAt([0, 2], 5);
    return x;
  },
  writeANumberAtOneElement() {
    const x = counted(4, 3);
    x.setAt(0, 2, 50);
    return x;
  },
  writeThroughAMask() {
    const x = counted(2, 3);
    x.setAt(x.gt(2), -1);
    return x;
  },
  writeValuesThroughAMask() {
    const x = counted(4);
    x.setAt(mask(true, false, true, false), float([10, 20]));
    return x;
  },
  writeTooManyValuesThroughAMask() {
    counted(4).setAt(mask(true, false, true, false), float([10, 20, 30]));
  },
  writeAListOfBooleans() {
    const x = torch.zeros([3]);
    x.setAt([true, false, true], 1);
    return x;
  },
  writeTwiceAtOnePlace() {
    const x = counted(4);
    x.setAt([1, 1], 7);
    x.setAt(whole([2, 2]), x.at(whole([2, 2])).add(1));
    return x;
  },
  writeOfAnotherShape() {
    counted(3, 2).setAt(0, torch.ones([3]));
  },
  writeBroadcasts() {
    const x = counted(2, 3);
    x.setAt(all, torch.slice(1, null), float([[5], [6]]));
    return x;
  },
  writeOfIntegersIntoFloats() {
    const x = counted(3);
    x.setAt(0, torch.tensor(7));
    return x;
  },
  writeOfFractionsIntoIntegers() {
    const x = whole([1, 2, 3]);
    x.setAt(0, 1.9);
    x.setAt(1, torch.tensor(-2.9));
    return x;
  },
  writeOfNanIntoIntegers() {
    const x = whole([1, 2, 3]);
    return [refused(() => x.fill_(NaN)), x.dtype];
  },
  writeWithAStep() {
    const x = counted(6);
    x.setAt(torch.slice(null, null, 2), float([1, 1, 1]).mul(-1));
    return x;
  },
  writeWithNoneAndEllipsis() {
    const x = counted(2, 3);
    x.setAt("...", 0, 9);
    x.setAt(null, 1, 1, 8);
    return x;
  },
  writeAtListsApart() {
    const x = counted(2, 2, 2);
    const values = float([
      [1, 2],
      [3, 4],
    ]);
    x.setAt([0, 1], all, [1, 0], values.mul(100));
    return x;
  },
  updateInPlaceByAMask() {
    const x = counted(4);
    const chosen = x.gt(1);
    x.setAt(chosen, x.at(chosen).add(5));
    return x;
  },
  updateInPlaceByASlice() {
    const x = counted(4);
    x.at(torch.slice(1, 3)).mul_(10);
    return x;
  },
  readGradient() {
    const x = leaf(1, 2, 3);
    x.at([0, 0, 2])
      .mul(float([1, 10, 100]))
      .sum()
      .backward();
    return x.grad;
  },
  writeGradient() {
    const [x, v] = [leaf(1, 2, 3), leaf(5)];
    const y = x.mul(2);
    y.setAt(torch.slice(1, 2), v);
    y.mul(y).sum().backward();
    return [x.grad, v.grad];
  },
  gatherRows() {
    const x = counted(2, 3);
    const places = whole([
      [0, 2],
      [1, 1],
    ]);
    return [x.gather(1, places), refused(() => x.gather(1, whole([[3], [0]])))];
  },
  gatherWithInt32: () => {
    const places: Tensor = torch.tensor([[0], [1]], { dtype: "int32" });
    return counted(2, 3).gather(1, places);
  },
  takeAndTakeAlongDim() {
    const x = counted(2, 3);
    return [x.take(whole([0, 5, -1])), x.takeAlongDim(x.argsort(1, true), 1)];
  },
  indexSelect() {
    const x = counted(3, 2);
    return [x.indexSelect(0, whole([2, 0])), refused(() => x.indexSelect(0, whole([-1])))];
  },
  indexFillAndCopy() {
    const x = counted(3, 2);
    return [x.indexFill(0, whole([0, 2]), -1), x.indexCopy(0, whole([1]), float([[7, 7]]))];
  },
  maskedSelectAndScatter() {
    const x = counted(4);
    const m = x.gt(1);
    return [
      x.maskedSelect(m),
      x.maskedScatter(m, float([9, 8])),
      refused(() => x.maskedScatter(m, float([9]))),
    ];
  },
  maskedFillWithInfinity: () =>
    counted(2, 2)
      .maskedFill(
        torch.tensor([
          [true, false],
          [false, true],
        ]),
        -Infinity,
      )
      .softmax(1),
  maskedFillWithAMaskOfIntegers: () => counted(2).maskedFill(whole([1, 0]), 5),
  scatterOneHot: () => torch.zeros([3, 4]).scatter_(1, whole([[1], [3], [0]]), 1),
  scatterReduceWithMaximum: () => [
    torch.zeros([2]).scatterReduce(0, whole([0, 1, 0]), float([3, -2, 5]), "amax"),
    torch.ones([2]).scatterReduce(0, whole([0, 0]), float([3, 4]), "mean", { includeSelf: false }),
  ],
  putAndIndexPut() {
    const x = counted(2, 3);
    x.put_(whole([1, 4]), float([9, 10]));
    x.indexPut_([whole([0, 0]), whole([0, 0])], float([1, 2]), true);
    return x;
  },
  nonzeroAndWhere() {
    const x = whole([
      [0, 3],
      [4, 0],
    ]);
    return [x.nonzero(), torch.where(x.gt(0)), x.argwhere()];
  },
  topkAndSort() {
    const x = float([3, 1, 2]);
    return [x.topk(2), x.sort(-1, true), x.argsort(), refused(() => x.topk(4))];
  },
  iterateRows: () => [
    [...counted(2, 3)].map((row) => row.sum()),
    counted(2, 3).length,
    refused(() => [...(torch.tensor(3) as Tensor)]),
  ],
  valueOfOneElement: () => [
    counted(3).at(1).item(),
    torch.tensor([[5]]).item(),
    refused(() => counted(2).item()),
  ],
  truthOfMany: () => [
    Boolean(torch.tensor([5]).item()),
    refused(() => whole([1, 2]).item()),
    refused(() => whole([]).item()),
  ],
  indexByABoolean: () => [counted(2).at(true), counted(2).at(false)],
  embeddingOutOfRange: () => F.embedding(whole([5]), counted(3, 2)),
  oneHotGrowsWithItsClasses: () => [
    F.oneHot(whole([0, 2])),
    F.oneHot(whole([0, 2]), 4),
    refused(() => F.oneHot(whole([0, 2]), 2)),
  ],
};
