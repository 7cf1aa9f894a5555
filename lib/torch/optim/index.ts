// Exports `optim` of `import { optim } from "mpslab"`.
export { Adadelta, type AdadeltaOptions } from "./adadelta.ts";
export { Adafactor, type AdafactorOptions } from "./adafactor.ts";
export { Adagrad, type AdagradOptions } from "./adagrad.ts";
export { Adam, AdamW, type AdamOptions } from "./adam.ts";
export { ASGD, type AsgdOptions } from "./asgd.ts";
export {
  getEmaAvgFn,
  getEmaMultiAvgFn,
  getSwaAvgFn,
  getSwaMultiAvgFn,
  type AverageFunction,
  type MultiAverageFunction,
} from "./averaging/functions.ts";
export { AveragedModel, type AveragedModelOptions } from "./averaging/model.ts";
export { updateBn, type InputBatch } from "./averaging/update_bn.ts";
export type { GivenOptions, NamedArguments } from "./given_options.ts";
export { LBFGS, type LbfgsOptions } from "./lbfgs.ts";
export { Adamax, NAdam, RAdam, type AdamaxOptions, type NAdamOptions, type RAdamOptions } from "./moments.ts";
export { Muon, type MuonOptions } from "./muon.ts";
export { Optimizer, type GroupInput, type ParamGroup, type ParameterState } from "./optimizer.ts";
export { RMSprop, type RMSpropOptions } from "./rmsprop.ts";
export { Rprop, type RpropOptions } from "./rprop.ts";
export * as lrScheduler from "./schedulers/index.ts";
export { SWALR, type SwaLrOptions, type SwaRate } from "./schedulers/swa.ts";
export { SGD, type SgdOptions } from "./sgd.ts";
export type { ZeroGradOptions } from "../autograd/zero_gradients.ts";
export { SparseAdam, type SparseAdamOptions } from "./sparse_adam.ts";
export type { OptimizerStateDict } from "./state.ts";
