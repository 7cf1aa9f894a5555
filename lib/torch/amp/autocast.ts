// Runs operators in half or in full precision, whatever the dtype of their inputs. libtorch has a list of operators for
// each kind of device; this file decides only where the lists apply.
import { observeCells } from "../../session.ts";
import { checkBoolean, checkChoice, describe } from "../vocabulary/arguments.ts";
import { optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import { requireFinished } from "../vocabulary/finished.ts";
import { boolean, checkedLater, type OpenRules, optional, readOptions } from "../vocabulary/options.ts";
import { native, whenLoaded } from "../engine/native.ts";
import { noteAutocast } from "../engine/step_strategy.ts";

export type AutocastDevice = "cpu" | "cuda" | "mps";
/** The dtypes that autocast can cast to. */
export type AutocastDType = "float16" | "bfloat16";

export interface AutocastOptions {
  /** The kind of device whose operators are cast. */
  readonly deviceType: AutocastDevice;
  /**
   * The dtype to which operators are cast. Default: the dtype set before, else bfloat16 on the CPU and float16 on cuda
   * and mps.
   */
  readonly dtype?: AutocastDType | null;
  /** False makes a block without autocast inside one with it. Default: true. */
  readonly enabled?: boolean;
  /** Keep the cast weights until the outermost block ends. Default: true. */
  readonly cacheEnabled?: boolean;
}

const AUTOCAST_DEVICES = ["cpu", "cuda", "mps"] as const;
const DTYPES = ["float16", "bfloat16"] as const;

const RULES = {
  deviceType: checkedLater<AutocastDevice | undefined>(undefined),
  dtype: optional((call, name, value) =>
    value === null ? undefined : checkChoice(call, name, value, DTYPES),
  ),
  enabled: boolean(true),
  cacheEnabled: optional(checkBoolean),
} satisfies OpenRules<AutocastOptions>;

const PLACES = ["deviceType", "dtype", "enabled", "cacheEnabled"] as const;

/** The casts of one kind of device. */
interface Casts {
  readonly enabled: boolean;
  readonly dtype: AutocastDType;
}

export type AutocastState = Readonly<Record<AutocastDevice, Casts>> & { readonly cacheEnabled: boolean };

const castsOf = (device: AutocastDevice): Casts => ({
  enabled: native.autocastEnabled(device),
  dtype: native.autocastDtype(device),
});

export function autocastState(): AutocastState {
  return {
    cpu: castsOf("cpu"),
    cuda: castsOf("cuda"),
    mps: castsOf("mps"),
    cacheEnabled: native.autocastCacheEnabled(),
  };
}

function apply(state: AutocastState): void {
  for (const device of AUTOCAST_DEVICES) {
    native.setAutocastEnabled(device, state[device].enabled);
    native.setAutocastDtype(device, state[device].dtype);
  }
  native.setAutocastCacheEnabled(state.cacheEnabled);
}

/** Runs `run` under a state that `autocastState()` returned earlier. */
export function inAutocastState<Result>(state: AutocastState, run: () => Result): Result {
  const before = autocastState();
  native.enterAutocast();
  depth++;
  try {
    apply(state);
    return run();
  } finally {
    apply(before);
    leave();
  }
}

/** The number of open blocks, so that a cell that was stopped between two lines leaves none open. */
let depth = 0;

/** A forward pass without gradients, as in an evaluation, does not belong to a training step. */
function noteCasts({ enabled, dtype }: Casts): void {
  if (enabled && native.gradEnabled()) noteAutocast(dtype);
}

function leave(): void {
  if (depth === 0) return; // The cell has ended meanwhile, and its end closed the block.
  depth--;
  native.leaveAutocast();
}

/**
 * Runs `run` with mixed precision: products and convolutions in `dtype`, what needs the range in float32, each operator
 * as libtorch's lists for the device say. The backward of what was recorded inside runs in the same dtypes, and belongs
 * outside.
 *
 *     const loss = torch.autocast({ deviceType: "cuda" }, () => F.crossEntropy(model(x), target));
 *     loss.backward();
 *
 * Refuses an async function, as `noGrad` does: around an `await` see `setAutocastEnabled`.
 */
export function autocast<Result>(options: AutocastOptions, run: () => Result): Result;
export function autocast<Result>(deviceType: AutocastDevice, run: () => Result): Result;
export function autocast<Result>(
  deviceType: AutocastDevice,
  dtype: AutocastDType | null | Omit<AutocastOptions, "deviceType">,
  run: () => Result,
): Result;
export function autocast<Result>(
  deviceType: AutocastDevice,
  dtype: AutocastDType | null,
  enabled: boolean | Omit<AutocastOptions, "deviceType" | "dtype">,
  run: () => Result,
): Result;
export function autocast<Result>(...given: unknown[]): Result {
  const call = "torch.autocast";
  const run = given.at(-1) as () => Result;
  if (typeof run !== "function")
    throw new TypeError(
      `${call}: expected a function to run, as torch.autocast("cpu", () => model(x)), got ${describe(run)}.`,
    );
  const options = optionsByPlace<AutocastOptions>(call, PLACES, given.slice(0, -1));
  const { dtype, enabled, cacheEnabled, ...read } = readOptions(call, options, RULES);
  const deviceType = checkChoice(call, "deviceType", read.deviceType, AUTOCAST_DEVICES);
  const state = autocastState();
  const casts: Casts = { enabled, dtype: dtype ?? state[deviceType].dtype };
  noteCasts(casts);
  const result = inAutocastState(
    {
      ...state,
      [deviceType]: casts,
      cacheEnabled: cacheEnabled ?? state.cacheEnabled,
    },
    run,
  );
  return requireFinished(
    call,
    result,
    "the casts end when it returns. Call it around the synchronous parts, or torch.setAutocastEnabled() before and after.",
  );
}

/** Are operators of this kind of device (`cpu`, `mps`, `cuda`) cast to a lower precision now? */
export function isAutocastEnabled(deviceType: AutocastDevice): boolean {
  return native.autocastEnabled(
    checkChoice("torch.isAutocastEnabled", "deviceType", deviceType, AUTOCAST_DEVICES),
  );
}

/** Switches casts on or off until the next switch, and at the latest until the cell ends. Returns what it was. */
export function setAutocastEnabled(deviceType: AutocastDevice, enabled: boolean): boolean {
  const call = "torch.setAutocastEnabled";
  const previous = native.autocastEnabled(checkChoice(call, "deviceType", deviceType, AUTOCAST_DEVICES));
  native.setAutocastEnabled(deviceType, checkBoolean(call, "enabled", enabled));
  if (!enabled) native.clearAutocastCache();
  noteCasts(castsOf(deviceType));
  return previous;
}

/** The dtype to which operators of this kind of device are cast. */
export function getAutocastDtype(deviceType: AutocastDevice): AutocastDType {
  return native.autocastDtype(
    checkChoice("torch.getAutocastDtype", "deviceType", deviceType, AUTOCAST_DEVICES),
  );
}

/** Sets the dtype until the next call, and at the latest until the cell ends. */
export function setAutocastDtype(deviceType: AutocastDevice, dtype: AutocastDType): void {
  const call = "torch.setAutocastDtype";
  checkChoice(call, "deviceType", deviceType, AUTOCAST_DEVICES);
  native.setAutocastDtype(deviceType, checkChoice(call, "dtype", dtype, DTYPES));
}

whenLoaded(() => {
  const atStart = autocastState();
  observeCells({
    cellEnded() {
      apply(atStart);
      while (depth > 0) leave();
      native.clearAutocastCache();
    },
  });
});
