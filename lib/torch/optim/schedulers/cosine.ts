// Schedules along a cosine (Loshchilov and Hutter, arXiv:1608.03983), without and with restarts.
import { checkInteger, checkNumber } from "../../vocabulary/arguments.ts";
import {
  LRScheduler,
  optimizerFirst,
  type Resumption,
  type Scheduled,
  type WithOptimizer,
} from "./scheduler.ts";

export interface CosineAnnealingOptions extends Resumption {
  /** Epochs until the lowest rate. */
  readonly tMax: number;
  /** The lowest rate. Default: 0. */
  readonly etaMin?: number;
}

/**
 * Lowers the rate from the first one to `etaMin` over `tMax` epochs along half a cosine, and raises it again after
 * them.
 */
export class CosineAnnealingLR extends LRScheduler {
  readonly tMax: number;
  readonly etaMin: number;

  constructor(optimizer: Scheduled, tMax: number, etaMin?: number, lastEpoch?: number | Resumption);
  constructor(
    optimizer: Scheduled,
    tMax: number,
    options: Pick<CosineAnnealingOptions, "etaMin" | "lastEpoch">,
  );
  constructor(named: WithOptimizer<CosineAnnealingOptions>);
  constructor(optimizer: Scheduled, options: CosineAnnealingOptions);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    super(optimizer);
    const call = "new optim.lrScheduler.CosineAnnealingLR";
    const { tMax, etaMin = 0 } = this.given<CosineAnnealingOptions>(["tMax", "etaMin"], placed);
    this.tMax = checkInteger(call, "tMax", tMax, 1);
    this.etaMin = checkNumber(call, "etaMin", etaMin);
    this.start();
  }

  protected override get stateKeys() {
    return { tMax: "T_max" };
  }

  protected override nextRates(): number[] {
    const { lastEpoch, tMax, etaMin } = this;
    if (this.starting) return this.rates();
    // The ratio below would be 0 / 0 at the lowest point.
    if ((lastEpoch - 1 - tMax) % (2 * tMax) === 0) {
      const rise = (1 - Math.cos(Math.PI / tMax)) / 2;
      return this.rates().map((lr, i) => lr + (this.baseLrs[i]! - etaMin) * rise);
    }
    const height = (epoch: number) => 1 + Math.cos((Math.PI * epoch) / tMax);
    const ratio = height(lastEpoch) / height(lastEpoch - 1);
    return this.rates().map((lr) => ratio * (lr - etaMin) + etaMin);
  }

  protected override closedForm(): number[] {
    const height = (1 + Math.cos((Math.PI * this.lastEpoch) / this.tMax)) / 2;
    return this.baseLrs.map((lr) => this.etaMin + (lr - this.etaMin) * height);
  }
}

export interface WarmRestartsOptions extends Resumption {
  /** Epochs until the first restart. */
  readonly t0: number;
  /** How much longer each period is than the one before. Default: 1. */
  readonly tMult?: number;
  /** The lowest rate. Default: 0. */
  readonly etaMin?: number;
}

/** Along half a cosine again and again: over `t0` epochs first, each time over `tMult` as many as before. */
export class CosineAnnealingWarmRestarts extends LRScheduler {
  readonly t0: number;
  readonly tMult: number;
  readonly etaMin: number;
  /** Epochs since the last restart. */
  protected sinceRestart = -1;
  /** Epochs until the next, counted from the last. */
  protected period: number;

  constructor(
    optimizer: Scheduled,
    t0: number,
    tMult?: number,
    etaMin?: number,
    lastEpoch?: number | Resumption,
  );
  constructor(
    optimizer: Scheduled,
    t0: number,
    options: Pick<WarmRestartsOptions, "tMult" | "etaMin" | "lastEpoch">,
  );
  constructor(
    optimizer: Scheduled,
    t0: number,
    tMult: number,
    options: Pick<WarmRestartsOptions, "etaMin" | "lastEpoch">,
  );
  constructor(named: WithOptimizer<WarmRestartsOptions>);
  constructor(optimizer: Scheduled, options: WarmRestartsOptions);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    super(optimizer);
    const call = "new optim.lrScheduler.CosineAnnealingWarmRestarts";
    const { t0, tMult = 1, etaMin = 0 } = this.given<WarmRestartsOptions>(["t0", "tMult", "etaMin"], placed);
    this.t0 = checkInteger(call, "t0", t0, 1);
    this.tMult = checkInteger(call, "tMult", tMult, 1);
    this.etaMin = checkNumber(call, "etaMin", etaMin);
    this.period = this.t0;
    this.sinceRestart = this.lastEpoch;
    this.start();
  }

  protected override get stateKeys() {
    return { t0: "T_0", tMult: "T_mult", sinceRestart: "T_cur", period: "T_i" };
  }

  /** `epoch` may be a fraction, to move the rate with every batch: `step(epoch + batch / batches)`. */
  override step(epoch?: number): void {
    if (epoch === undefined) {
      this.lastEpoch++;
      this.sinceRestart++;
      if (this.sinceRestart >= this.period) {
        this.sinceRestart %= this.period;
        this.period *= this.tMult;
      }
    } else {
      this.#jump(checkNumber("CosineAnnealingWarmRestarts.step", "epoch", epoch, { min: 0 }));
    }
    this.set(this.nextRates());
  }

  override restart(): void {
    this.#jump(0);
    this.set(this.nextRates());
  }

  #jump(epoch: number): void {
    const { t0, tMult } = this;
    if (epoch < t0 || tMult === 1) {
      this.period = t0;
      this.sinceRestart = epoch % t0;
    } else {
      const restarts = Math.floor(Math.log((epoch / t0) * (tMult - 1) + 1) / Math.log(tMult));
      this.sinceRestart = epoch - (t0 * (tMult ** restarts - 1)) / (tMult - 1);
      this.period = t0 * tMult ** restarts;
    }
    this.lastEpoch = Math.floor(epoch);
  }

  protected override nextRates(): number[] {
    const height = (1 + Math.cos((Math.PI * this.sinceRestart) / this.period)) / 2;
    return this.baseLrs.map((lr) => this.etaMin + (lr - this.etaMin) * height);
  }
}
