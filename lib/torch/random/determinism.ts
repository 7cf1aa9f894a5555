// Sets whether operators must give the same numbers for the same inputs each time. The setting holds for the whole
// process, as PyTorch's does.
import { checkBoolean } from "../vocabulary/arguments.ts";
import { native } from "../engine/native.ts";
import { boolean, readOptions, type Rules } from "../vocabulary/options.ts";

export interface DeterminismOptions {
  /** Operators without a deterministic algorithm warn and run. Default: false. */
  readonly warnOnly?: boolean | undefined;
}

const RULES: Rules<DeterminismOptions> = { warnOnly: boolean(false) };

/**
 * Makes operators use algorithms that give the same result each time. Operators that have none throw, and the memory of
 * `torch.empty` is filled. On CUDA, products also want `CUBLAS_WORKSPACE_CONFIG=:4096:8` in the environment.
 * `torch.use_deterministic_algorithms` of torch/__init__.py.
 *
 * @throws TypeError for a value that is not a boolean
 */
export function useDeterministicAlgorithms(mode: boolean, options?: DeterminismOptions): void {
  const call = "torch.useDeterministicAlgorithms";
  const { warnOnly } = readOptions(call, options, RULES);
  native.setDeterministicAlgorithms(checkBoolean(call, "mode", mode), warnOnly);
}

/** Whether `useDeterministicAlgorithms(true)` was called, even if only for warnings. */
export function areDeterministicAlgorithmsEnabled(): boolean {
  return native.deterministicAlgorithms() !== "off";
}

/** Whether an operator without a deterministic algorithm warns and runs. */
export function isDeterministicAlgorithmsWarnOnlyEnabled(): boolean {
  return native.deterministicAlgorithms() === "warn";
}
