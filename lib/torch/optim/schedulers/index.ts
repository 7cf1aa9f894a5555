// Exports `optim.lrScheduler`.
export {
  ChainedScheduler,
  SequentialLR,
  type ChainedSchedulerOptions,
  type SequentialLrOptions,
} from "./combined.ts";
export {
  CosineAnnealingLR,
  CosineAnnealingWarmRestarts,
  type CosineAnnealingOptions,
  type WarmRestartsOptions,
} from "./cosine.ts";
export { CyclicLR, type CyclicOptions, type CyclicRates } from "./cyclic.ts";
export {
  ConstantLR,
  ExponentialLR,
  LambdaLR,
  LinearLR,
  MultiplicativeLR,
  MultiStepLR,
  PolynomialLR,
  StepLR,
  type ConstantLrOptions,
  type EpochFunction,
  type ExponentialLrOptions,
  type LambdaLrOptions,
  type LinearLrOptions,
  type MultiStepLrOptions,
  type PolynomialLrOptions,
  type StepLrOptions,
} from "./factors.ts";
export { OneCycleLR, type OneCycleOptions, type OneCycleRate } from "./one_cycle.ts";
export { ReduceLROnPlateau, type PlateauOptions } from "./plateau.ts";
export {
  LRScheduler,
  type Resumption,
  type Scheduled,
  type ScheduledGroup,
  type SchedulerState,
} from "./scheduler.ts";
