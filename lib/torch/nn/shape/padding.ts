// Padding layers: constants, or copies of the input, around its last dimensions.
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkNumber, checkSizes } from "../../vocabulary/arguments.ts";
import { nnFunctions } from "../../tensor/operators.ts";
import type { Sizes } from "../conv/geometry.ts";
import { checkChannels, checkReflection } from "../input.ts";
import { Module } from "../module/module.ts";
import { keepNothing } from "../module/transient.ts";
import type { ByName } from "../../types/index.ts";

type Mode = "constant" | "reflect" | "replicate" | "circular";

abstract class PaddingLayer extends Module {
  /** Sizes of the padding before and after each dimension, the last dimension first: `[left, right, top, bottom]`. */
  readonly padding: readonly number[];
  private readonly _mode: Mode;
  private readonly _spatial: number;

  /** @param given the padding, at its place or by name */
  protected constructor(mode: Mode, spatial: number, given: readonly unknown[]) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const { padding } = argumentsByName<{ padding: Sizes }>(call, { places: ["padding"] }, given);
    this._mode = mode;
    this._spatial = spatial;
    // A negative constant padding crops, as PyTorch's does.
    const min = mode === "constant" ? -Infinity : 0;
    this.padding = checkSizes(call, "padding", padding, 2 * spatial, min);
  }

  protected padded(input: Tensor, value: number | null): Tensor {
    checkChannels(this, input, this._spatial, null);
    checkReflection(this, input, this.padding, this._mode);
    return nnFunctions.pad(input, this.padding, this._mode, value);
  }

  override forward(input: Tensor): Tensor {
    return this.padded(input, null);
  }

  override extraRepr(): string {
    return `[${this.padding.join(", ")}]`;
  }
}

abstract class ConstantPadding extends PaddingLayer {
  value: number;

  protected constructor(spatial: number, given: readonly unknown[]) {
    const call = `new nn.${new.target.name}`;
    const places = { places: ["padding", "value"] } as const;
    const { padding, value } = argumentsByName<{ padding: Sizes; value: number }>(call, places, given);
    super("constant", spatial, [padding]);
    this.value = checkNumber(call, "value", value);
  }

  override forward(input: Tensor): Tensor {
    return this.padded(input, this.value);
  }

  override extraRepr(): string {
    return `padding=${super.extraRepr()}, value=${this.value}`;
  }
}

/** Around the last dimension of [batch, channels, length]. */
export class ConstantPad1d extends ConstantPadding {
  constructor(padding: Sizes, value: number);
  constructor(named: ByName & { padding: Sizes; value: number });
  constructor(padding: Sizes, named: ByName & { value: number });
  constructor(padding: Sizes, value: number);
  constructor(...given: unknown[]) {
    super(1, given);
  }
}

/** Around the last two dimensions of [batch, channels, height, width]. */
export class ConstantPad2d extends ConstantPadding {
  constructor(padding: Sizes, value: number);
  constructor(named: ByName & { padding: Sizes; value: number });
  constructor(padding: Sizes, named: ByName & { value: number });
  constructor(padding: Sizes, value: number);
  constructor(...given: unknown[]) {
    super(2, given);
  }
}

/** Around the last three dimensions of [batch, channels, depth, height, width]. */
export class ConstantPad3d extends ConstantPadding {
  constructor(padding: Sizes, value: number);
  constructor(named: ByName & { padding: Sizes; value: number });
  constructor(padding: Sizes, named: ByName & { value: number });
  constructor(padding: Sizes, value: number);
  constructor(...given: unknown[]) {
    super(3, given);
  }
}

abstract class ZeroPadding extends PaddingLayer {
  protected constructor(spatial: number, given: readonly unknown[]) {
    super("constant", spatial, given);
  }
}

/** Zeros around the last dimension of [batch, channels, length]. */
export class ZeroPad1d extends ZeroPadding {
  constructor(padding: Sizes);
  constructor(named: ByName & { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...given: unknown[]) {
    super(1, given);
  }
}

/** Zeros around the last two dimensions of [batch, channels, height, width]. */
export class ZeroPad2d extends ZeroPadding {
  constructor(padding: Sizes);
  constructor(named: ByName & { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...given: unknown[]) {
    super(2, given);
  }
}

/** Zeros around the last three dimensions of [batch, channels, depth, height, width]. */
export class ZeroPad3d extends ZeroPadding {
  constructor(padding: Sizes);
  constructor(named: ByName & { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...given: unknown[]) {
    super(3, given);
  }
}

/** The input mirrored at its edges, which are not repeated. */
export class ReflectionPad1d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: ByName & { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...given: unknown[]) {
    super("reflect", 1, given);
  }
}

/** The input mirrored at its edges, which are not repeated. */
export class ReflectionPad2d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: ByName & { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...given: unknown[]) {
    super("reflect", 2, given);
  }
}

/** The input mirrored at its edges, which are not repeated. */
export class ReflectionPad3d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: ByName & { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...given: unknown[]) {
    super("reflect", 3, given);
  }
}

/** The edge's values repeated. */
export class ReplicationPad1d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: ByName & { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...given: unknown[]) {
    super("replicate", 1, given);
  }
}

/** The edge's values repeated. */
export class ReplicationPad2d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: ByName & { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...given: unknown[]) {
    super("replicate", 2, given);
  }
}

/** The edge's values repeated. */
export class ReplicationPad3d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: ByName & { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...given: unknown[]) {
    super("replicate", 3, given);
  }
}

/** The values of the other side, as on a ring. */
export class CircularPad1d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: ByName & { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...given: unknown[]) {
    super("circular", 1, given);
  }
}

/** The values of the other side, as on a torus. */
export class CircularPad2d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: ByName & { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...given: unknown[]) {
    super("circular", 2, given);
  }
}

/** The values of the other side in three dimensions. */
export class CircularPad3d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: ByName & { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...given: unknown[]) {
    super("circular", 3, given);
  }
}

keepNothing(PaddingLayer, ConstantPadding);
