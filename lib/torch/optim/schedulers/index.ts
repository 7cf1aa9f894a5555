// What `optim.lrScheduler` offers.
export { ChainedScheduler, SequentialLR } from "./combined.ts";
export { CosineAnnealingLR, CosineAnnealingWarmRestarts } from "./cosine.ts";
export { CyclicLR, type CyclicOptions } from "./cyclic.ts";
export {
  ConstantLR,
  ExponentialLR,
  LambdaLR,
  LinearLR,
  MultiplicativeLR,
  MultiStepLR,
  PolynomialLR,
  StepLR,
  type EpochFunction,
} from "./factors.ts";
export { OneCycleLR, type OneCycleOptions } from "./one_cycle.ts";
export { ReduceLROnPlateau, type PlateauOptions } from "./plateau.ts";
export { LRScheduler, type Scheduled, type ScheduledGroup, type SchedulerState } from "./scheduler.ts";
