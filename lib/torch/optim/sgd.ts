// Stochastic gradient descent with momentum, by libtorch's fused kernel: one call updates all parameters of a device
// and dtype.
import type { Tensor } from "../tensor/tensor.ts";
import { boolean, checkRules, number, type Rules } from "../vocabulary/options.ts";
import { guardCapture } from "../engine/captured_effects.ts";
import { native } from "../engine/native.ts";
import { ops, torchFunctions } from "../tensor/operators.ts";
import { capturedRate } from "./captured_rate.ts";
import { Optimizer, type Batch, type GroupInput, type ParamGroup } from "./optimizer.ts";
import { type GivenOptions, givenArguments, type NamedArguments } from "./given_options.ts";

export interface SgdOptions {
  /** Learning rate. Default: 1e-3. */
  lr: number;
  /** Share of the last step's direction that stays. Default: 0. */
  momentum: number;
  /** Share of the gradient kept out of the momentum. Default: 0. */
  dampening: number;
  /** Added to the gradient, times the parameter. Default: 0. */
  weightDecay: number;
  /** Looks ahead along the momentum. Default: false. */
  nesterov: boolean;
  /** Climbs instead of descending. Default: false. */
  maximize: boolean;
}

const RULES: Rules<SgdOptions> = {
  lr: number(1e-3, { min: 0 }),
  momentum: number(0, { min: 0 }),
  dampening: number(0),
  weightDecay: number(0, { min: 0 }),
  nesterov: boolean(false),
  maximize: boolean(false),
};

const FOLLOWED: readonly (keyof SgdOptions)[] = ["lr", "momentum", "dampening", "weightDecay"];

/**
 * Stochastic gradient descent: p - lr * g, or with momentum p - lr * b, where b = momentum * b + (1 - dampening) * g.
 * `weightDecay` is added to the gradient (`torch/optim/sgd.py`).
 */
export class SGD extends Optimizer<SgdOptions> {
  constructor(
    params: Iterable<Tensor> | Iterable<GroupInput<SgdOptions>> | NamedArguments<SgdOptions>,
    lr?: number | GivenOptions<SgdOptions>,
    momentum?: number | GivenOptions<SgdOptions>,
    dampening?: number | GivenOptions<SgdOptions>,
    weightDecay?: number | GivenOptions<SgdOptions>,
    nesterov?: boolean | GivenOptions<SgdOptions>,
  );
  constructor(...all: unknown[]) {
    super(
      ...givenArguments<SgdOptions>(
        "new optim.SGD",
        RULES,
        ["lr", "momentum", "dampening", "weightDecay", "nesterov"],
        all,
      ),
    );
  }

  protected override get takesSparse(): boolean {
    return true;
  }

  protected override get takesFoundInf(): boolean {
    return true;
  }

  protected override get followedOptions(): readonly string[] {
    return FOLLOWED;
  }

  protected override checkGroup(call: string, options: SgdOptions): void {
    checkRules(call, options, RULES);
    if (options.nesterov && (options.momentum === 0 || options.dampening !== 0)) {
      throw new RangeError(
        `${call}: nesterov needs a momentum above 0 and no dampening, got momentum ${options.momentum} and dampening ${options.dampening}.`,
      );
    }
  }

  protected override update(group: ParamGroup<SgdOptions>, batch: Batch): void {
    const { params, grads } = this.#withoutSparse(group, batch);
    if (params.length === 0) return;
    const remembers = group.momentum !== 0;
    guardCapture(() => (group.momentum !== 0) === remembers);
    if (!remembers) {
      this.#fused(group, params, grads, [], false);
      return;
    }
    // A buffer starts as the first gradient. The kernel wants this of all its parameters or of none, and one whose
    // first gradient comes later joins in a call of its own.
    const started = params.map((parameter) => this.state.has(parameter));
    for (const first of [true, false]) {
      const chosen = (_: Tensor, i: number) => started[i] !== first;
      const some = params.filter(chosen);
      if (some.length === 0) continue;
      const buffers = some.map((parameter) =>
        this.remember(parameter, "momentumBuffer", () => this.#firstBuffer(group, parameter)),
      );
      this.align(group, some, { momentumBuffer: buffers });
      this.#fused(group, some, grads.filter(chosen), buffers, first);
    }
  }

  /** Nothing need be in it, for the kernel writes it, unless it may leave the first step out. Zeros then act as nothing. */
  #firstBuffer(group: ParamGroup<SgdOptions>, parameter: Tensor): Tensor {
    if (this.foundInf === null) return torchFunctions.emptyLike(parameter);
    if (group.dampening === 0) return torchFunctions.zerosLike(parameter);
    throw new TypeError(
      "SGD.step: the first step takes no dampening, and a captured step whose GradScaler may leave steps out does not know which is the first: use no dampening, or keep scaler.step() outside of the step.",
    );
  }

  /** Updates what has a sparse gradient, which the kernel does not take, and gives the rest. */
  #withoutSparse(group: ParamGroup<SgdOptions>, { params, grads }: Batch): Pick<Batch, "params" | "grads"> {
    const dense = grads.map((grad) => native.layout(grad) === "strided");
    if (!dense.includes(false)) return { params, grads };
    const { lr, momentum, weightDecay, maximize } = group;
    if (momentum !== 0 || weightDecay !== 0) {
      throw new TypeError(
        "SGD.step: sparse gradients take neither momentum nor weightDecay; put those parameters in a group without.",
      );
    }
    for (const [i, parameter] of params.entries())
      if (!dense[i]) parameter.add_(grads[i]!, { alpha: maximize ? lr : -lr });
    return { params: params.filter((_, i) => dense[i]), grads: grads.filter((_, i) => dense[i]) };
  }

  #fused(
    group: ParamGroup<SgdOptions>,
    params: Tensor[],
    grads: Tensor[],
    buffers: Tensor[],
    first: boolean,
  ): void {
    const numbers = () => ({
      weight_decay: group.weightDecay,
      momentum: group.momentum,
      dampening: group.dampening,
    });
    const lr = capturedRate(group, native.device(params[0]!), numbers);
    const call = typeof lr === "number" ? ops.aten._fused_sgd_.default : ops.aten._fused_sgd_.tensor_lr;
    call(params, grads, buffers, {
      lr,
      ...numbers(),
      nesterov: group.nesterov,
      maximize: group.maximize,
      is_first_step: first,
      ...(this.foundInf === null ? {} : { found_inf: this.foundInf }),
    });
  }
}
