// Implements anomaly mode. Every recorded operation keeps the line that ran it. An error of backward, or a gradient
// that is NaN, then names the line of its forward. This is for debugging: it formats a stack for each operation.
import { checkBoolean, describe } from "../vocabulary/arguments.ts";
import { requireFinished } from "../vocabulary/finished.ts";
import { boolean, readOptions, type Rules } from "../vocabulary/options.ts";
import { placeOf } from "../engine/call_site.ts";
import { native, whenLoaded } from "../engine/native.ts";
import type { FailedNode } from "../engine/native_autograd.ts";

export interface AnomalyOptions {
  /** Also look for NaN in every gradient of backward. Default: true. */
  readonly checkNan?: boolean;
}

const RULES: Rules<AnomalyOptions> = { checkNan: boolean(true) };

/** libtorch's text for a gradient that is NaN. */
const NAN_TEXT = /Function '(.+)' returned nan values in its (\d+)th output/;

/** The line of the forward operation with its source text; the kernel shows it as the error's cause. */
class ForwardCall extends Error {
  override readonly name = "ForwardCall";

  constructor(message: string, recordedAt: string, cause: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.stack = `${this.name}: ${message}\n${recordedAt}`;
  }
}

function format(error: unknown, node: FailedNode, isOfUser: boolean): void {
  if (!(error instanceof Error)) return;
  const place = placeOf(node.recordedAt);
  if (!isOfUser) {
    const nan = NAN_TEXT.exec(error.message);
    if (nan) error.message = `${nan[1]} gave a gradient that is NaN, for input ${nan[2]}.`;
    error.message +=
      place === null
        ? ` It arose in ${node.name}, which was recorded outside of anomaly mode.`
        : ` The forward call is at ${place}.`;
  }
  const { cause } = error;
  // If the user gave the error a cause, it is left alone; libtorch's own text follows the lines.
  const isLibtorchs = cause instanceof Error && cause.name === "libtorch";
  if (place === null || (cause !== undefined && !isLibtorchs)) return;
  const parent =
    node.parentRecordedAt === ""
      ? cause
      : new ForwardCall(
          `It was recorded by an earlier backward, in ${node.parentName}, the derivative of what this line recorded.`,
          node.parentRecordedAt,
          cause,
        );
  error.cause = new ForwardCall(
    `${node.name} is the derivative of what this line recorded.`,
    node.recordedAt,
    parent,
  );
}

whenLoaded((loaded) => loaded.setAnomalyFormatter(format));

/**
 * Runs `run` in anomaly mode. Forward and backward both belong inside:
 *
 *     torch.autograd.detectAnomaly(() => loss(model(x)).backward());
 *
 * Refuses an async function, as `noGrad` does: around an `await` see `setDetectAnomaly`.
 */
export function detectAnomaly<Result>(run: () => Result, options?: AnomalyOptions): Result {
  const call = "detectAnomaly";
  if (typeof run !== "function")
    throw new TypeError(
      `${call}() takes a function and runs it, as ${call}(() => loss.backward()), got ${describe(run)}.`,
    );
  const { checkNan } = readOptions<AnomalyOptions>(call, options, RULES);
  const before = native.anomalyMode();
  native.setAnomalyMode(true, checkNan);
  try {
    return requireFinished(
      `${call}()`,
      run(),
      "the mode ends when it returns. Call setDetectAnomaly() before and after.",
    );
  } finally {
    native.setAnomalyMode(before.enabled, before.checkNan);
  }
}

/** Switches anomaly mode on or off, for the whole session. */
export function setDetectAnomaly(enabled: boolean, options?: AnomalyOptions): void {
  const call = "setDetectAnomaly";
  const { checkNan } = readOptions<AnomalyOptions>(call, options, RULES);
  native.setAnomalyMode(checkBoolean(call, "enabled", enabled), checkNan);
}

/** Is anomaly mode on? */
export function isAnomalyEnabled(): boolean {
  return native.anomalyMode().enabled;
}
