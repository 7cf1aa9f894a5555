// Exports `mps.workarounds`: replacements for what PyTorch does wrongly, slowly or not at all on mps. Each has a test
// that shows whether the installed version still needs it.
export type { Finding } from "./finding.ts";
export {
  instanceNorm3dForBatchNorm3d,
  raiseEps,
  SafeLayerNorm,
  type SafeLayerNormOptions,
} from "./layers.ts";
export { check, checkAll, type Workaround } from "./probes.ts";
export {
  float32For,
  multipleOf8,
  onCpu,
  outOfPlace,
  padToMultipleOf8,
  sparseMatmul,
  toDense,
} from "./tensors.ts";
