// What `nn.utils` offers: clipping of gradients, parameters as a vector, and sequences of several lengths.
export {
  clipGradNorm_,
  clipGradsWithNorm_,
  clipGradValue_,
  getTotalNorm,
  type NormOptions,
} from "./gradients.ts";
export * as rnn from "./rnn.ts";
export { parametersToVector, vectorToParameters } from "./vector.ts";
