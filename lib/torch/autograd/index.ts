// Exports the `torch.autograd` namespace.
import "./tensor_members.ts";
export { backward, grad, type BackwardArguments, type GradOptions } from "./autograd.ts";
export { type AnomalyOptions, detectAnomaly, isAnomalyEnabled, setDetectAnomaly } from "./anomaly.ts";
export { CustomFunction as Function, FunctionContext } from "./function.ts";
export * as functional from "./functional.ts";
export * as graph from "./graph.ts";
export { gradcheck, GradcheckError, type GradcheckOptions, gradgradcheck } from "./gradcheck.ts";
export { Node } from "./node.ts";
