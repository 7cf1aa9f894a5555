// Padding layers: constants, or copies of the input, around its last dimensions.
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkNumber, checkSizes } from "../../vocabulary/arguments.ts";
import { nnFunctions } from "../../tensor/operators.ts";
import type { Sizes } from "../conv/geometry.ts";
import { checkChannels, checkReflection } from "../input.ts";
import { Module } from "../module/module.ts";
import { keepNothing } from "../module/transient.ts";

type Mode = "constant" | "reflect" | "replicate" | "circular";

abstract class PaddingLayer extends Module {
  /** Sizes of the padding before and after each dimension, the last dimension first: `[left, right, top, bottom]`. */
  readonly padding: readonly number[];
  readonly #mode: Mode;
  readonly #spatial: number;

  protected constructor(mode: Mode, spatial: number, padding: Sizes) {
    super();
    const call = `new nn.${this.constructor.name}`;
    this.#mode = mode;
    this.#spatial = spatial;
    // A negative constant padding crops, as PyTorch's does.
    const min = mode === "constant" ? -Infinity : 0;
    this.padding = checkSizes(call, "padding", padding, 2 * spatial, min);
  }

  protected padded(input: Tensor, value: number | null): Tensor {
    checkChannels(this, input, this.#spatial, null);
    checkReflection(this, input, this.padding, this.#mode);
    return nnFunctions.pad(input, this.padding, this.#mode, value);
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

  protected constructor(spatial: number, padding: Sizes, value: number) {
    super("constant", spatial, padding);
    this.value = checkNumber(`new nn.${this.constructor.name}`, "value", value);
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
  constructor(named: { padding: Sizes; value: number });
  constructor(padding: Sizes, named: { value: number });
  constructor(padding: Sizes, value: number);
  constructor(...all: unknown[]) {
    const { padding, value } = argumentsByName<{ padding: Sizes; value: number }>(
      `new nn.${new.target.name}`,
      { places: ["padding", "value"] },
      all,
    ) as { padding: Sizes; value: number };
    super(1, padding, value);
  }
}

/** Around the last two dimensions of [batch, channels, height, width]. */
export class ConstantPad2d extends ConstantPadding {
  constructor(padding: Sizes, value: number);
  constructor(named: { padding: Sizes; value: number });
  constructor(padding: Sizes, named: { value: number });
  constructor(padding: Sizes, value: number);
  constructor(...all: unknown[]) {
    const { padding, value } = argumentsByName<{ padding: Sizes; value: number }>(
      `new nn.${new.target.name}`,
      { places: ["padding", "value"] },
      all,
    ) as { padding: Sizes; value: number };
    super(2, padding, value);
  }
}

/** Around the last three dimensions of [batch, channels, depth, height, width]. */
export class ConstantPad3d extends ConstantPadding {
  constructor(padding: Sizes, value: number);
  constructor(named: { padding: Sizes; value: number });
  constructor(padding: Sizes, named: { value: number });
  constructor(padding: Sizes, value: number);
  constructor(...all: unknown[]) {
    const { padding, value } = argumentsByName<{ padding: Sizes; value: number }>(
      `new nn.${new.target.name}`,
      { places: ["padding", "value"] },
      all,
    ) as { padding: Sizes; value: number };
    super(3, padding, value);
  }
}

abstract class ZeroPadding extends PaddingLayer {
  protected constructor(spatial: number, padding: Sizes) {
    super("constant", spatial, padding);
  }
}

/** Zeros around the last dimension of [batch, channels, length]. */
export class ZeroPad1d extends ZeroPadding {
  constructor(padding: Sizes);
  constructor(named: { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...all: unknown[]) {
    const { padding } = argumentsByName<{ padding: Sizes }>(
      `new nn.${new.target.name}`,
      { places: ["padding"] },
      all,
    ) as { padding: Sizes };
    super(1, padding);
  }
}

/** Zeros around the last two dimensions of [batch, channels, height, width]. */
export class ZeroPad2d extends ZeroPadding {
  constructor(padding: Sizes);
  constructor(named: { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...all: unknown[]) {
    const { padding } = argumentsByName<{ padding: Sizes }>(
      `new nn.${new.target.name}`,
      { places: ["padding"] },
      all,
    ) as { padding: Sizes };
    super(2, padding);
  }
}

/** Zeros around the last three dimensions of [batch, channels, depth, height, width]. */
export class ZeroPad3d extends ZeroPadding {
  constructor(padding: Sizes);
  constructor(named: { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...all: unknown[]) {
    const { padding } = argumentsByName<{ padding: Sizes }>(
      `new nn.${new.target.name}`,
      { places: ["padding"] },
      all,
    ) as { padding: Sizes };
    super(3, padding);
  }
}

/** The input mirrored at its edges, which are not repeated. */
export class ReflectionPad1d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...all: unknown[]) {
    const { padding } = argumentsByName<{ padding: Sizes }>(
      `new nn.${new.target.name}`,
      { places: ["padding"] },
      all,
    ) as { padding: Sizes };
    super("reflect", 1, padding);
  }
}

/** The input mirrored at its edges, which are not repeated. */
export class ReflectionPad2d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...all: unknown[]) {
    const { padding } = argumentsByName<{ padding: Sizes }>(
      `new nn.${new.target.name}`,
      { places: ["padding"] },
      all,
    ) as { padding: Sizes };
    super("reflect", 2, padding);
  }
}

/** The input mirrored at its edges, which are not repeated. */
export class ReflectionPad3d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...all: unknown[]) {
    const { padding } = argumentsByName<{ padding: Sizes }>(
      `new nn.${new.target.name}`,
      { places: ["padding"] },
      all,
    ) as { padding: Sizes };
    super("reflect", 3, padding);
  }
}

/** The edge's values repeated. */
export class ReplicationPad1d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...all: unknown[]) {
    const { padding } = argumentsByName<{ padding: Sizes }>(
      `new nn.${new.target.name}`,
      { places: ["padding"] },
      all,
    ) as { padding: Sizes };
    super("replicate", 1, padding);
  }
}

/** The edge's values repeated. */
export class ReplicationPad2d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...all: unknown[]) {
    const { padding } = argumentsByName<{ padding: Sizes }>(
      `new nn.${new.target.name}`,
      { places: ["padding"] },
      all,
    ) as { padding: Sizes };
    super("replicate", 2, padding);
  }
}

/** The edge's values repeated. */
export class ReplicationPad3d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...all: unknown[]) {
    const { padding } = argumentsByName<{ padding: Sizes }>(
      `new nn.${new.target.name}`,
      { places: ["padding"] },
      all,
    ) as { padding: Sizes };
    super("replicate", 3, padding);
  }
}

/** The values of the other side, as on a ring. */
export class CircularPad1d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...all: unknown[]) {
    const { padding } = argumentsByName<{ padding: Sizes }>(
      `new nn.${new.target.name}`,
      { places: ["padding"] },
      all,
    ) as { padding: Sizes };
    super("circular", 1, padding);
  }
}

/** The values of the other side, as on a torus. */
export class CircularPad2d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...all: unknown[]) {
    const { padding } = argumentsByName<{ padding: Sizes }>(
      `new nn.${new.target.name}`,
      { places: ["padding"] },
      all,
    ) as { padding: Sizes };
    super("circular", 2, padding);
  }
}

/** The values of the other side in three dimensions. */
export class CircularPad3d extends PaddingLayer {
  constructor(padding: Sizes);
  constructor(named: { padding: Sizes });
  constructor(padding: Sizes);
  constructor(...all: unknown[]) {
    const { padding } = argumentsByName<{ padding: Sizes }>(
      `new nn.${new.target.name}`,
      { places: ["padding"] },
      all,
    ) as { padding: Sizes };
    super("circular", 3, padding);
  }
}

keepNothing(PaddingLayer, ConstantPadding);
