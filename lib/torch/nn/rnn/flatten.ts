// Puts a recurrent layer's CUDA weights into one contiguous piece of memory. Otherwise cuDNN copies them together at
// each call, and warns. Source: RNNBase.flatten_parameters in torch/nn/modules/rnn.py.
import { noGrad } from "../../autograd/autograd.ts";
import { native } from "../../engine/native.ts";
import { makeOperator } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";

const cudnnWantsThem = makeOperator("_use_cudnn_rnn_flatten_weight") as () => boolean;
const flatten = makeOperator("_cudnn_rnn_flatten_weight") as (...args: unknown[]) => Tensor;

/** The modes at the index of their number in cuDNN (cudnnRNNMode_t). */
const MODES = ["rnn_relu", "rnn_tanh", "lstm", "gru"] as const;
export type Mode = (typeof MODES)[number];

/** The properties of a layer that determine how cuDNN lays its weights out. */
export interface Layout {
  readonly mode: Mode;
  readonly inputSize: number;
  readonly hiddenSize: number;
  readonly projSize: number;
  readonly numLayers: number;
  readonly bias: boolean;
  readonly batchFirst: boolean;
  readonly bidirectional: boolean;
}

const DTYPES: ReadonlySet<string> = new Set(["float16", "float32", "float64"]);

const place = (weight: Tensor) => `${native.storage(weight).address}+${native.storageOffset(weight)}`;

/**
 * Moves the weights together, in place: the tensors stay those that an optimizer has. Does nothing where cuDNN does not
 * take them: elsewhere than on CUDA, of other dtypes than its own, or two weights in one place. Weights that are computed
 * are left where their graph has them.
 */
export function flattenWeights(weights: readonly Tensor[], layout: Layout): void {
  const [first] = weights as [Tensor, ...Tensor[]];
  const [device, dtype] = [native.device(first), native.dtype(first)];
  const fit = (weight: Tensor) =>
    native.device(weight) === device && native.dtype(weight) === dtype && native.isLeaf(weight);
  if (!isOnCuda(first) || !DTYPES.has(dtype) || !weights.every(fit)) return;
  if (new Set(weights.map(place)).size !== weights.length || !cudnnWantsThem()) return;
  const { mode, inputSize, hiddenSize, projSize, numLayers, bias, batchFirst, bidirectional } = layout;
  const perLayer = (bias ? 4 : 2) + (projSize > 0 ? 1 : 0);
  noGrad(() => {
    const buffer = flatten(
      weights,
      perLayer,
      inputSize,
      MODES.indexOf(mode),
      hiddenSize,
      projSize,
      numLayers,
      batchFirst,
      bidirectional,
    );
    // The weights hold its memory.
    native.dispose(buffer);
  });
}

export function isOnCuda(weight: Tensor): boolean {
  return native.device(weight).startsWith("cuda");
}

/** Returns the address at which a weight's memory begins. */
export function addressOf(weight: Tensor): bigint {
  return native.storage(weight).address;
}
