// Exports the `torch.func` namespace: functions that take functions and return others.
export {
  functionalCall,
  type FunctionalCallOptions,
  type NamedTensors,
  stackModuleState,
} from "./functional_call.ts";
export { type GradPlaces, grad, gradAndValue, type GradOptions } from "./gradients.ts";
export { jvp, vjp } from "./products.ts";
export {
  hessian,
  jacfwd,
  type JacfwdOptions,
  type JacfwdPlaces,
  jacrev,
  type JacrevOptions,
  type JacrevPlaces,
} from "./jacobians.ts";
export { type Dimensions, vmap, type VmapOptions, type VmapPlaces } from "./vmap.ts";
