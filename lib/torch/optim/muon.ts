// Muon (Jordan et al., 2024): momentum made orthogonal by Newton and Schulz's iteration, for the matrices inside a model.
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import { boolean, checkRules, integer, number, type Rule, type Rules } from "../vocabulary/options.ts";
import { describe } from "../vocabulary/arguments.ts";
import { tidy } from "../tensor/scope.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { Optimizer, type Batch, type GroupInput, type ParamGroup } from "./optimizer.ts";
import { type GivenOptions, givenArguments, type NamedArguments } from "./given_options.ts";

export type LrAdjustment = "original" | "matchRmsAdamw" | "spectralUnclamped";

export interface MuonOptions {
  /** Learning rate. Default: 1e-3. */
  lr: number;
  /** Taken off the parameter. Default: 0.1. */
  weightDecay: number;
  /** Share of the last step's direction that stays. Default: 0.95. */
  momentum: number;
  /** Looks ahead along the momentum. Default: true. */
  nesterov: boolean;
  /** Coefficients of the iteration's polynomial. Default: [3.4445, -4.775, 2.0315]. */
  nsCoefficients: readonly [number, number, number];
  /** Least norm to divide by. Default: 1e-7. */
  eps: number;
  /** Iterations. Default: 5. */
  nsSteps: number;
  /** How the learning rate follows a matrix's shape. Default: "original". */
  adjustLr: LrAdjustment | null;
}

const coefficients: Rule<MuonOptions["nsCoefficients"]> = {
  fallback: [3.4445, -4.775, 2.0315],
  check(call, name, value) {
    if (Array.isArray(value) && value.length === 3 && value.every((one) => Number.isFinite(one)))
      return value as unknown as MuonOptions["nsCoefficients"];
    throw new TypeError(`${call}: ${name} must be three numbers, got ${describe(value)}.`);
  },
};

const adjustment: Rule<LrAdjustment | null> = {
  fallback: null,
  check(call, name, value) {
    if (value === null || (typeof value === "string" && Object.hasOwn(ADJUSTMENTS, value)))
      return value as LrAdjustment | null;
    const known = Object.keys(ADJUSTMENTS).map((one) => JSON.stringify(one));
    throw new TypeError(
      `${call}: ${name} must be null or one of ${known.join(", ")}, got ${describe(value)}.`,
    );
  },
};

/** The learning rate's factor for a matrix of rows and columns. */
const ADJUSTMENTS: Readonly<Record<LrAdjustment, (rows: number, columns: number) => number>> = {
  original: (rows, columns) => Math.sqrt(Math.max(1, rows / columns)),
  matchRmsAdamw: (rows, columns) => 0.2 * Math.sqrt(Math.max(rows, columns)),
  spectralUnclamped: (rows, columns) => Math.sqrt(rows / columns),
};

const RULES: Rules<MuonOptions> = {
  lr: number(1e-3, { min: 0 }),
  weightDecay: number(0.1, { min: 0 }),
  momentum: number(0.95, { min: 0 }),
  nesterov: boolean(true),
  nsCoefficients: coefficients,
  eps: number(1e-7, { min: 0 }),
  nsSteps: integer(5, 0),
  adjustLr: adjustment,
};

/**
 * Muon (Jordan et al., 2024): momentum made orthogonal, for the matrices inside a model; others are for Adam.
 *
 * @throws RangeError for a parameter that is no matrix
 */
export class Muon extends Optimizer<MuonOptions> {
  constructor(
    params: Iterable<Tensor> | Iterable<GroupInput<MuonOptions>> | NamedArguments<MuonOptions>,
    lr?: number | GivenOptions<MuonOptions>,
    weightDecay?: number | GivenOptions<MuonOptions>,
    momentum?: number | GivenOptions<MuonOptions>,
    nesterov?: boolean | GivenOptions<MuonOptions>,
    nsCoefficients?: readonly [number, number, number] | GivenOptions<MuonOptions>,
    eps?: number | GivenOptions<MuonOptions>,
    nsSteps?: number | GivenOptions<MuonOptions>,
  );
  constructor(...all: unknown[]) {
    super(
      ...givenArguments<MuonOptions>(
        "new optim.Muon",
        RULES,
        ["lr", "weightDecay", "momentum", "nesterov", "nsCoefficients", "eps", "nsSteps"],
        all,
      ),
    );
  }

  override addParamGroup(group: GroupInput<MuonOptions>): void {
    super.addParamGroup(group);
    const { params } = this.paramGroups.at(-1)!;
    const wrong = params.findIndex((parameter) => native.dim(parameter) !== 2);
    if (wrong < 0) return;
    this.paramGroups.pop();
    throw new RangeError(
      `Muon: parameter ${wrong} has shape [${native.shape(params[wrong]!).join(", ")}]; it trains matrices alone. ` +
        `Give the others to optim.AdamW.`,
    );
  }

  protected override checkGroup(call: string, options: MuonOptions): void {
    checkRules(call, options, RULES);
    if (options.nsSteps >= 100)
      throw new RangeError(`${call}: nsSteps must be below 100, got ${options.nsSteps}.`);
  }

  protected override update(group: ParamGroup<MuonOptions>, { params, grads }: Batch): void {
    const { lr, weightDecay, momentum, nesterov, adjustLr } = group;
    tidy(() => {
      for (const [i, parameter] of params.entries()) {
        const grad = grads[i]!;
        const buffer = this.remember(parameter, "momentumBuffer", () => torchFunctions.zerosLike(grad));
        buffer.lerp_(grad, 1 - momentum);
        const update = orthogonal(nesterov ? grad.lerp(buffer, momentum) : buffer, group);
        const [rows, columns] = native.shape(parameter) as [number, number];
        parameter.mul_(1 - lr * weightDecay);
        parameter.add_(update, { alpha: -lr * ADJUSTMENTS[adjustLr ?? "original"](rows, columns) });
      }
    });
  }
}

/** Something near U V^T of the matrix's singular value decomposition, in bfloat16 as PyTorch computes it. */
function orthogonal(matrix: Tensor, { nsCoefficients: [a, b, c], nsSteps, eps }: MuonOptions): Tensor {
  const [rows, columns] = native.shape(matrix) as [number, number];
  const copy = matrix.to({ dtype: "bfloat16", copy: true });
  let x = rows > columns ? copy.t() : copy;
  x.div_(x.norm().clampMin(eps));
  for (let step = 0; step < nsSteps; step++) {
    const gram = x.matmul(x.t());
    const update = gram.addmm(gram, gram, { beta: b, alpha: c });
    x = x.addmm(update, x, { beta: a });
  }
  return rows > columns ? x.t() : x;
}
