// Adam and AdamW, by libtorch's fused kernels: one call updates all parameters of a device and dtype.
import type { Tensor } from "../tensor/tensor.ts";
import { boolean, checkRules, number, pair, type Rules } from "../vocabulary/options.ts";
import { ops, torchFunctions } from "../tensor/operators.ts";
import { capturedRate } from "./captured_rate.ts";
import { Optimizer, type Batch, type GroupInput, type ParamGroup } from "./optimizer.ts";
import { type GivenOptions, givenArguments, type NamedArguments } from "./given_options.ts";

export interface AdamOptions {
  /** Learning rate. Default: 1e-3. */
  lr: number;
  /** Decay rates of the averages of the gradient and of its square. Default: [0.9, 0.999]. */
  betas: readonly [number, number];
  /** Added to the denominator. Default: 1e-8. */
  eps: number;
  /** Added to the gradient by Adam, taken off the parameter by AdamW. Default: 0 for Adam, 0.01 for AdamW. */
  weightDecay: number;
  /** Divides by the largest average of the square so far. Default: false. */
  amsgrad: boolean;
  /** Climbs instead of descending. Default: false. */
  maximize: boolean;
}

const BETA = { min: 0, max: 1, below: true };

const RULES: Rules<AdamOptions> = {
  lr: number(1e-3, { min: 0 }),
  betas: pair([0.9, 0.999], [BETA, BETA]),
  eps: number(1e-8, { min: 0 }),
  weightDecay: number(0, { min: 0 }),
  amsgrad: boolean(false),
  maximize: boolean(false),
};

const ADAMW_RULES: Rules<AdamOptions> = { ...RULES, weightDecay: number(1e-2, { min: 0 }) };

const FOLLOWED: readonly (keyof AdamOptions)[] = ["lr", "betas", "eps", "weightDecay"];

abstract class AdamBase extends Optimizer<AdamOptions> {
  /** The kernel: `_fused_adam_` or `_fused_adamw_`. */
  protected abstract readonly fused: typeof ops.aten._fused_adam_;

  protected override get countsOnDevice(): boolean {
    return true;
  }

  protected override get takesFoundInf(): boolean {
    return true;
  }

  protected override get followedOptions(): readonly string[] {
    return FOLLOWED;
  }

  protected override checkGroup(call: string, options: AdamOptions): void {
    checkRules(call, options, RULES);
  }

  protected override update(group: ParamGroup<AdamOptions>, { params, grads, device }: Batch): void {
    const expAvgs: Tensor[] = [];
    const expAvgSqs: Tensor[] = [];
    const maxExpAvgSqs: Tensor[] = [];
    const steps: Tensor[] = [];
    for (const parameter of params) {
      const zeros = () => torchFunctions.zerosLike(parameter);
      steps.push(
        this.remember(parameter, "step", () => torchFunctions.zeros([], { dtype: "float32", device })),
      );
      expAvgs.push(this.remember(parameter, "expAvg", zeros));
      expAvgSqs.push(this.remember(parameter, "expAvgSq", zeros));
      if (group.amsgrad) maxExpAvgSqs.push(this.remember(parameter, "maxExpAvgSq", zeros));
    }
    this.align(group, params, {
      expAvg: expAvgs,
      expAvgSq: expAvgSqs,
      ...(group.amsgrad ? { maxExpAvgSq: maxExpAvgSqs } : {}),
    });
    ops.aten._foreach_add_.Scalar(steps, 1);
    const { foundInf } = this;
    // A step that is left out does not count.
    if (foundInf !== null)
      ops.aten._foreach_sub_.List(
        steps,
        steps.map(() => foundInf),
      );
    const numbers = () => ({
      beta1: group.betas[0],
      beta2: group.betas[1],
      weight_decay: group.weightDecay,
      eps: group.eps,
    });
    const lr = capturedRate(group, device, numbers);
    const call = typeof lr === "number" ? this.fused.default : this.fused.tensor_lr;
    call(params, grads, expAvgs, expAvgSqs, maxExpAvgSqs, steps, {
      lr,
      ...numbers(),
      amsgrad: group.amsgrad,
      maximize: group.maximize,
      ...(foundInf === null ? {} : { found_inf: foundInf }),
    });
  }
}

/**
 * Adam (Kingma and Ba, 2015): averages of the gradient over the root of averages of its square. `weightDecay` is
 * added to the gradient; `AdamW` keeps it apart.
 */
export class Adam extends AdamBase {
  protected override readonly fused = ops.aten._fused_adam_;

  constructor(
    params: Iterable<Tensor> | Iterable<GroupInput<AdamOptions>> | NamedArguments<AdamOptions>,
    lr?: number | GivenOptions<AdamOptions>,
    betas?: readonly [number, number] | GivenOptions<AdamOptions>,
    eps?: number | GivenOptions<AdamOptions>,
    weightDecay?: number | GivenOptions<AdamOptions>,
    amsgrad?: boolean | GivenOptions<AdamOptions>,
  );
  constructor(...all: unknown[]) {
    super(
      ...givenArguments<AdamOptions>(
        "new optim.Adam",
        RULES,
        ["lr", "betas", "eps", "weightDecay", "amsgrad"],
        all,
      ),
    );
  }
}

/** Adam with weight decay apart from the gradient. */
export class AdamW extends AdamBase {
  protected override readonly fused = ops.aten._fused_adamw_;

  constructor(
    params: Iterable<Tensor> | Iterable<GroupInput<AdamOptions>> | NamedArguments<AdamOptions>,
    lr?: number | GivenOptions<AdamOptions>,
    betas?: readonly [number, number] | GivenOptions<AdamOptions>,
    eps?: number | GivenOptions<AdamOptions>,
    weightDecay?: number | GivenOptions<AdamOptions>,
    amsgrad?: boolean | GivenOptions<AdamOptions>,
  );
  constructor(...all: unknown[]) {
    super(
      ...givenArguments<AdamOptions>(
        "new optim.AdamW",
        ADAMW_RULES,
        ["lr", "betas", "eps", "weightDecay", "amsgrad"],
        all,
      ),
    );
  }
}
