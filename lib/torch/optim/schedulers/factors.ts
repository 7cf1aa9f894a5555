// Schedules that multiply the learning rate: stepwise, linear, exponential, polynomial, or by functions.
import { checkInteger, checkNumber, describe, isRecord } from "../../vocabulary/arguments.ts";
import {
  LRScheduler,
  optimizerFirst,
  perGroup,
  type Resumption,
  type Scheduled,
  type SchedulerState,
  type WithOptimizer,
} from "./scheduler.ts";

const at0 = { min: 0 };
const share = { min: 0, max: 1 };

abstract class FactorSchedule extends LRScheduler {
  /** Returns the factor of the present rates. */
  protected abstract factor(): number;
  /** Returns the factor of the first rates. */
  protected abstract wholeFactor(): number;

  protected override nextRates(): number[] {
    const factor = this.factor();
    return factor === 1 ? this.rates() : this.rates().map((lr) => lr * factor);
  }

  protected override closedForm(): number[] {
    return this.baseLrs.map((lr) => lr * this.wholeFactor());
  }
}

export interface StepLrOptions extends Resumption {
  /** Epochs between two changes. */
  readonly stepSize: number;
  /** The factor of the rate. Default: 0.1. */
  readonly gamma?: number;
}

/** The rate times `gamma` every `stepSize` epochs. */
export class StepLR extends FactorSchedule {
  readonly stepSize: number;
  readonly gamma: number;

  constructor(optimizer: Scheduled, stepSize: number, gamma?: number, lastEpoch?: number | Resumption);
  constructor(optimizer: Scheduled, stepSize: number, options: Pick<StepLrOptions, "gamma" | "lastEpoch">);
  constructor(named: WithOptimizer<StepLrOptions>);
  constructor(optimizer: Scheduled, options: StepLrOptions);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    super(optimizer);
    const call = "new optim.lrScheduler.StepLR";
    const { stepSize, gamma = 0.1 } = this.given<StepLrOptions>(["stepSize", "gamma"], placed);
    this.stepSize = checkInteger(call, "stepSize", stepSize, 1);
    this.gamma = checkNumber(call, "gamma", gamma, at0);
    this.start();
  }

  protected override factor(): number {
    return this.lastEpoch === 0 || this.lastEpoch % this.stepSize !== 0 ? 1 : this.gamma;
  }

  protected override wholeFactor(): number {
    return this.gamma ** Math.floor(this.lastEpoch / this.stepSize);
  }
}

export interface MultiStepLrOptions extends Resumption {
  /** Epochs at which the rate changes. */
  readonly milestones: readonly number[];
  /** The factor of the rate. Default: 0.1. */
  readonly gamma?: number;
}

/** The rate times `gamma` at each of the epochs; an epoch that is named twice counts twice. */
export class MultiStepLR extends FactorSchedule {
  readonly milestones: readonly number[];
  readonly gamma: number;

  constructor(
    optimizer: Scheduled,
    milestones: readonly number[],
    gamma?: number,
    lastEpoch?: number | Resumption,
  );
  constructor(
    optimizer: Scheduled,
    milestones: readonly number[],
    options: Pick<MultiStepLrOptions, "gamma" | "lastEpoch">,
  );
  constructor(named: WithOptimizer<MultiStepLrOptions>);
  constructor(optimizer: Scheduled, options: MultiStepLrOptions);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    super(optimizer);
    const call = "new optim.lrScheduler.MultiStepLR";
    const { milestones, gamma = 0.1 } = this.given<MultiStepLrOptions>(["milestones", "gamma"], placed);
    if (!Array.isArray(milestones))
      throw new TypeError(`${call}: milestones must be a list of epochs, got ${describe(milestones)}.`);
    this.milestones = milestones.map((epoch, i) => checkInteger(call, `milestones[${i}]`, epoch, 0));
    this.gamma = checkNumber(call, "gamma", gamma, at0);
    this.start();
  }

  /** PyTorch counts how often each milestone is named: [3, 3, 5] -> { 3: 2, 5: 1 }. */
  override stateDict(): SchedulerState {
    const counts: Record<number, number> = {};
    for (const epoch of this.milestones) counts[epoch] = (counts[epoch] ?? 0) + 1;
    return { ...super.stateDict(), milestones: counts };
  }

  override loadStateDict(state: SchedulerState): void {
    const counts = isRecord(state) ? state["milestones"] : undefined;
    if (!isRecord(counts)) return super.loadStateDict(state);
    const epochs = Object.entries(counts).flatMap(([epoch, count]) =>
      Array.from({ length: Number(count) }, () => Number(epoch)),
    );
    super.loadStateDict({ ...state, milestones: epochs });
  }

  protected override factor(): number {
    return this.gamma ** this.milestones.filter((epoch) => epoch === this.lastEpoch).length;
  }

  protected override wholeFactor(): number {
    return this.gamma ** this.milestones.filter((epoch) => epoch <= this.lastEpoch).length;
  }
}

export interface ConstantLrOptions extends Resumption {
  /** The factor of the rate. Default: 1/3. */
  readonly factor?: number;
  /** The number of epochs with the factor. Default: 5. */
  readonly totalIters?: number;
}

/** The rate times `factor` for the first `totalIters` epochs. */
export class ConstantLR extends FactorSchedule {
  readonly constantFactor: number;
  readonly totalIters: number;

  constructor(optimizer: Scheduled, factor?: number, totalIters?: number, lastEpoch?: number | Resumption);
  constructor(
    optimizer: Scheduled,
    factor: number,
    options: Pick<ConstantLrOptions, "totalIters" | "lastEpoch">,
  );
  constructor(named: WithOptimizer<ConstantLrOptions>);
  constructor(optimizer: Scheduled, options: ConstantLrOptions);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    super(optimizer);
    const call = "new optim.lrScheduler.ConstantLR";
    const { factor = 1 / 3, totalIters = 5 } = this.given<ConstantLrOptions>(
      ["factor", "totalIters"],
      placed,
    );
    this.constantFactor = checkNumber(call, "factor", factor, { min: Number.MIN_VALUE, max: 1 });
    this.totalIters = checkInteger(call, "totalIters", totalIters, 0);
    this.start();
  }

  protected override get stateKeys() {
    return { constantFactor: "factor" };
  }

  protected override factor(): number {
    if (this.lastEpoch === 0) return this.constantFactor;
    return this.lastEpoch === this.totalIters ? 1 / this.constantFactor : 1;
  }

  protected override wholeFactor(): number {
    return this.lastEpoch >= this.totalIters ? 1 : this.constantFactor;
  }
}

export interface LinearLrOptions extends Resumption {
  /** The first factor. Default: 1/3. */
  readonly startFactor?: number;
  /** The last factor. Default: 1. */
  readonly endFactor?: number;
  /** Epochs from the first to the last. Default: 5. */
  readonly totalIters?: number;
}

/** The rate times a factor that goes from `startFactor` to `endFactor` over `totalIters` epochs. */
export class LinearLR extends FactorSchedule {
  readonly startFactor: number;
  readonly endFactor: number;
  readonly totalIters: number;

  constructor(
    optimizer: Scheduled,
    startFactor?: number,
    endFactor?: number,
    totalIters?: number,
    lastEpoch?: number | Resumption,
  );
  constructor(
    optimizer: Scheduled,
    startFactor: number,
    options: Pick<LinearLrOptions, "endFactor" | "totalIters" | "lastEpoch">,
  );
  constructor(
    optimizer: Scheduled,
    startFactor: number,
    endFactor: number,
    options: Pick<LinearLrOptions, "totalIters" | "lastEpoch">,
  );
  constructor(named: WithOptimizer<LinearLrOptions>);
  constructor(optimizer: Scheduled, options: LinearLrOptions);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    super(optimizer);
    const call = "new optim.lrScheduler.LinearLR";
    const {
      startFactor = 1 / 3,
      endFactor = 1,
      totalIters = 5,
    } = this.given<LinearLrOptions>(["startFactor", "endFactor", "totalIters"], placed);
    this.startFactor = checkNumber(call, "startFactor", startFactor, { min: Number.MIN_VALUE, max: 1 });
    this.endFactor = checkNumber(call, "endFactor", endFactor, share);
    this.totalIters = checkInteger(call, "totalIters", totalIters, 1);
    this.start();
  }

  protected override factor(): number {
    if (this.lastEpoch === 0) return this.startFactor;
    if (this.starting || this.lastEpoch > this.totalIters) return 1;
    const change = this.endFactor - this.startFactor;
    return 1 + change / (this.totalIters * this.startFactor + (this.lastEpoch - 1) * change);
  }

  protected override wholeFactor(): number {
    const part = Math.min(this.totalIters, this.lastEpoch) / this.totalIters;
    return this.startFactor + (this.endFactor - this.startFactor) * part;
  }
}

export interface ExponentialLrOptions extends Resumption {
  /** The factor of the rate after each epoch. */
  readonly gamma: number;
}

/** The rate times `gamma` every epoch. */
export class ExponentialLR extends FactorSchedule {
  readonly gamma: number;

  constructor(optimizer: Scheduled, gamma: number, lastEpoch?: number | Resumption);
  constructor(named: WithOptimizer<ExponentialLrOptions>);
  constructor(optimizer: Scheduled, options: ExponentialLrOptions);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    super(optimizer);
    const call = "new optim.lrScheduler.ExponentialLR";
    const { gamma } = this.given<ExponentialLrOptions>(["gamma"], placed);
    this.gamma = checkNumber(call, "gamma", gamma, at0);
    this.start();
  }

  protected override factor(): number {
    return this.starting ? 1 : this.gamma;
  }

  protected override wholeFactor(): number {
    return this.gamma ** this.lastEpoch;
  }
}

export interface PolynomialLrOptions extends Resumption {
  /** Epochs until the rate is 0. Default: 5. */
  readonly totalIters?: number;
  /** Degree of the polynomial. Default: 1. */
  readonly power?: number;
}

/** The rate times (1 - epoch / totalIters)^power, 0 from `totalIters` on. */
export class PolynomialLR extends FactorSchedule {
  readonly totalIters: number;
  readonly power: number;

  constructor(optimizer: Scheduled, totalIters?: number, power?: number, lastEpoch?: number | Resumption);
  constructor(
    optimizer: Scheduled,
    totalIters: number,
    options: Pick<PolynomialLrOptions, "power" | "lastEpoch">,
  );
  constructor(named: WithOptimizer<PolynomialLrOptions>);
  constructor(optimizer: Scheduled, options: PolynomialLrOptions);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    super(optimizer);
    const call = "new optim.lrScheduler.PolynomialLR";
    const { totalIters = 5, power = 1 } = this.given<PolynomialLrOptions>(["totalIters", "power"], placed);
    this.totalIters = checkInteger(call, "totalIters", totalIters, 1);
    this.power = checkNumber(call, "power", power);
    this.start();
  }

  protected override factor(): number {
    if (this.starting || this.lastEpoch > this.totalIters) return 1;
    const [now, before] = [this.lastEpoch, this.lastEpoch - 1].map((epoch) => 1 - epoch / this.totalIters);
    return (now! / before!) ** this.power;
  }

  protected override wholeFactor(): number {
    return (1 - Math.min(this.totalIters, this.lastEpoch) / this.totalIters) ** this.power;
  }
}

export type EpochFunction = (epoch: number) => number;

function checkEpochFunction(call: string, name: string, value: unknown): EpochFunction {
  if (typeof value === "function") return value as EpochFunction;
  throw new TypeError(`${call}: ${name} must be a function of the epoch, got ${describe(value)}.`);
}

export interface LambdaLrOptions extends Resumption {
  /** One function of the epoch for all groups, or one for each. */
  readonly lrLambda: EpochFunction | readonly EpochFunction[];
}

abstract class FunctionSchedule extends LRScheduler {
  readonly #functions: readonly EpochFunction[];

  /** `lrLambda` is one function of the epoch for all groups, or one for each. It is no part of the saved state. */
  constructor(
    optimizer: Scheduled,
    lrLambda: EpochFunction | readonly EpochFunction[],
    lastEpoch?: number | Resumption,
  );
  constructor(named: WithOptimizer<LambdaLrOptions>);
  constructor(optimizer: Scheduled, options: LambdaLrOptions);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    super(optimizer);
    const call = `new optim.lrScheduler.${new.target.name}`;
    const { lrLambda } = this.given<LambdaLrOptions>(["lrLambda"], placed);
    this.#functions = perGroup(
      call,
      "lrLambda",
      optimizer,
      lrLambda as LambdaLrOptions["lrLambda"],
      checkEpochFunction,
    );
    this.start();
  }

  override stateDict(): SchedulerState {
    return { ...super.stateDict(), lr_lambdas: this.#functions.map(() => null) };
  }

  protected factors(): number[] {
    return this.#functions.map((factor, i) =>
      checkNumber(`${this.constructor.name}`, `lrLambda[${i}](${this.lastEpoch})`, factor(this.lastEpoch)),
    );
  }
}

/** The first rate times a function of the epoch. */
export class LambdaLR extends FunctionSchedule {
  protected override nextRates(): number[] {
    const factors = this.factors();
    return this.baseLrs.map((lr, i) => lr * factors[i]!);
  }
}

/** The rate times a function of the epoch, from the first epoch on. */
export class MultiplicativeLR extends FunctionSchedule {
  protected override nextRates(): number[] {
    if (this.starting) return this.rates();
    const factors = this.factors();
    return this.rates().map((lr, i) => lr * factors[i]!);
  }
}
