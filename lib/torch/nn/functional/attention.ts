// Multi-head attention without a layer (Vaswani et al., arXiv:1706.03762): projections, masks, and either the fused
// attention operator or, where the weights are wanted, the products that it stands for.
import type { Tensor } from "../../tensor/tensor.ts";
import { describe, shapeText } from "../../vocabulary/arguments.ts";
import { isFloatingDType, type DType } from "../../vocabulary/dtype.ts";
import { native } from "../../engine/native.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import { tidy } from "../../tensor/scope.ts";

export interface AttentionMasks {
  /** [batch, source]: true, or -Infinity, for keys that no query attends to. Default: null. */
  readonly keyPaddingMask?: Tensor | null;
  /** [target, source] or [batch * heads, target, source]: true, or -Infinity, where a query attends to no key. Default: null. */
  readonly attnMask?: Tensor | null;
  /** Says that `attnMask` is the causal one, which the fused operator then need not read. Default: false. */
  readonly isCausal?: boolean;
}

/** The learnt parts: one projection for queries, keys and values together, or one for each. */
export interface AttentionWeights {
  readonly inProjWeight: Tensor | null;
  readonly qProjWeight: Tensor | null;
  readonly kProjWeight: Tensor | null;
  readonly vProjWeight: Tensor | null;
  readonly inProjBias: Tensor | null;
  readonly biasK: Tensor | null;
  readonly biasV: Tensor | null;
  readonly outProjWeight: Tensor;
  readonly outProjBias: Tensor | null;
}

export interface AttentionSettings extends AttentionMasks {
  readonly numHeads: number;
  readonly addZeroAttn: boolean;
  /** Probability to drop an attention weight. */
  readonly dropout: number;
  readonly training: boolean;
  readonly needWeights: boolean;
  readonly averageAttnWeights: boolean;
  /** Whether nobody sees in which order the output lies in memory; if not, in PyTorch's. */
  readonly inAnyOrder?: boolean;
}

/** A mask that is added to the scores: `true` becomes -Infinity. */
export function additiveMask(call: string, name: string, mask: Tensor | null, dtype: DType): Tensor | null {
  if (mask === null) return null;
  if (!native.isTensor(mask))
    throw new TypeError(`${call}: ${name} must be a tensor, got ${describe(mask)}.`);
  const given = native.dtype(mask);
  if (isFloatingDType(given)) return mask;
  if (given !== "bool") throw new TypeError(`${call}: ${name} must be bool or floating, got ${given}.`);
  return torchFunctions.zerosLike(mask, { dtype }).maskedFill_(mask, -Infinity);
}

/** [length, batch, parts * size] -> `parts` tensors of [length, batch, size]. */
function separate(projected: Tensor, parts: number, size: number): Tensor[] {
  return projected
    .unflatten(-1, [parts, size])
    .unsqueeze(0)
    .transpose(0, -2)
    .squeeze(-2)
    .contiguous()
    .unbind(0);
}

/** Queries, keys and values; those of one tensor are projected by one product. */
function project(query: Tensor, key: Tensor, value: Tensor, weights: AttentionWeights): Tensor[] {
  const { inProjWeight, inProjBias: bias } = weights;
  const { linear } = nnFunctions;
  const size = query.size(-1);
  if (!inProjWeight) {
    const biases = bias ? bias.chunk(3) : [null, null, null];
    return [
      linear(query, weights.qProjWeight!, biases[0]),
      linear(key, weights.kProjWeight!, biases[1]),
      linear(value, weights.vProjWeight!, biases[2]),
    ];
  }
  if (query === key && key === value) return separate(linear(query, inProjWeight, bias), 3, size);
  if (key === value) {
    const [queryWeight, pairWeight] = inProjWeight.split([size, 2 * size]) as [Tensor, Tensor];
    const [queryBias, pairBias] = bias ? bias.split([size, 2 * size]) : [null, null];
    return [linear(query, queryWeight, queryBias), ...separate(linear(key, pairWeight, pairBias), 2, size)];
  }
  const [q, k, v] = inProjWeight.chunk(3) as [Tensor, Tensor, Tensor];
  const biases = bias ? bias.chunk(3) : [null, null, null];
  return [linear(query, q, biases[0]), linear(key, k, biases[1]), linear(value, v, biases[2])];
}

function checkAttnMask(call: string, mask: Tensor, rows: readonly number[], batchHeads: number): Tensor {
  const shape = native.shape(mask);
  const wide = [batchHeads, ...rows];
  if (shape.join() === rows.join()) return mask.unsqueeze(0);
  if (shape.join() === wide.join()) return mask;
  throw new RangeError(
    `${call}: attnMask must be ${shapeText(rows)} or ${shapeText(wide)}, got shape ${shapeText(shape)}.`,
  );
}

/** The masks as one, [1 or batch * heads, target or 1, source]; null for none. */
function mergedMask(
  attnMask: Tensor | null,
  padding: Tensor | null,
  batch: number,
  heads: number,
): Tensor | null {
  if (!padding) return attnMask;
  const source = padding.size(-1);
  const wide = padding
    .view([batch, 1, 1, source])
    .expand([-1, heads, -1, -1])
    .reshape([batch * heads, 1, source]);
  return attnMask ? attnMask.add(wide) : wide;
}

/**
 * Attention of a tensor to itself by the fused operator, [length, batch, size] -> the same. Queries, keys and values are
 * read where the one product put them, and the product reads the input as it lies in memory: PyTorch copies the input,
 * the three of them and their gradients. The output lies as PyTorch's, [length, batch, size], for whoever draws random
 * numbers over it (a dropout) does so in that order.
 */
function attendToItself(
  input: Tensor,
  weights: AttentionWeights,
  { numHeads, inAnyOrder = false }: AttentionSettings,
  mask: Tensor | null,
  dropout: number,
  isCausal: boolean,
): Tensor {
  const { linear, scaledDotProductAttention } = nnFunctions;
  const byBatch = input.transpose(0, 1);
  const liesByBatch = native.isContiguous(byBatch);
  const [q, k, v] = linear(liesByBatch ? byBatch : input, weights.inProjWeight!, weights.inProjBias)
    .unflatten(-1, [3, numHeads, -1])
    .unbind(2)
    .map((part) => (liesByBatch ? part.transpose(1, 2) : part.permute([1, 2, 0, 3]))) as [
    Tensor,
    Tensor,
    Tensor,
  ];
  const attended = scaledDotProductAttention(q, k, v, mask, dropout, isCausal);
  const staysByBatch = liesByBatch && inAnyOrder;
  const together = staysByBatch ? attended.transpose(1, 2) : attended.permute([2, 0, 1, 3]);
  const output = linear(together.flatten(2), weights.outProjWeight, weights.outProjBias);
  return staysByBatch ? output.transpose(0, 1) : output;
}

type Attended = [output: Tensor, weights: Tensor | null];

/**
 * Computes attention and frees its intermediate tensors at its end, for the reason given in `transient.ts`.
 *
 * Query [target, batch, size], key and value [source, batch, ...] -> the output [target, batch, size], and the weights
 * [batch, target, source] ([batch, heads, target, source] unless averaged), or null where they are not needed.
 */
export function multiHeadAttentionForward(
  call: string,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  weights: AttentionWeights,
  settings: AttentionSettings,
): Attended {
  return tidy(() => attend(call, query, key, value, weights, settings));
}

function attend(
  call: string,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  weights: AttentionWeights,
  settings: AttentionSettings,
): Attended {
  const { numHeads, needWeights } = settings;
  const [target, batch, size] = native.shape(query) as [number, number, number];
  const headSize = size / numHeads;
  const batchHeads = batch * numHeads;
  const dtype = native.dtype(query);
  let padding = additiveMask(call, "keyPaddingMask", settings.keyPaddingMask ?? null, dtype);
  const given = settings.attnMask ?? null;
  if (settings.isCausal && !given) {
    throw new TypeError(
      `${call}: isCausal says that attnMask is causal, and there is none; nn.Transformer.generateSquareSubsequentMask(length) makes it.`,
    );
  }
  const hinted = settings.isCausal === true && !padding && !needWeights;
  let attnMask = hinted ? null : additiveMask(call, "attnMask", given, dtype);
  const rows = [target, native.shape(key)[0]!];
  if (attnMask) attnMask = checkAttnMask(call, attnMask, rows, batchHeads);
  if (padding && native.shape(padding).join() !== `${batch},${rows[1]}`) {
    throw new RangeError(
      `${call}: keyPaddingMask must be ${shapeText([batch, rows[1]!])}, got shape ${shapeText(native.shape(padding))}.`,
    );
  }

  const dropout = settings.training ? settings.dropout : 0;
  /** Returns the mask in the shape that the fused operator takes: [1 or batch, 1 or heads, target or 1, source]. */
  const wideMask = (mask: Tensor | null) =>
    mask && (mask.size(0) === 1 ? mask.unsqueeze(0) : mask.view([batch, numHeads, -1, mask.size(-1)]));
  const extended = weights.biasK !== null || settings.addZeroAttn;
  if (!needWeights && !extended && weights.inProjWeight && query === key && key === value) {
    const mask = wideMask(mergedMask(attnMask, padding, batch, numHeads));
    return [attendToItself(query, weights, settings, mask, dropout, hinted), null];
  }

  let [q, k, v] = project(query, key, value, weights) as [Tensor, Tensor, Tensor];
  const addColumn = () => {
    if (attnMask) attnMask = nnFunctions.pad(attnMask, [0, 1]);
    if (padding) padding = nnFunctions.pad(padding, [0, 1]);
  };
  if (weights.biasK && weights.biasV) {
    k = torchFunctions.cat([k, weights.biasK.repeat([1, batch, 1])]);
    v = torchFunctions.cat([v, weights.biasV.repeat([1, batch, 1])]);
    addColumn();
  }
  const byHead = (x: Tensor) => x.view([x.size(0), batchHeads, headSize]).transpose(0, 1);
  [q, k, v] = [byHead(q), byHead(k), byHead(v)];
  if (settings.addZeroAttn) {
    const zeros = torchFunctions.zeros([batchHeads, 1, headSize], { dtype, device: native.device(k) });
    k = torchFunctions.cat([k, zeros], 1);
    v = torchFunctions.cat([v, zeros], 1);
    addColumn();
  }
  const source = k.size(1);
  const mask = mergedMask(attnMask, padding, batch, numHeads);
  const projectOut = (heads: Tensor) =>
    nnFunctions.linear(heads, weights.outProjWeight, weights.outProjBias).view([target, batch, -1]);

  if (!needWeights) {
    const spread = (x: Tensor, length: number) => x.view([batch, numHeads, length, headSize]);
    const attended = nnFunctions.scaledDotProductAttention(
      spread(q, target),
      spread(k, source),
      spread(v, source),
      wideMask(mask),
      dropout,
      hinted,
    );
    return [projectOut(attended.permute([2, 0, 1, 3]).reshape([batch * target, size])), null];
  }
  const scaled = q.mul(Math.sqrt(1 / headSize));
  const transposed = k.transpose(-2, -1);
  const scores = mask
    ? torchFunctions.baddbmm(mask, scaled, transposed)
    : torchFunctions.bmm(scaled, transposed);
  let shares = torchFunctions.softmax(scores, -1);
  if (dropout > 0) shares = torchFunctions.dropout(shares, dropout, true);
  const attended = torchFunctions
    .bmm(shares, v)
    .transpose(0, 1)
    .reshape([target * batch, size]);
  const perHead = shares.view([batch, numHeads, target, source]);
  return [projectOut(attended), settings.averageAttnWeights ? perHead.mean(1) : perHead];
}
