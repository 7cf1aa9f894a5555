// What `import { optim } from "mpslab"` offers.
export { Adam, AdamW, type AdamOptions } from "./adam.ts";
export { Optimizer, type GroupInput, type ParamGroup, type ParameterState } from "./optimizer.ts";
export { SGD, type SgdOptions } from "./sgd.ts";
export type { OptimizerStateDict } from "./state.ts";
