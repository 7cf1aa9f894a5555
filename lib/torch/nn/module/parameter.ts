// Parameters and buffers: tensors that a module owns. A mark on the wrapper makes a tensor one of them, so a module
// finds it among its fields without registration calls. A module ignores tensors without the mark.
import { floatingWay, isComplexDType, isFloatingDType } from "../../vocabulary/dtype.ts";
import { noteOccasion } from "../../engine/captured_effects.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { ByName } from "../../types/index.ts";
import { describe } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { boolean, readOptions, type Rules } from "../../vocabulary/options.ts";

export interface Mark {
  readonly kind: "parameter" | "buffer";
  readonly persistent: boolean;
}

const marks = new WeakMap<object, Mark>();

export function markOf(value: unknown): Mark | undefined {
  return typeof value === "object" && value !== null ? marks.get(value) : undefined;
}

/** A leaf over the same memory as `data`, which keeps its own history. It belongs to a module, so tidy spares it. */
function markedLeaf(call: string, data: unknown, mark: Mark): Tensor {
  if (!native.isTensor(data)) throw new TypeError(`${call}: expected a tensor, got ${describe(data)}.`);
  const leaf = data.detach();
  markTensor(leaf, mark);
  return leaf;
}

export function markTensor(tensor: Tensor, mark: Mark): void {
  native.keep(tensor);
  marks.set(tensor, mark);
}

/** A class whose constructor returns a tensor. To say so it is described: a class has no union for its instances. */
interface Marking<Made, Options> {
  new (named: ByName & Options & { readonly data: Tensor }): Made;
  new (data: Tensor, options?: Options): Made;
  readonly prototype: Made;
  [Symbol.hasInstance](value: unknown): value is Made;
}

/**
 * Distinguishes the type from a plain tensor, which would leave the layer untrained in place of a parameter. No value
 * has this property.
 */
declare const PARAMETER: unique symbol;

/** A tensor that an optimizer trains. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface Parameter extends Tensor {
  readonly [PARAMETER]: true;
}

export interface ParameterOptions {
  /** Whether autograd records what is done with it. Default: true. */
  readonly requiresGrad?: boolean;
}

const PARAMETER_RULES: Rules<ParameterOptions> = { requiresGrad: boolean(true) };

interface ParameterConstructor extends Marking<Parameter, ParameterOptions> {
  new (data: Tensor, requiresGrad?: boolean | ParameterOptions): Parameter;
}

/** A tensor that an optimizer trains: `weight = new Parameter(torch.zeros([2, 3]))`. */
export const Parameter = class Parameter {
  constructor(...all: unknown[]) {
    const call = "new nn.Parameter";
    const [data, ...placed] = neededByPlace<[unknown]>(["data"], all);
    const options = optionsByPlace<ParameterOptions>(call, ["requiresGrad"], placed);
    const { requiresGrad } = readOptions<ParameterOptions>(call, options, PARAMETER_RULES);
    noteOccasion();
    const leaf = markedLeaf(call, data, { kind: "parameter", persistent: true });
    if (requiresGrad) {
      const dtype = native.dtype(leaf);
      if (!isFloatingDType(dtype) && !isComplexDType(dtype)) {
        throw new TypeError(
          `${call}: ${dtype} tensors have no gradient; ${floatingWay(dtype)}, or pass { requiresGrad: false }.`,
        );
      }
      native.setRequiresGrad(leaf, true);
    }
    return leaf;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return markOf(value)?.kind === "parameter";
  }
} as unknown as ParameterConstructor;

/** State that is saved and moved with the module but not trained. */
export type Buffer = Tensor;

export interface BufferOptions {
  /** Whether it is in the module's state. Default: true. */
  readonly persistent?: boolean;
}

const BUFFER_RULES: Rules<BufferOptions> = { persistent: boolean(true) };

interface BufferConstructor extends Marking<Buffer, BufferOptions> {}

/** State that is saved and moved with the module but not trained, as running means are. */
export const Buffer = class Buffer {
  constructor(...all: unknown[]) {
    const call = "new nn.Buffer";
    const [data, ...placed] = neededByPlace<[unknown]>(["data"], all);
    const options = optionsByPlace<BufferOptions>(call, [], placed);
    const { persistent } = readOptions<BufferOptions>(call, options, BUFFER_RULES);
    return markedLeaf(call, data, { kind: "buffer", persistent });
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return markOf(value)?.kind === "buffer";
  }
} as unknown as BufferConstructor;
