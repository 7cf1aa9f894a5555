// Implements GradScaler, as PyTorch's `torch/amp/grad_scaler.py`. It multiplies the loss so that half-precision
// gradients do not vanish, and divides them again before the step. It skips a step whose gradients overflowed. Works
// with any optimizer.
import { type DeviceName, type DeviceText, isDeviceName } from "../vocabulary/device_name.ts";
import type { OptionsAt } from "../types/index.ts";
import { describe } from "../vocabulary/arguments.ts";
import { optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import { passInstead } from "../vocabulary/nested_state.ts";
import { noGrad } from "../autograd/autograd.ts";
import { guardCapture, isCapturing } from "../engine/captured_effects.ts";
import { native } from "../engine/native.ts";
import { byDeviceAndDType } from "../tensor/by_device_and_dtype.ts";
import { ops } from "../tensor/operators.ts";
import { boolean, integer, number, type OpenRules, optional, readOptions } from "../vocabulary/options.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { noteSkippedSteps } from "./skipped_steps.ts";
import { keptScalar, SkipsOnDevice } from "./skips_on_device.ts";

export interface GradScalerOptions {
  /** The device whose losses it scales: "cuda" where there is no CUDA makes it do nothing. Default: that of the first loss. */
  readonly device?: DeviceText;
  /** The first factor of the loss. Default: 65536. */
  readonly initScale?: number;
  /** The factor of the scale after `growthInterval` steps in a row that were not skipped. Default: 2. */
  readonly growthFactor?: number;
  /** The factor of the scale after a skipped step. Default: 0.5. */
  readonly backoffFactor?: number;
  /** Steps in a row without a skipped one after which the scale grows. Default: 2000. */
  readonly growthInterval?: number;
  /** False makes it do nothing: `scale` gives its argument, `step` steps. Default: true. */
  readonly enabled?: boolean;
}

const PLACES = ["device", "initScale", "growthFactor", "backoffFactor", "growthInterval", "enabled"] as const;

const OPTIONS = {
  device: optional((call, name, value) => {
    if (typeof value === "string" && isDeviceName(value)) return value;
    throw new TypeError(`${call}: ${name} must name a device, as "cuda" or "mps", got ${describe(value)}.`);
  }),
  initScale: number(2 ** 16, { min: Number.MIN_VALUE, max: Number.MAX_VALUE }),
  growthFactor: number(2, { min: 1 }),
  backoffFactor: number(0.5, { min: 0, max: 1, below: true }),
  growthInterval: integer(2000, 1),
  enabled: boolean(true),
} satisfies OpenRules<GradScalerOptions>;

const isCuda = (device: string): boolean => device.startsWith("cuda");

export interface GradScalerState {
  readonly scale: number;
  readonly growth_factor: number;
  readonly backoff_factor: number;
  readonly growth_interval: number;
  readonly _growth_tracker: number;
}

/** The members of an optimizer that a scaler uses. */
interface Steps {
  readonly paramGroups: readonly { readonly params: readonly Tensor[] }[];
  step(): void;
  /** Steps unless the tensor is 1; the decision does not involve the host. */
  stepUnless?(foundInf: Tensor): void;
}

/**
 * The stage of an optimizer between two calls of `update()`. In stage "ready" its gradients have not yet been divided
 * by the scale.
 */
type Stage = "ready" | "unscaled" | "stepped";

interface OptimizerState {
  stage: Stage;
  /** One tensor for each device: 1 if a gradient on that device was infinite or NaN, otherwise 0. */
  foundInf: Tensor[];
}

/**
 * Scales losses so that float16 gradients do not vanish: `scaler.scale(loss).backward(); scaler.step(optimizer);
 * scaler.update()`. A step whose gradients are infinite or NaN is left out, and the scale falls; it grows again after
 * `growthInterval` steps in a row that were not (`torch/amp/grad_scaler.py`).
 */
export class GradScaler {
  readonly #enabled: boolean;
  #growthFactor: number;
  #backoffFactor: number;
  #growthInterval: number;
  #initScale: number;
  #initGrowthTracker = 0;
  /** The scale on the device of the first loss. Null before the first loss. */
  #scale: Tensor | null = null;
  #growthTracker: Tensor | null = null;
  #optimizers = new Map<Steps, OptimizerState>();
  readonly #skips = new SkipsOnDevice();

  constructor(...options: OptionsAt<GradScalerOptions, typeof PLACES>);
  constructor(options?: GradScalerOptions);
  constructor(...given: unknown[]) {
    const call = "new amp.GradScaler";
    const read = readOptions(call, optionsByPlace<GradScalerOptions>(call, PLACES, given), OPTIONS);
    if (read.growthFactor === 1)
      throw new RangeError("new amp.GradScaler: growthFactor must be more than 1, got 1.");
    const isOff = read.device?.startsWith("cuda") === true && !native.devices().available.some(isCuda);
    if (isOff && read.enabled)
      process.emitWarning(
        `${call}: device is "${read.device}", and there is no CUDA here: it scales nothing.`,
      );
    this.#enabled = read.enabled && !isOff;
    this.#growthFactor = read.growthFactor;
    this.#backoffFactor = read.backoffFactor;
    this.#growthInterval = read.growthInterval;
    this.#initScale = read.initScale;
  }

  /** The loss, or the losses in arrays of any depth, multiplied by the scale. */
  scale<Outputs extends Tensor | readonly unknown[]>(outputs: Outputs): Outputs {
    if (!this.#enabled) return outputs;
    const apply = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(apply);
      if (!native.isTensor(value))
        throw new TypeError(
          `GradScaler.scale: expected a tensor or an array of them, got ${describe(value)}.`,
        );
      return value.mul(this.#scaleOn(native.device(value)));
    };
    return apply(outputs) as Outputs;
  }

  #scaleOn(device: DeviceName): Tensor {
    if (this.#scale === null) {
      this.#scale = keptScalar(this.#initScale, device);
      this.#growthTracker = keptScalar(this.#initGrowthTracker, device, "int32");
    }
    return this.#scale.to(device);
  }

  #started(call: string): { readonly scale: Tensor; readonly growthTracker: Tensor } {
    if (this.#scale === null || this.#growthTracker === null)
      throw new TypeError(
        `GradScaler.${call}: no loss was scaled yet: call scaler.scale(loss).backward() first.`,
      );
    return { scale: this.#scale, growthTracker: this.#growthTracker };
  }

  #stateOf(optimizer: Steps): OptimizerState {
    let state = this.#optimizers.get(optimizer);
    if (!state) this.#optimizers.set(optimizer, (state = { stage: "ready", foundInf: [] }));
    return state;
  }

  /**
   * Divides the optimizer's gradients by the scale, in place, and checks them for infinite values and NaN. `step`
   * calls it unless it was called before. Call it yourself to clip gradients in between. Waits for nothing.
   */
  unscale_(optimizer: Steps): void {
    if (!this.#enabled) return;
    requireOptimizer("unscale_", optimizer);
    const { scale } = this.#started("unscale_");
    const state = this.#stateOf(optimizer);
    if (state.stage !== "ready")
      throw new TypeError(
        state.stage === "unscaled"
          ? "GradScaler.unscale_: this optimizer's gradients were divided already since the last update()."
          : "GradScaler.unscale_: this optimizer has stepped already since the last update().",
      );
    // The division is in float64 if the device has it; otherwise 1 / scale would be rounded twice.
    const isMetal = native.device(scale).startsWith("mps");
    noGrad(() => {
      const inverse = isMetal ? scale.reciprocal() : scale.double().reciprocal().float();
      state.foundInf = unscaleGradients(optimizer, inverse);
    });
    state.stage = "unscaled";
  }

  /**
   * Steps the optimizer, unless a gradient is infinite or NaN: such a step is left out and goes to the ledger
   * (`lab.ledger.skippedSteps`). Waits for the device, to know. Inside of a captured step it waits for nothing, and the
   * ledger gets how many there were at the end of the epoch.
   */
  step(optimizer: Steps): void {
    requireOptimizer("step", optimizer);
    if (!this.#enabled) return optimizer.step();
    const { scale } = this.#started("step");
    const state = this.#stateOf(optimizer);
    if (state.stage === "stepped")
      throw new TypeError("GradScaler.step: this optimizer has stepped already: call update() in between.");
    if (state.stage === "ready") this.unscale_(optimizer);
    if (state.foundInf.length === 0)
      throw new TypeError("GradScaler.step: none of the optimizer's parameters has a gradient.");
    if (isCapturing()) this.#skips.step(optimizer, state.foundInf, scale);
    else if (state.foundInf.some((found) => found.item() !== 0)) {
      noteSkippedSteps({ optimizer: optimizer.constructor.name, steps: 1, scale: scale.item() });
    } else {
      optimizer.step();
    }
    state.stage = "stepped";
  }

  /** Ends the iteration: lowers the scale after a skipped step, raises it after many that were not; or sets it. */
  update(newScale?: number): void {
    if (!this.#enabled) return;
    const { scale, growthTracker } = this.#started("update");
    if (newScale === undefined) {
      const found = [...this.#optimizers.values()].flatMap(({ foundInf }) => foundInf);
      if (found.length === 0)
        throw new TypeError(
          "GradScaler.update: no step was taken since the last: call step(optimizer) first.",
        );
      this.#guardFactors();
      noGrad(() => {
        const device = native.device(scale);
        const all = found.map((one) => one.to(device)).reduce((sum, one) => sum.add(one));
        ops.aten._amp_update_scale_.default(
          scale,
          growthTracker,
          all,
          this.#growthFactor,
          this.#backoffFactor,
          this.#growthInterval,
        );
      });
    } else {
      requireScale("update", newScale);
      noGrad(() => scale.fill_(newScale));
    }
    this.#optimizers = new Map();
  }

  /** Lets a captured step be captured again if the factors have changed. */
  #guardFactors(): void {
    const factors = () => `${this.#growthFactor} ${this.#backoffFactor} ${this.#growthInterval}`;
    const captured = factors();
    guardCapture(() => factors() === captured);
  }

  /** 1 where the scaler is not enabled. Waits for the device. */
  getScale(): number {
    if (!this.#enabled) return 1;
    return this.#scale === null ? this.#initScale : this.#scale.item();
  }

  /** The factor of the scale after `growthInterval` good steps. Default: 2. */
  getGrowthFactor(): number {
    return this.#growthFactor;
  }

  /** Applies to later steps. @throws RangeError for a factor below 1 */
  setGrowthFactor(value: number): void {
    this.#growthFactor = OPTIONS.growthFactor.check("GradScaler.setGrowthFactor", "value", value);
  }

  /** The factor of the scale after a skipped step. Default: 0.5. */
  getBackoffFactor(): number {
    return this.#backoffFactor;
  }

  /** Applies to later steps. @throws RangeError for a factor that is not in [0, 1) */
  setBackoffFactor(value: number): void {
    this.#backoffFactor = OPTIONS.backoffFactor.check("GradScaler.setBackoffFactor", "value", value);
  }

  /** Good steps in a row after which the scale grows. Default: 2000. */
  getGrowthInterval(): number {
    return this.#growthInterval;
  }

  /** Applies to later steps. @throws RangeError for less than 1 step */
  setGrowthInterval(value: number): void {
    this.#growthInterval = OPTIONS.growthInterval.check("GradScaler.setGrowthInterval", "value", value);
  }

  /** Whether it scales. If not, losses and steps are unchanged. */
  isEnabled(): boolean {
    return this.#enabled;
  }

  /**
   * Returns the state that `loadStateDict` restores. Call it after `update()`. A disabled scaler returns an empty
   * object.
   */
  stateDict(): GradScalerState | Record<string, never> {
    if (!this.#enabled) return {};
    return {
      scale: this.getScale(),
      growth_factor: this.#growthFactor,
      backoff_factor: this.#backoffFactor,
      growth_interval: this.#growthInterval,
      _growth_tracker: this.#growthTracker === null ? this.#initGrowthTracker : this.#growthTracker.item(),
    };
  }

  /**
   * Puts back what `stateDict()` gave; does nothing where the scaler is not enabled.
   *
   * @throws TypeError for anything else, RangeError for numbers that no scaler can have
   */
  loadStateDict(state: GradScalerState | Record<string, never>): void {
    if (!this.#enabled) return;
    const call = "GradScaler.loadStateDict";
    if (typeof state !== "object" || state === null || !("_growth_tracker" in state))
      throw new TypeError(
        `${call}: expected what stateDict() of an enabled scaler gives, got ${describe(state)}.${passInstead(state, (value) => "_growth_tracker" in value)}`,
      );
    const saved = state as GradScalerState;
    const scale = requireScale("loadStateDict", saved.scale);
    const rules = [OPTIONS.growthFactor, OPTIONS.backoffFactor, OPTIONS.growthInterval] as const;
    const [growth, backoff, interval] = [saved.growth_factor, saved.backoff_factor, saved.growth_interval];
    rules[0].check(call, "growth_factor", growth);
    rules[1].check(call, "backoff_factor", backoff);
    rules[2].check(call, "growth_interval", interval);
    this.#growthFactor = growth;
    this.#backoffFactor = backoff;
    this.#growthInterval = interval;
    this.#initScale = scale;
    this.#initGrowthTracker = saved._growth_tracker;
    noGrad(() => {
      this.#scale?.fill_(scale);
      this.#growthTracker?.fill_(saved._growth_tracker);
    });
  }
}

function requireOptimizer(call: string, optimizer: unknown): asserts optimizer is Steps {
  if (
    typeof (optimizer as Steps | null)?.step !== "function" ||
    !Array.isArray((optimizer as Steps).paramGroups)
  )
    throw new TypeError(`GradScaler.${call}: expected an optimizer, got ${describe(optimizer)}.`);
}

function requireScale(call: string, scale: number): number {
  if (typeof scale !== "number")
    throw new TypeError(`GradScaler.${call}: the scale must be a number, got ${describe(scale)}.`);
  if (!Number.isFinite(scale) || scale <= 0)
    throw new RangeError(`GradScaler.${call}: the scale must be a finite number above 0, got ${scale}.`);
  return scale;
}

const valuesOf = (sparse: Tensor): Tensor => ops.aten._values.default(sparse);

/** Divides in place, a kernel for each device and dtype. Returns one flag for each device. */
function unscaleGradients(optimizer: Steps, inverse: Tensor): Tensor[] {
  const all: Tensor[] = [];
  for (const { params } of optimizer.paramGroups) {
    for (const parameter of params) {
      const gradient = native.ownGrad(parameter);
      if (gradient === null) continue;
      if (native.dtype(gradient) === "float16")
        throw new TypeError(
          "GradScaler.unscale_: a float16 parameter's gradient cannot be divided without losing what the scale saved: keep parameters in float32 and run the model under torch.autocast, or scale by hand.",
        );
      all.push(native.layout(gradient) === "sparse_coo" ? valuesOf(gradient) : gradient);
    }
  }
  const found = new Map<DeviceName, Tensor>();
  for (const gradients of byDeviceAndDType(all)) {
    const device = native.device(gradients[0]!);
    if (!found.has(device)) found.set(device, keptScalar(0, device));
    ops.aten._amp_foreach_non_finite_check_and_unscale_.default(
      gradients,
      found.get(device)!,
      inverse.to(device),
    );
    for (const gradient of gradients) native.dispose(gradient);
  }
  return [...found.values()];
}
