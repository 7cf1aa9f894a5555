// Options that encoder and decoder layers share, how a stack copies a layer, and the feed-forward block.
import { describe } from "../../vocabulary/arguments.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import { boolean, integer, number, type Rule, type Rules } from "../../vocabulary/options.ts";
import { tidy } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { GELU, ReLU } from "../activation/elementwise.ts";
import { type FactoryOptions, readLayerOptions } from "../factory.ts";
import { Module } from "../module/module.ts";
import { keepsNothing } from "../module/transient.ts";

export type Activation = "relu" | "gelu" | ((input: Tensor) => Tensor);

interface Structure {
  /** Size inside the feed-forward block. Default: 2048. */
  readonly dimFeedforward?: number;
  /** Probability to drop an element while training. Default: 0.1. */
  readonly dropout?: number;
  /** The function inside of the feed-forward block. Default: "relu". */
  readonly activation?: Activation;
  /** The norms' eps. Default: 1e-5. */
  readonly layerNormEps?: number;
  /** Whether tensors are [batch, length, dModel] and not [length, batch, dModel]. Default: false. */
  readonly batchFirst?: boolean;
  /** Normalizes before each block and not after it. Default: false. */
  readonly normFirst?: boolean;
  /** Whether linear layers and norms have biases. Default: true. */
  readonly bias?: boolean;
}

export interface TransformerLayerOptions extends Structure, FactoryOptions {}

const activation: Rule<Activation> = {
  fallback: "relu",
  check(call, name, value) {
    if (value === "relu" || value === "gelu" || typeof value === "function") return value as Activation;
    throw new TypeError(
      `${call}: ${name} must be "relu", "gelu" or a function of a tensor, got ${describe(value)}.`,
    );
  },
};

const STRUCTURE_RULES: Rules<Structure> = {
  dimFeedforward: integer(2048, 1),
  dropout: number(0.1, { min: 0, max: 1 }),
  activation,
  layerNormEps: number(1e-5, { min: 0 }),
  batchFirst: boolean(false),
  normFirst: boolean(false),
  bias: boolean(true),
};

/** What follows `dModel` and `nhead` of an encoder's or decoder's layer, by place. */
export const LAYER_PLACES = [
  "dimFeedforward",
  "dropout",
  "activation",
  "layerNormEps",
  "batchFirst",
  "normFirst",
  "bias",
  "device",
  "dtype",
] as const satisfies readonly (keyof TransformerLayerOptions)[];

export function readStructure(call: string, options: TransformerLayerOptions | undefined) {
  const { read, factory } = readLayerOptions<Structure>(call, options, STRUCTURE_RULES);
  return { ...read, factory };
}

export function activationFunction(given: Activation): (input: Tensor) => Tensor {
  if (given === "relu") return torchFunctions.relu;
  return given === "gelu" ? (input) => nnFunctions.gelu(input) : given;
}

/** Returns the activation's name if the fused kernel has it, else null. */
export function fusedActivation(given: Activation): "relu" | "gelu" | null {
  if (given === "relu" || given === torchFunctions.relu || given instanceof ReLU) return "relu";
  const isGelu =
    given === "gelu" || given === nnFunctions.gelu || (given instanceof GELU && given.approximate === "none");
  return isGelu ? "gelu" : null;
}

/**
 * Runs the forward of an encoder's or decoder's layer. What it makes on the way is freed at its end, where no part of it
 * can have kept it: training a ViT-tiny, the process held 384 MB for 411.
 */
export function freeingBetween<Result>(
  layer: Module & { readonly activation: Activation },
  forward: () => Result,
): Result {
  const forgets = fusedActivation(layer.activation) !== null && layer.children().every(keepsNothing);
  return forgets ? tidy(forward) : forward();
}

/** The layers of a stack: copies of one, or what a function makes for each. */
export function stackOf<Layer extends Module>(
  call: string,
  name: string,
  layer: Layer | (() => Layer),
  count: number,
): Layer[] {
  if (layer instanceof Module) return Array.from({ length: count }, () => layer.clone());
  if (typeof layer !== "function")
    throw new TypeError(
      `${call}: ${name} must be a layer, or a function that makes one, got ${describe(layer)}.`,
    );
  return Array.from({ length: count }, () => {
    const made: unknown = layer();
    if (made instanceof Module) return made as Layer;
    throw new TypeError(`${call}: the function must make a layer, got ${describe(made)}.`);
  });
}
