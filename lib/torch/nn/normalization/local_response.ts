// Local response normalization as a layer. `functional/normalization.ts` computes it.
import { checkInteger, checkNumber } from "../../vocabulary/arguments.ts";
import { neededByPlace, argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { localResponseNorm } from "../functional/normalization.ts";
import { inputShape } from "../input.ts";
import { Module } from "../module/base.ts";
import { keepNothing } from "../module/transient.ts";
import type { ByName, LayerCall } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

export interface LocalResponseNormOptions {
  /** The factor of the mean of the squares. Default: 1e-4. */
  readonly alpha?: number;
  /** The power that divides. Default: 0.75. */
  readonly beta?: number;
  /** Added to the mean of the squares. Default: 1. */
  readonly k?: number;
}

export interface LocalResponseNorm extends LayerCall<""> {}

/** x / (k + alpha * mean of x^2 over `size` neighbouring channels)^beta, over [batch, channels, ...]. */
export class LocalResponseNorm extends Module {
  size: number;
  alpha: number;
  beta: number;
  k: number;

  constructor(size: number, alpha?: number, beta?: number, k?: number);
  constructor(size: number, options: LocalResponseNormOptions);
  constructor(named: ByName & { size: number } & LocalResponseNormOptions);
  constructor(size: number);
  constructor(...all: unknown[]) {
    const [size, ...given] = neededByPlace<[size: number]>(["size"], all);
    super();
    const call = "new nn.LocalResponseNorm";
    const form = { first: "size", places: ["alpha", "beta", "k"] as const };
    const named = argumentsByName<Record<"alpha" | "beta" | "k", unknown>>(call, form, given);
    const { alpha = 1e-4, beta = 0.75, k = 1 } = named;
    this.size = checkInteger(call, "size", size, 1);
    this.alpha = checkNumber(call, "alpha", alpha);
    this.beta = checkNumber(call, "beta", beta);
    this.k = checkNumber(call, "k", k);
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return localResponseNorm(input, this.size, this.alpha, this.beta, this.k);
  }

  override extraRepr(): string {
    return `${this.size}, alpha=${this.alpha}, beta=${this.beta}, k=${this.k}`;
  }
}

keepNothing(LocalResponseNorm);
