// Layers that move values between channels and space.
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger } from "../../vocabulary/arguments.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import { inputShape } from "../input.ts";
import { Module } from "../module/module.ts";
import { keepNothing } from "../module/transient.ts";
import type { ByName } from "../../types/index.ts";

/** The channel count of [..., channels, height, width], which must divide. */
function requireDivisible(
  layer: Module,
  what: string,
  size: number | undefined,
  by: number,
  shape: number[],
) {
  if (size !== undefined && size % by === 0) return;
  throw new RangeError(`${layer}: ${what} must be a multiple of ${by}, got shape [${shape.join(", ")}].`);
}

/** [..., c r^2, h, w] -> [..., c, h r, w r] (Shi et al., arXiv:1609.05158). */
export class PixelShuffle extends Module {
  readonly upscaleFactor: number;

  constructor(upscaleFactor: number);
  constructor(named: ByName & { upscaleFactor: number });
  constructor(upscaleFactor: number);
  constructor(...all: unknown[]) {
    const { upscaleFactor } = argumentsByName<{ upscaleFactor: number }>(
      `new nn.${new.target.name}`,
      { places: ["upscaleFactor"] },
      all,
    ) as { upscaleFactor: number };
    super();
    this.upscaleFactor = checkInteger("new nn.PixelShuffle", "upscaleFactor", upscaleFactor, 1);
  }

  override forward(input: Tensor): Tensor {
    const shape = inputShape(this, input);
    requireDivisible(
      this,
      "the channels of [..., channels, height, width]",
      shape.at(-3),
      this.upscaleFactor ** 2,
      shape,
    );
    return torchFunctions.pixelShuffle(input, this.upscaleFactor);
  }

  override extraRepr(): string {
    return `upscaleFactor=${this.upscaleFactor}`;
  }
}

/** [..., c, h r, w r] -> [..., c r^2, h, w]: the inverse of PixelShuffle. */
export class PixelUnshuffle extends Module {
  readonly downscaleFactor: number;

  constructor(downscaleFactor: number);
  constructor(named: ByName & { downscaleFactor: number });
  constructor(downscaleFactor: number);
  constructor(...all: unknown[]) {
    const { downscaleFactor } = argumentsByName<{ downscaleFactor: number }>(
      `new nn.${new.target.name}`,
      { places: ["downscaleFactor"] },
      all,
    ) as { downscaleFactor: number };
    super();
    this.downscaleFactor = checkInteger("new nn.PixelUnshuffle", "downscaleFactor", downscaleFactor, 1);
  }

  override forward(input: Tensor): Tensor {
    const shape = inputShape(this, input);
    const height = shape.length < 3 ? undefined : shape.at(-2);
    requireDivisible(
      this,
      "the height of [..., channels, height, width]",
      height,
      this.downscaleFactor,
      shape,
    );
    requireDivisible(
      this,
      "the width of [..., channels, height, width]",
      shape.at(-1),
      this.downscaleFactor,
      shape,
    );
    return torchFunctions.pixelUnshuffle(input, this.downscaleFactor);
  }

  override extraRepr(): string {
    return `downscaleFactor=${this.downscaleFactor}`;
  }
}

/** Takes channels from each group in turn: with 2 groups, [0, 1, 2, 3] -> [0, 2, 1, 3]. */
export class ChannelShuffle extends Module {
  readonly groups: number;

  constructor(groups: number);
  constructor(named: ByName & { groups: number });
  constructor(groups: number);
  constructor(...all: unknown[]) {
    const { groups } = argumentsByName<{ groups: number }>(
      `new nn.${new.target.name}`,
      { places: ["groups"] },
      all,
    ) as { groups: number };
    super();
    this.groups = checkInteger("new nn.ChannelShuffle", "groups", groups, 1);
  }

  override forward(input: Tensor): Tensor {
    const shape = inputShape(this, input);
    const channels = shape.length < 3 ? undefined : shape[1];
    requireDivisible(this, "the channels of [batch, channels, ...]", channels, this.groups, shape);
    return torchFunctions.channelShuffle(input, this.groups);
  }

  override extraRepr(): string {
    return `groups=${this.groups}`;
  }
}

keepNothing(PixelShuffle, PixelUnshuffle, ChannelShuffle);
