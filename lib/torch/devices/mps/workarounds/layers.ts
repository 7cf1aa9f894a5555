// Defines layers that replace those with known faults on mps: normalization on the CPU, with a larger eps, or by
// item.
import { checkBoolean, checkNumber, checkOptions } from "../../../vocabulary/arguments.ts";
import { noGrad } from "../../../autograd/autograd.ts";
import { Module } from "../../../nn/module/module.ts";
import {
  BatchNorm3d,
  InstanceNorm3d,
  LayerNorm,
  type LayerNormOptions,
} from "../../../nn/normalization/index.ts";
import { torchFunctions } from "../../../tensor/operators.ts";
import type { Tensor } from "../../../tensor/tensor.ts";
import { checkNormalizedShape } from "../../../nn/normalization/layer.ts";
import { requireModule } from "../../../nn/module/require_module.ts";
import { check } from "./probes.ts";

export interface SafeLayerNormOptions extends LayerNormOptions {
  /** Computes on the CPU regardless of what `check("layerNorm")` finds. Default: false. */
  readonly always?: boolean;
}

/**
 * An `nn.LayerNorm` that computes on the CPU, but only if the installed PyTorch computes it wrongly on mps. Its
 * parameters stay where the model is; each such forward copies the input there and back.
 */
export class SafeLayerNorm extends LayerNorm {
  readonly always: boolean;

  constructor(normalizedShape: number | readonly number[], options: SafeLayerNormOptions = {}) {
    const call = "new mps.workarounds.SafeLayerNorm";
    const { always = false, ...rest } = checkOptions<SafeLayerNormOptions>(call, options, [
      "always",
      "eps",
      "elementwiseAffine",
      "bias",
      "device",
      "dtype",
    ]);
    super(normalizedShape, rest);
    this.always = checkBoolean(call, "always", always);
  }

  override forward(input: Tensor): Tensor {
    checkNormalizedShape(this, input, this.normalizedShape);
    if (!input.device.startsWith("mps") || !(this.always || check("layerNorm").needed === true))
      return super.forward(input);
    const { weight, bias, normalizedShape, eps } = this;
    const made = torchFunctions.layerNorm(
      input.cpu(),
      normalizedShape,
      weight?.cpu() ?? null,
      bias?.cpu() ?? null,
      eps,
    );
    return made.to(input.device);
  }
}

const MAX_EPS = 1;

/** Layers with an eps in their normalization. */
interface Normalizes {
  eps: number;
}

/**
 * Raises eps in every normalization in `module` whose eps is smaller. This prevents overflow if inputs hardly vary,
 * above all in half precision. Returns how many were raised.
 */
export function raiseEps(module: Module, eps = 1e-4): number {
  const call = "mps.workarounds.raiseEps";
  requireModule(call, module);
  checkNumber(call, "eps", eps, { min: 0, max: MAX_EPS });
  let raised = 0;
  for (const layer of module.modules()) {
    if (!/Norm/.test(layer.constructor.name) || typeof (layer as Partial<Normalizes>).eps !== "number")
      continue;
    const normalizes = layer as unknown as Normalizes;
    if (normalizes.eps >= eps) continue;
    normalizes.eps = eps;
    raised++;
  }
  return raised;
}

/**
 * Puts an `InstanceNorm3d` with the same scale and shift in place of each `BatchNorm3d` inside `module`. This is a
 * different function, which normalizes each item by its own statistics, in training and in evaluation alike; so train
 * with it. Returns how many were replaced.
 */
export function instanceNorm3dForBatchNorm3d(module: Module): number {
  requireModule("mps.workarounds.instanceNorm3dForBatchNorm3d", module);
  let replaced = 0;
  for (const parent of module.modules()) {
    for (const [path, child] of parent.namedChildren()) {
      if (!(child instanceof BatchNorm3d)) continue;
      const { parent: holder, key } = holderOf(parent, path);
      holder[key] = instanceNormOf(child);
      replaced++;
    }
  }
  return replaced;
}

/** The object that holds a child: the module, or one of its fields that is a list or a record. */
function holderOf(module: Module, path: string): { parent: Record<string, unknown>; key: string } {
  const keys = path.split(".");
  const key = keys.pop()!;
  const parent = keys.reduce<unknown>((at, one) => (at as Record<string, unknown>)[one], module);
  return { parent: parent as Record<string, unknown>, key };
}

function instanceNormOf({ numFeatures, eps, momentum, weight, bias, training }: BatchNorm3d): InstanceNorm3d {
  const made = new InstanceNorm3d(numFeatures, { eps, momentum, affine: weight !== null });
  if (weight !== null && bias !== null) {
    noGrad(() => {
      made.weight!.copy_(weight);
      made.bias!.copy_(bias);
    });
    made.to(weight.device);
  }
  return made.train(training);
}
