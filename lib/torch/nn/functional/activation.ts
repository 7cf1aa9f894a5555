// Activations without an operator in libtorch, composed of others as PyTorch composes them.
import { checkTensor } from "../../tensor/tensor_arguments.ts";
import { norm } from "../../tensor/norm.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger } from "../../vocabulary/arguments.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import {
  boolean,
  checkedLater,
  number,
  type OpenRules,
  readOptions,
  type Rules,
} from "../../vocabulary/options.ts";

/** x - tanh(x) of each element, in the input's shape. */
export function tanhshrink(input: Tensor): Tensor {
  return checkTensor("tanhshrink", "input", input).sub(input.tanh());
}

/** x / (1 + |x|) of each element, in the input's shape. */
export function softsign(input: Tensor): Tensor {
  return checkTensor("softsign", "input", input).div(input.abs().add(1));
}

export interface SoftminOptions {
  /** The dtype to which the input is cast first. Default: null, for its own. */
  readonly dtype?: DType | null;
}

/** softmax(-x) along `dim`, in the input's shape: the smallest get the most. -1 is the last dimension. */
export function softmin(
  input: Tensor,
  dim: number | (SoftminOptions & { readonly dim: number }),
  options?: SoftminOptions,
): Tensor;
export function softmin(input: Tensor, ...given: unknown[]): Tensor {
  return torchFunctions.softmax(checkTensor("softmin", "input", input).neg(), ...(given as [number]));
}

export interface NormalizeOptions {
  /** Which norm: 1 is the sum of the magnitudes, 2 the length. Default: 2. */
  readonly p?: number;
  /** One dimension or several. Default: 1. */
  readonly dim?: number | readonly number[];
  /** The least that is divided by. Default: 1e-12. */
  readonly eps?: number;
  /** The output tensor. Default: null, for a new one. */
  readonly out?: Tensor | null;
}

const NORMALIZE_RULES = {
  p: number(2),
  dim: checkedLater<number | readonly number[]>(1),
  eps: number(1e-12, { min: 0 }),
  out: checkedLater<Tensor | null>(null),
} satisfies OpenRules<NormalizeOptions>;

/** x divided by its p-norm along `dim`, one dimension or several, and by no less than `eps`; in the input's shape. */
export function normalize(
  input: Tensor,
  p?: number | NormalizeOptions,
  dim?: number | readonly number[] | NormalizeOptions,
  eps?: number | NormalizeOptions,
  out?: Tensor | null,
): Tensor;
export function normalize(input: Tensor, ...given: unknown[]): Tensor {
  const call = "normalize";
  const options = optionsByPlace<NormalizeOptions>(call, ["p", "dim", "eps", "out"], given);
  const { p, dim, eps, out } = readOptions(call, options, NORMALIZE_RULES);
  const dims = typeof dim === "number" ? [dim] : dim;
  const length = norm(checkTensor(call, "input", input), p, dims, { keepdim: true });
  const divisor = length.clampMin(eps).expandAs(input);
  return out === null ? input.div(divisor) : torchFunctions.div(input, divisor, { out });
}

export interface GumbelSoftmaxOptions {
  /** Temperature: the closer to 0, the closer to one-hot. Default: 1. */
  readonly tau?: number;
  /** One-hot in the forward pass, with the gradient of the soft sample. Default: false. */
  readonly hard?: boolean;
  /** PyTorch has given it up, and so it has no effect. Default: 1e-10. */
  readonly eps?: number;
  /** The dimension of the classes. Default: the last. */
  readonly dim?: number;
}

const GUMBEL_RULES: Rules<GumbelSoftmaxOptions> = {
  tau: number(1, { min: Number.MIN_VALUE }),
  hard: boolean(false),
  eps: number(1e-10),
  dim: {
    fallback: -1,
    check: (call, name, value) => checkInteger(call, name, value, -Infinity),
  },
};

/**
 * A sample of the classes that the logits [..., classes] describe, in their shape, differentiable (Jang et al.,
 * arXiv:1611.01144).
 *
 * @throws RangeError for a temperature that is not above 0
 */
export function gumbelSoftmax(
  logits: Tensor,
  tau?: number | GumbelSoftmaxOptions,
  hard?: boolean | GumbelSoftmaxOptions,
  eps?: number | GumbelSoftmaxOptions,
  dim?: number,
): Tensor;
export function gumbelSoftmax(logits: Tensor, ...given: unknown[]): Tensor {
  const places = ["tau", "hard", "eps", "dim"] as const;
  const options = optionsByPlace<GumbelSoftmaxOptions>("gumbelSoftmax", places, given);
  const { tau, hard, dim } = readOptions<GumbelSoftmaxOptions>("gumbelSoftmax", options, GUMBEL_RULES);
  const gumbels = torchFunctions.emptyLike(logits).exponential_().log().neg();
  const soft = torchFunctions.softmax(logits.add(gumbels).div(tau), dim);
  if (!hard) return soft;
  const [, index] = soft.max(dim, { keepdim: true });
  const oneHot = torchFunctions.zerosLike(logits).scatter_(dim, index, 1);
  return oneHot.sub(soft.detach()).add(soft);
}
