// Keeps the session's print options, with PyTorch's defaults and profiles.
import {
  checkBoolean,
  checkChoice,
  checkInteger,
  checkOptions,
  describe,
} from "../../vocabulary/arguments.ts";

interface Options {
  /** Digits after the point. Default: 4. */
  precision: number;
  /** More elements than this are summarized; Infinity for never. Default: 1000. */
  threshold: number;
  /** Elements shown at each end of a summarized dimension. Default: 3. */
  edgeitems: number;
  /** Columns. Default: 80. */
  linewidth: number;
  /** Scientific notation; null chooses it by the values. */
  sciMode: boolean | null;
}

const PROFILES = {
  default: { precision: 4, threshold: 1000, edgeitems: 3, linewidth: 80 },
  short: { precision: 2, threshold: 1000, edgeitems: 2, linewidth: 80 },
  full: { precision: 4, threshold: Infinity, edgeitems: 3, linewidth: 80 },
} as const;

export interface PrintOptions extends Partial<Options> {
  /** Sets all but `sciMode` to what PyTorch's profile of that name has, before the options beside it. */
  profile?: keyof typeof PROFILES;
}

const NAMES = ["precision", "threshold", "edgeitems", "linewidth", "profile", "sciMode"] as const;

/** The session's own. */
export const options: Options = { ...PROFILES.default, sciMode: null };

/**
 * Changes how tensors print, for the rest of the session. As in PyTorch, what is not named stays, except `sciMode`,
 * which then chooses by the values again.
 */
export function setPrintoptions(changes: PrintOptions = {}): void {
  const call = "torch.setPrintoptions";
  const { profile, sciMode = null, ...wished } = checkOptions<PrintOptions>(call, changes, NAMES);
  if (profile !== undefined) checkChoice(call, "profile", profile, ["default", "short", "full"]);
  for (const [name, least] of [
    ["precision", 0],
    ["edgeitems", 0],
    ["linewidth", 1],
  ] as const)
    if (wished[name] !== undefined) checkInteger(call, name, wished[name], least);
  if (wished.threshold !== undefined && wished.threshold !== Infinity)
    checkInteger(call, "threshold", wished.threshold, 0);
  if (wished.precision !== undefined && wished.precision > 100)
    throw new RangeError(`${call}: precision must be at most 100, got ${describe(wished.precision)}.`);
  if (sciMode !== null) checkBoolean(call, "sciMode", sciMode);
  Object.assign(options, profile === undefined ? {} : PROFILES[profile], wished, { sciMode });
}

/** Returns the options in force, in the form that `setPrintoptions` takes. */
export function getPrintoptions(): Options {
  return { ...options };
}
