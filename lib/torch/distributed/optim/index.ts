// Exports `distributed.optim`.
export {
  type OptimizerClass,
  ZeroRedundancyOptimizer,
  type ZeroRedundancyOptions,
} from "./zero_redundancy.ts";
