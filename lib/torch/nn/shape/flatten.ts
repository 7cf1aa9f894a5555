// Layers that change only the shape.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import { inputShape } from "../input.ts";
import { Module } from "../module/base.ts";
import type { CalledAsForward } from "../module/called.ts";
import { keepNothing } from "../module/transient.ts";
import type { ByName, LayerCall } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

export interface Flatten<
  Start extends number = 1,
  End extends number = -1,
> extends LayerCall<`flatten;${Start};${End}|`> {}

/** Makes one dimension of several: [8, 1, 28, 28] -> [8, 784]. */
export class Flatten<Start extends number = 1, End extends number = -1> extends Module {
  readonly startDim: number;
  readonly endDim: number;

  constructor(options: {
    /** The first dimension that is flattened. Default: 1. */
    readonly startDim?: Start;
    /** The last one. Default: -1. */
    readonly endDim?: End;
  });
  constructor(startDim?: Start | 1, endDim?: End | -1);
  constructor(...given: unknown[]) {
    super();
    const call = "new nn.Flatten";
    const form = { places: ["startDim", "endDim"] as const };
    const named = argumentsByName<Record<"startDim" | "endDim", unknown>>(call, form, given);
    const { startDim = 1, endDim = -1 } = named;
    this.startDim = checkInteger(call, "startDim", startDim, -Infinity);
    this.endDim = checkInteger(call, "endDim", endDim, -Infinity);
  }

  override forward(input: Tensor): Tensor {
    const { length } = inputShape(this, input);
    for (const dim of [this.startDim, this.endDim]) {
      if (dim < -length || dim >= Math.max(length, 1)) {
        throw new RangeError(`${this}: an input of ${length} dimensions has no dimension ${dim}.`);
      }
    }
    return torchFunctions.flatten(input, this.startDim, this.endDim);
  }

  override extraRepr(): string {
    return `startDim=${this.startDim}, endDim=${this.endDim}`;
  }
}

export interface Unflatten extends CalledAsForward {}

/** Makes several dimensions of one: `new Unflatten(1, [1, 28, 28])` turns [8, 784] into [8, 1, 28, 28]. */
export class Unflatten extends Module {
  readonly dim: number;
  readonly unflattenedSize: readonly number[];

  constructor(dim: number, unflattenedSize: readonly number[]);
  constructor(named: ByName & { dim: number; unflattenedSize: readonly number[] });
  constructor(dim: number, named: ByName & { unflattenedSize: readonly number[] });
  constructor(dim: number, unflattenedSize: readonly number[]);
  constructor(...all: unknown[]) {
    const { dim, unflattenedSize } = argumentsByName<{ dim: number; unflattenedSize: readonly number[] }>(
      "new nn.Unflatten",
      { places: ["dim", "unflattenedSize"] },
      all,
    ) as { dim: number; unflattenedSize: readonly number[] };
    super();
    const call = "new nn.Unflatten";
    this.dim = checkInteger(call, "dim", dim, -Infinity);
    if (!Array.isArray(unflattenedSize)) {
      throw new TypeError(
        `${call}: unflattenedSize must be a list of sizes, got ${describe(unflattenedSize)}.`,
      );
    }
    this.unflattenedSize = unflattenedSize.map((size, i) =>
      checkInteger(call, `unflattenedSize[${i}]`, size, -1),
    );
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return torchFunctions.unflatten(input, this.dim, this.unflattenedSize);
  }

  override extraRepr(): string {
    return `dim=${this.dim}, unflattenedSize=[${this.unflattenedSize.join(", ")}]`;
  }
}

keepNothing(Flatten, Unflatten);
