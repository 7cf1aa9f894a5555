// Views, copies, strides and shapes. views.py has the same programs.
import { torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs, refused } from "./helpers.ts";

const counted = (...shape: number[]): Tensor =>
  torch
    .arange(
      shape.reduce((n, s) => n * s, 1),
      { dtype: "float32" },
    )
    .reshape(shape);
const float = (...values: number[]): Tensor => torch.tensor(values, { dtype: "float32" });

export const views: Programs = {
  viewSharesMemory() {
    const x = counted(2, 3);
    x.view([6]).setAt(0, 9);
    return x;
  },
  viewOfWhatIsNotContiguous() {
    counted(2, 3).t().view([6]);
  },
  reshapeOfWhatIsNotContiguousCopies() {
    const x = counted(2, 3);
    const y = x.t().reshape([6]);
    y.setAt(0, 9);
    return [x, y];
  },
  reshapeOfWhatIsContiguousShares() {
    const x = counted(2, 3);
    x.reshape([6]).setAt(0, 9);
    return x;
  },
  contiguousOfContiguousShares() {
    const x = counted(2, 3);
    x.contiguous().setAt(0, 0, 9);
    x.t().contiguous().setAt(0, 1, 9);
    return x;
  },
  flattenSharesWhereItCan() {
    const x = counted(2, 2, 2);
    x.flatten(1).setAt(0, 0, 9);
    x.transpose(0, 1).flatten().setAt(0, 7);
    return x;
  },
  rowIsAView() {
    const x = counted(2, 3);
    x.at(0).add_(10);
    return x;
  },
  advancedIndexIsACopy() {
    const x = counted(2, 3);
    x.at([0]).add_(10);
    x.at(x.gt(3)).zero_();
    return x;
  },
  transposedStrides() {
    const y = counted(2, 3, 4).transpose(0, 2);
    return [y.stride(), y.isContiguous(), y.storageOffset(), y.at(1).storageOffset()];
  },
  permuteAndBack() {
    const x = counted(2, 3, 4);
    const y = x.permute([2, 0, 1]);
    return [y.shape, y.permute([1, 2, 0]).equal(x), y.at(3, 1)];
  },
  expandAddsInEveryRow() {
    const x = leaf(1, 2, 3);
    x.expand([4, 3]).mul(2).sum().backward();
    return x.grad;
  },
  expandOfASizeThatIsNotOne() {
    counted(2, 3).expand([4, 3]);
  },
  expandWithMinusOne: () => counted(2, 1).expand([-1, 3]),
  repeatCopies() {
    const x = counted(2);
    const y = x.repeat([2, 2]);
    y.setAt(0, 0, 9);
    return [x, y];
  },
  repeatInterleave() {
    const x = counted(3);
    return [x.repeatInterleave(2), x.repeatInterleave(torch.tensor([0, 2, 1]))];
  },
  squeezeOfASizeThatIsNotOne: () => [counted(2, 1, 3).squeeze(0).shape, counted(2, 1, 3).squeeze().shape],
  unsqueezeOutOfRange() {
    counted(2).unsqueeze(3);
  },
  unsqueezeFromTheEnd: () => [counted(2, 3).unsqueeze(-1).shape, counted(2, 3).unsqueeze(-3).shape],
  narrowShares() {
    const x = counted(5);
    x.narrow(0, 1, 3).mul_(10);
    return x;
  },
  narrowTooLong() {
    counted(5).narrow(0, 3, 3);
  },
  selectOutOfRange() {
    counted(5).select(0, 5);
  },
  unfoldWindowsOverlap() {
    const x = counted(5);
    const y = x.unfold(0, 3, 1);
    x.setAt(2, 50);
    return y;
  },
  unfoldGradientAdds() {
    const x = leaf(1, 2, 3, 4);
    x.unfold(0, 2, 1).sum().backward();
    return x.grad;
  },
  asStridedDiagonal: () => [counted(3, 3).asStrided([3], [4]), refused(() => counted(3).asStrided([3], [4]))],
  diagonalIsAView() {
    const x = counted(3, 3);
    x.diagonal().fill_(0);
    x.diagonal(1).fill_(9);
    return x;
  },
  diagIsACopyBothWays: () => [torch.diag(counted(3)), torch.diag(counted(3, 3))],
  splitWithARest: () => [
    counted(5)
      .split(2)
      .map((p) => p.tolist()),
    counted(5)
      .split([1, 4])
      .map((p) => p.tolist()),
  ],
  splitWithAWrongSum() {
    counted(5).split([1, 3]);
  },
  chunkGivesFewer: () => [
    counted(5)
      .chunk(4)
      .map((p) => p.shape[0]),
    counted(6)
      .chunk(4)
      .map((p) => p.shape[0]),
  ],
  tensorSplitGivesAll: () => [
    counted(5)
      .tensorSplit(4)
      .map((p) => p.shape[0]),
    counted(5)
      .tensorSplit([1, 3])
      .map((p) => p.tolist()),
  ],
  splitPiecesAreViews() {
    const x = counted(4);
    const [a, b] = x.split(2);
    b!.zero_();
    return [x, a];
  },
  stackAndCatCopy() {
    const x = counted(2);
    const [s, c] = [torch.stack([x, x]), torch.cat([x, x])];
    x.zero_();
    return [s, c];
  },
  catOfUnequalShapes() {
    torch.cat([counted(2, 3), counted(2, 2)]);
  },
  catWithAnEmptyOne: () => torch.cat([torch.empty([0]) as Tensor, counted(2, 2)]),
  catOfDtypes: () => [
    torch.cat([torch.tensor([1, 2]), torch.tensor([1.5])]),
    torch.cat([torch.tensor([true]), torch.tensor([3])]),
  ],
  stackOfNone() {
    torch.stack([]);
  },
  minusOneTwice() {
    counted(6).view([-1, -1]);
  },
  minusOneThatDoesNotDivide() {
    counted(6).view([4, -1]);
  },
  viewOfEmptyWithMinusOne: () => [
    refused(() => (torch.empty([0]) as Tensor).view([-1, 0])),
    torch.empty([0, 3]).view([3, 0]).shape,
  ],
  viewAsAnotherDtype() {
    const x = float(1, -2);
    const y = x.view("int32");
    y.setAt(0, 0);
    return [x, y];
  },
  viewAsRealShares() {
    const z = torch.viewAsComplex(counted(2, 2));
    torch.viewAsReal(z).setAt(0, 1, 7);
    return z;
  },
  channelsLastIsNoOtherTensor() {
    const y = counted(1, 2, 2, 2).contiguous({ memoryFormat: "channels_last" });
    return [y.stride(), y, y.isContiguous(), refused(() => y.view([8])), y.reshape([8])];
  },
  channelsLastKeptByOperators() {
    const x = counted(1, 2, 2, 2).contiguous({ memoryFormat: "channels_last" });
    const y = x.mul(2).relu();
    return [y.stride(), y.clone().stride(), torch.zerosLike(y).stride()];
  },
  cloneKeepsStridesOfATranspose() {
    const y = counted(2, 3).t();
    return [y.clone().stride(), y.contiguous().stride(), torch.emptyLike(y).stride()];
  },
  copyIntoATranspose() {
    const x = torch.zeros([2, 3]);
    x.t().copy_(counted(3, 2));
    return x;
  },
  copyBroadcastsInto() {
    const x = torch.zeros([2, 3]);
    x.copy_(counted(3));
    return [x, refused(() => torch.zeros([3]).copy_(counted(2, 3)))];
  },
  copyOverlappingParts() {
    const x = counted(6);
    x.setAt(torch.slice(1, null), x.at(torch.slice(null, -1)).clone());
    return x;
  },
  addIntoAnOverlappingPart() {
    const x = counted(6);
    x.at(torch.slice(1, null)).add_(x.at(torch.slice(null, -1)));
    return x;
  },
  inPlaceMayNotGrow() {
    counted(3).add_(counted(2, 3));
  },
  inPlaceOnItsTranspose() {
    const x = counted(2, 2);
    x.add_(x.t());
    return x;
  },
  rotFlipAndRoll() {
    const x = counted(2, 3);
    return [x.rot90(), x.flip([0]), x.flip([0, 1]), x.roll(1), x.roll([1, 1], [0, 1])];
  },
  movedimAndSwapdims() {
    const x = counted(2, 3, 4);
    return [x.movedim(0, -1).shape, x.swapdims(0, 1).shape, refused(() => x.movedim([0, 1], [0, 0]))];
  },
  resizeShowsOldMemory() {
    const x = counted(4);
    x.resize_([2]);
    const y = x.clone();
    x.resize_([2, 2]);
    return [y, x];
  },
  setOfALeafShapeByResize() {
    leaf(1, 2).resize_([4]);
  },
  broadcastToAndWrite() {
    const y = counted(3).broadcastTo([2, 3]);
    return [y, refused(() => y.mul_(2))];
  },
  atleastAndRavel: () => [
    torch.atleast2d(counted(3)).shape,
    torch.atleast3d(counted(3)).shape,
    counted(2, 2).t().ravel(),
  ],
  tileAndOuter: () => [counted(2).tile([2, 2]), torch.outer(counted(2), counted(3))],
  unflattenWithAGuess: () => [
    counted(2, 6).unflatten(1, [2, -1]).shape,
    refused(() => counted(6).unflatten(0, [4, -1])),
  ],
  meshgridOrders() {
    const [a, b] = torch.meshgrid([counted(2), counted(3)], { indexing: "ij" });
    const [c, d] = torch.meshgrid([counted(2), counted(3)], { indexing: "xy" });
    return [a, b, c, d];
  },
  hessianSeesAView() {
    const x = leaf(1, 2, 3, 4);
    x.view([2, 2])
      .matmul(x.view([2, 2]).t())
      .trace()
      .backward();
    return x.grad;
  },
};
