// Implements `lab.shadow`: runs a step on the device, and repeats a sample of its operators on the CPU from the same
// inputs. The addon compares (`native/shadow/`).
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import { outputSink } from "../../../display.ts";
import { checkNumber, isRecord, requireFunction } from "../../../torch/vocabulary/arguments.ts";
import { checkedLater, integer, type OpenRules, readOptions } from "../../../torch/vocabulary/options.ts";
import type { ComparedKind } from "../../../torch/engine/native_shadow.ts";
import { requireDevice, device as sessionDevice } from "../../../torch/engine/device.ts";
import { native } from "../../../torch/engine/native.ts";
import type { DeviceInterface } from "../../core/device_interface.ts";
import { acceleratorOf } from "../../core/native_device.ts";
import { type MaybePromise, runSteps, settled, type Steps } from "../../core/run_steps.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { ShadowError } from "./finding.ts";
import type { Shadow, ShadowedOperator } from "./result.ts";
import { findingBundle, shadowTable } from "./view.ts";

export interface ShadowOptions {
  /** How many times the step is called. Default: 1. */
  readonly steps?: number;
  /**
   * The share of the loop's time that comparing may take, 0.001 to 1, or `"all"` for every call. The first call
   * of each kind is compared in any case. Default: 0.1.
   */
  readonly sample?: number | "all";
  /**
   * By how many times the bound of rounding a result may be off; a number, or one for each operator:
   * `{ native_layer_norm: 4 }`. Default: 1.
   */
  readonly tolerance?: number | Readonly<Record<string, number>>;
  /** Seeds which calls are compared. Default: 0. */
  readonly seed?: number;
  /** The device whose operators are compared. Default: the session's device. */
  readonly device?: DeviceName;
}

const LEAST_SAMPLE = 0.001;
const LEAST_TOLERANCE = 0.01;

const RULES = {
  steps: integer(1, 1),
  sample: { fallback: 0.1, check: checkSample },
  tolerance: { fallback: { tolerance: 1, tolerances: {} }, check: readTolerance },
  seed: integer(0, 0),
  device: checkedLater<DeviceName | undefined>(undefined),
} satisfies OpenRules<ShadowOptions>;

function checkSample(call: string, name: string, sample: unknown): number | null {
  return sample === "all" ? null : checkNumber(call, name, sample, { min: LEAST_SAMPLE, max: 1 });
}

function readTolerance(call: string, name: string, tolerance: unknown) {
  if (!isRecord(tolerance))
    return { tolerance: checkNumber(call, name, tolerance, { min: LEAST_TOLERANCE }), tolerances: {} };
  for (const [operator, factor] of Object.entries(tolerance))
    checkNumber(call, `${name}.${operator}`, factor, { min: LEAST_TOLERANCE });
  const unknown = Object.keys(tolerance).find((operator) => native.operator(operator) < 0);
  if (unknown !== undefined)
    throw new RangeError(
      `${call}: libtorch has no operator aten::${unknown}, which ${name} names; the table of a run has their names.`,
    );
  return { tolerance: 1, tolerances: tolerance as Readonly<Record<string, number>> };
}

/**
 * Runs a step and finds results that the device gets wrong without an error. Sampled operators, those of a backward
 * too, are repeated on the CPU from the same elements, strides and dtypes. The first that is further off than rounding
 * explains ends the run, with programs that show it on their own.
 *
 *     lab.shadow(() => trainOneEpoch());
 *
 * How much rounding explains is measured: the operator is repeated in double precision, once with its inputs as they
 * are and once with each moved by one rounding of their dtype. Random operators are left out, but operators that use
 * their numbers are compared.
 *
 * @throws ShadowError for a wrong result; TypeError, RangeError for options that do not fit, and on the CPU; whatever
 *   the step throws
 */
export function shadow<Returned>(
  step: () => Returned,
  options?: ShadowOptions,
): MaybePromise<Returned, Shadow> {
  const call = "lab.shadow";
  requireFunction(call, step);
  const { device: wished, ...given } = readOptions(call, options, RULES);
  const device = requireDevice(wished ?? sessionDevice());
  if (device === "cpu")
    throw new TypeError(
      `${call}: the CPU would be compared with itself: call it where the step runs on mps or cuda; %metal simulated makes an mps device here.`,
    );
  return runSteps(watched(step, device, given)) as MaybePromise<Returned, Shadow>;
}

interface Given {
  readonly steps: number;
  readonly sample: number | null;
  readonly tolerance: { readonly tolerance: number; readonly tolerances: Readonly<Record<string, number>> };
  readonly seed: number;
}

function* watched(step: () => unknown, device: DeviceName, given: Given): Steps<Shadow> {
  const accelerator = acceleratorOf(device);
  native.beginShadow({ device, share: given.sample, seed: given.seed, ...given.tolerance });
  let ended: ReturnType<typeof native.endShadow> = null;
  try {
    for (let at = 0; at < given.steps; at++) yield* settled(step());
    // Waits, because an error of an operator that is still in the queue belongs to the step.
    accelerator.synchronize();
  } finally {
    ended = native.endShadow();
    if (ended?.finding) {
      const error = new ShadowError(ended.finding, device, accelerator.label);
      outputSink().display(findingBundle(error.finding), {});
      // This error replaces the one that the step threw, which may be a consequence of it.
      // oxlint-disable-next-line no-unsafe-finally
      throw error;
    }
  }
  return shownAs(reportOf(ended!, accelerator, given), shadowTable);
}

function reportOf(
  { elapsedMs, spentMs, kinds }: NonNullable<ReturnType<typeof native.endShadow>>,
  { label }: DeviceInterface,
  { steps, sample }: Given,
): Shadow {
  const names = [...new Set(kinds.map(({ operator }) => operator))];
  const operators = names.map((name) =>
    operatorOf(
      name,
      kinds.filter(({ operator }) => operator === name),
    ),
  );
  return {
    ...{ device: label, steps, sample, elapsedMs, spentMs },
    calls: operators.reduce((sum, { calls }) => sum + calls, 0),
    compared: operators.reduce((sum, { compared }) => sum + compared, 0),
    operators: operators.toSorted((a, b) => b.spentMs - a.spentMs || b.calls - a.calls),
  };
}

function operatorOf(operator: string, kinds: readonly ComparedKind[]): ShadowedOperator {
  const sum = (of: (kind: ComparedKind) => number) => kinds.reduce((total, kind) => total + of(kind), 0);
  return {
    operator,
    calls: sum(({ calls }) => calls),
    compared: sum(({ compared }) => compared),
    kinds: kinds.length,
    comparedKinds: kinds.filter(({ compared }) => compared > 0).length,
    spentMs: sum(({ spentMs }) => spentMs),
    leftOut: kinds.find(({ leftOut }) => leftOut !== "")?.leftOut ?? null,
  };
}
