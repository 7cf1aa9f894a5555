// Exports `nn.utils`: gradient clipping, parameters as a vector, parametrizations, and sequences of different
// lengths.
export {
  clipGradNorm_,
  clipGradsWithNorm_,
  clipGradValue_,
  getTotalNorm,
  type ForeachOption,
  type NormOptions,
} from "./gradients.ts";
export * as parametrizations from "./parametrizations.ts";
export * as parametrize from "./parametrize.ts";
export * as rnn from "./rnn.ts";
export { parametersToVector, vectorToParameters } from "./vector.ts";
export { removeWeightNorm, weightNorm, type WeightNormOptions } from "./weight_norm.ts";
