// Dtypes of values, results and conversions. dtypes.py has the same programs.
import { nn, torch, type Tensor } from "../../../lib/index.ts";
import { type Programs, refused } from "./helpers.ts";

const float = (...values: number[]): Tensor => torch.tensor(values, { dtype: "float32" });
const double = (...values: number[]): Tensor => torch.tensor(values, { dtype: "float64" });
const half = (...values: number[]): Tensor => torch.tensor(values, { dtype: "float16" });
const bytes = (...values: number[]): Tensor => torch.tensor(values, { dtype: "uint8" });
const whole = (...values: number[]): Tensor => torch.tensor(values, { dtype: "int64" });
const truth = (...values: boolean[]): Tensor => torch.tensor(values);

export const dtypes: Programs = {
  ofWholeNumbers: () => [torch.tensor([1, 2]).dtype, torch.tensor(3).dtype, torch.tensor([-(2 ** 40)])],
  ofFractions: () => [torch.tensor([1.5, 2]).dtype, torch.tensor(0.5).dtype],
  ofTruthValues: () => [torch.tensor([true, false]).dtype, torch.tensor(true)],
  ofTruthValuesAndNumbers: () => [torch.tensor([true, 2]), torch.tensor([true, 0.5])],
  ofNothing: () => [torch.tensor([]), torch.tensor([[], []])],
  ofRaggedLists: () => torch.tensor([[1, 2], [3]]),
  ofInfinities: () => torch.tensor([Infinity, -Infinity, NaN]),
  wholeNumbersThatDoubleDoesNotHold: () => torch.tensor([2 ** 53 - 1, -(2 ** 53) + 1]),
  fractionsAsIntegers: () => [torch.tensor([1.9, -1.9], { dtype: "int64" }), torch.tensor([1.5]).to("int32")],
  numbersAsTruthValues: () => [torch.tensor([0, 2, -1], { dtype: "bool" }), float(0, 0.1).bool()],
  tooLargeForAByte: () => [refused(() => bytes(300)), whole(300).to("uint8")],
  negativeAsAByte: () => [whole(-1).to("uint8"), bytes(1).sub(2)],
  byteOverflows: () => bytes(250).add_(10),
  int32Overflows: () => torch.tensor([2 ** 31 - 1], { dtype: "int32" }).add(1),
  factories: () =>
    [
      torch.zeros([1]),
      torch.ones([1]),
      torch.empty([1]),
      torch.rand([1]),
      torch.eye(1),
      torch.linspace(0, 1, 2),
    ].map((t: Tensor) => t.dtype),
  fullFollowsItsValue: () => [torch.full([2], 1), torch.full([2], 1.5), torch.full([2], true)],
  fullLikeFollowsItsTensor: () => [torch.fullLike(whole(1, 2), 1.7), torch.fullLike(float(1), 2)],
  arangeFollowsItsEnds: () => [
    torch.arange(3),
    torch.arange(0, 1, 0.5),
    torch.arange(3, { dtype: "float32" }),
  ],
  arangeWithAWrongStep: () => torch.arange(0, 3, -1),
  arangeOfFractionsCounts: () => [
    torch.arange(0, 1, 0.1).shape,
    torch.arange(1, 2, 0.3),
    torch.linspace(0, 1, 11),
  ],
  integerWithAFraction: () => [whole(1, 2).mul(1.5), whole(1, 2).add(0.5)],
  floatWithAnInteger: () => [float(1.5).mul(2), float(1.5).add(whole(2))],
  halfWithANumber: () => [
    half(1.5).mul(2.5).dtype,
    half(1.5).mul(torch.tensor(2, { dtype: "float32" })).dtype,
  ],
  halfWithAFloatTensor: () => half(1.5).mul(float(2)).dtype,
  floatWithADoubleScalarTensor() {
    const two: Tensor = torch.tensor(2, { dtype: "float64" });
    return [float(1.5).mul(two).dtype, (torch.tensor(1.5) as Tensor).mul(two).dtype];
  },
  halfMeetsBfloat16: () => [
    torch.promoteTypes("float16", "bfloat16"),
    torch.ones([1], { dtype: "float16" }).add(torch.ones([1], { dtype: "bfloat16" })).dtype,
  ],
  byteMeetsInt8: () => bytes(200).add(torch.tensor([-100], { dtype: "int8" })),
  boolWithNumbers() {
    const t = truth(true, false);
    return [t.add(1), t.mul(1.5), t.add(t), t.sum()];
  },
  boolMinusBool: () => truth(true).sub(truth(true)),
  boolNegated: () => [truth(true, false).bitwiseNot(), refused(() => truth(true).neg())],
  divisionOfIntegers() {
    const x = whole(7, -7);
    return [x.div(2), x.floorDivide(2), x.div(2, { roundingMode: "trunc" }), x.remainder(3), x.fmod(3)];
  },
  divisionByZero: () => [float(1, -1, 0).div(0), refused(() => whole(1).floorDivide(0))],
  inPlaceCannotMakeIntegersFloats() {
    const x = whole(1, 2);
    return [refused(() => x.add_(0.5)), refused(() => x.div_(2)), x];
  },
  inPlaceKeepsHalf: () => torch.ones([1], { dtype: "float16" }).add_(double(0.5)),
  inPlaceBoolWithIntegers() {
    const x = truth(true);
    return [refused(() => x.add_(1)), x];
  },
  outOfANarrowerDtype() {
    const out: Tensor = torch.zeros([1], { dtype: "int64" });
    torch.add(float(1.5), 1, { out });
  },
  outOfAWiderDtype() {
    const out: Tensor = torch.zeros([1], { dtype: "float64" });
    torch.add(float(1.5), 1, { out });
    return out;
  },
  sumOfSmallIntegers: () => [bytes(200, 100).sum(), truth(true, true).sum(0)],
  sumWithADtype: () => [float(1.5, 2.5).sum({ dtype: "int64" }), whole(1, 2).sum({ dtype: "float64" })],
  meanOfIntegers: () => [refused(() => whole(1, 2).mean()), whole(1, 2).mean({ dtype: "float32" })],
  stdOfIntegers: () => whole(1, 2).std(),
  stdOfOne: () => [float(1).std(), float(1).std(false), float(1, 3).var({ correction: 0 })],
  softmaxOfIntegers: () => whole(1, 2).softmax(0),
  squareRootOfIntegers: () => [whole(4, 9).sqrt(), whole(1, 2).exp().dtype, whole(1).sigmoid().dtype],
  powerOfIntegers: () => [whole(2, 3).pow(2), whole(2).pow(0.5), refused(() => whole(2).pow(-1))],
  matmulOfDtypes() {
    const a: Tensor = torch.ones([2, 2]);
    a.matmul(torch.ones([2, 2], { dtype: "float64" }) as Tensor);
  },
  matmulOfIntegers: () => torch.tensor([[1, 2]]).matmul(torch.tensor([[3], [4]])),
  whereWithNumbers() {
    const m = truth(true, false);
    return [torch.where(m, 1, 0), torch.where(m, 1.5, 0), torch.where(m, whole(1, 2), 0.5)];
  },
  whereWithAMaskOfIntegers: () => torch.where(whole(1, 0), 1.0, 0.0),
  clampWithFractions: () => [whole(1, 5).clamp(null, 2.5), float(1).clamp(2, 1)],
  comparisonWithFractions: () => [whole(1, 2).gt(1.5), whole(2).eq(2), float(NaN).eq(NaN)],
  rounding: () => [
    float(0.5, 1.5, 2.5, -0.5).round(),
    float(1.25, 1.35).round({ decimals: 1 }),
    float(-1.5).trunc(),
  ],
  equalNeedsEqualDtypes: () => [whole(1).equal(whole(1)), refused(() => torch.allclose(float(1), double(1)))],
  defaultDtypeIsFollowed() {
    torch.setDefaultDtype("float64");
    const found = [
      torch.tensor([1.5]).dtype,
      torch.zeros([1]).dtype,
      torch.tensor([1]).dtype,
      torch.tensor([1]).div(2).dtype,
    ];
    torch.setDefaultDtype("float32");
    return found;
  },
  defaultDtypeOfIntegers() {
    torch.setDefaultDtype("int64" as never);
  },
  doubleLayerWithFloatInput() {
    new nn.Linear(2, 1).double()(torch.ones([1, 2]));
  },
  layerOfIntegers() {
    const x: Tensor = torch.ones([1, 2], { dtype: "int64" });
    new nn.Linear(2, 1)(x);
  },
  typeAsAndToAnother() {
    const x = whole(1, 2);
    return [x.typeAs(float(0.5)), x.to(double(0.5)), x.to("int64") === x];
  },
  complexNumbers() {
    const z: Tensor = float(3).add(torch.tensor([{ re: 0, im: 4 }]));
    return [z, z.abs(), z.conj().resolveConj(), z.real, refused(() => z.gt(1))];
  },
  complexToReal: () => [torch.tensor([{ re: 3, im: 4 }]).real, float(1).to("complex64")],
  shiftsAndBits() {
    const x = whole(5);
    return [
      x.bitwiseLeftShift(1),
      x.bitwiseAnd(3),
      x.bitwiseOr(8),
      x.bitwiseXor(1),
      refused(() => float(1.5).bitwiseAnd(1)),
    ];
  },
  halfOverflowsToInfinity: () => [float(70000).half(), float(70000).bfloat16()],
  cumsumAndProduct: () => [
    torch.tensor([1, 2, 3], { dtype: "int8" }).cumsum(0),
    torch.tensor([1, 2, 3], { dtype: "int32" }).prod(),
  ],
  bincountAndHistogram: () => [
    whole(0, 2, 2).bincount(),
    refused(() => float(0.5).bincount()),
    refused(() => whole(-1).bincount()),
  ],
  bucketize: () => [
    torch.bucketize(float(1, 2.5, 9), float(1, 2, 3)),
    torch.searchsorted(whole(1, 2, 3), whole(2), { right: true }),
  ],
  largeSumsOfFloat32: () => [
    torch.full([100], 16777216, { dtype: "float32" }).add(1).sum(),
    float(16777216).add(1),
  ],
  numbersBesideInt64: () => [whole(2 ** 53 + 2).add(1), whole(3).mul(1.5).dtype],
};
