// Exports the types that the rest of the library uses from this folder.
export type { PartShape } from "./at.ts";
export type { AxisProblem, Exchanged, Inserted, Permuted, PermuteProblem, Turned } from "./axis.ts";
export type { Broadcast, BroadcastShape, ElementwiseProblem } from "./broadcast.ts";
export type { CountOf, CountUpTo, FillDType, SizesOf, SomeSizes, ValuesShape } from "./create.ts";
export type { ByName } from "./by_name.ts";
export type { Criterion, Fit, Judging, OptionsAt } from "./criterion.ts";
export type { CatProblem, CatShape, SharedDevice, SharedDType, StackProblem, StackShape } from "./join.ts";
export type { ChainProblem, LayerCall, HasRule, RuleOf } from "./layer.ts";
export type { IndexProblem, RowsShape } from "./lookup.ts";
export type { ListOf } from "./list.ts";
export type {
  LinearProblem,
  LinearShape,
  MatmulProblem,
  MatmulShape,
  PlainProductProblem,
  ProductDType,
} from "./matmul.ts";
export type { CommonDevice, LackProblem, MoveProblem, TargetProblem } from "./device_rules.ts";
export type { Doubled, Floating, Promoted, PromotedOperands } from "./promote.ts";
export type { Reduced, SumDType } from "./reduce.ts";
export type { Unless, UnlessAt } from "./refusal.ts";
export type { Tensor as SomeTensor } from "./some_tensor.ts";
export type { Tensor, ValuesAndIndices } from "./shown.ts";
export type {
  DeviceOf,
  DTypeOf,
  Like,
  ShapeOf,
  TensorOf,
  UnlessAny,
  ValuesAndIndicesOf,
} from "./tensor_of.ts";
export type { Flattened, Squeezed, SqueezedAt, Viewed, ViewProblem } from "./view.ts";
export type { Size as SizeText } from "./arithmetic/text.ts";
export type { OptionOf, OptionsBy, PoolWindow1d, PoolWindow2d, Window1d, Window2d } from "./window.ts";
