// Keeps the session's print options, with PyTorch's defaults and profiles.
import { checkChoice, checkInteger } from "../../vocabulary/arguments.ts";
import { boolean, nullable, type OpenRules, optional, readOptions } from "../../vocabulary/options.ts";

interface Options {
  /** Digits after the point. Default: 4. */
  precision: number;
  /** More elements than this are summarized; Infinity for never. Default: 1000. */
  threshold: number;
  /** Elements shown at each end of a summarized dimension. Default: 3. */
  edgeitems: number;
  /** Columns. Default: 80. */
  linewidth: number;
  /** Scientific notation; null chooses it by the values. Default: null. */
  sciMode: boolean | null;
}

const PROFILES = {
  default: { precision: 4, threshold: 1000, edgeitems: 3, linewidth: 80 },
  short: { precision: 2, threshold: 1000, edgeitems: 2, linewidth: 80 },
  full: { precision: 4, threshold: Infinity, edgeitems: 3, linewidth: 80 },
} as const;

export interface PrintOptions extends Partial<Options> {
  /** Sets all but `sciMode` to what PyTorch's profile of that name has, before the options beside it. Default: none. */
  profile?: keyof typeof PROFILES;
}

const RULES = {
  precision: optional((call, name, value) =>
    checkAtMost(call, name, checkInteger(call, name, value, 0), 100),
  ),
  threshold: optional((call, name, value) =>
    value === Infinity ? value : checkInteger(call, name, value, 0),
  ),
  edgeitems: optional((call, name, value) => checkInteger(call, name, value, 0)),
  linewidth: optional((call, name, value) => checkInteger(call, name, value, 1)),
  profile: optional((call, name, value) => checkChoice(call, name, value, ["default", "short", "full"])),
  sciMode: nullable(boolean(false)),
} satisfies OpenRules<PrintOptions>;

function checkAtMost(call: string, name: string, value: number, max: number): number {
  if (value <= max) return value;
  throw new RangeError(`${call}: ${name} must be at most ${max}, got ${value}.`);
}

/** The session's own. */
export const options: Options = { ...PROFILES.default, sciMode: null };

/**
 * Changes how tensors print, for the rest of the session. As in PyTorch, what is not named stays, except `sciMode`,
 * which then chooses by the values again.
 */
export function setPrintoptions(changes: PrintOptions = {}): void {
  const call = "torch.setPrintoptions";
  const { profile, sciMode, ...wished } = readOptions(call, changes, RULES);
  const named = Object.entries(wished).filter(([, value]) => value !== undefined);
  Object.assign(options, profile === undefined ? {} : PROFILES[profile], Object.fromEntries(named), {
    sciMode,
  });
}

/** Returns the options in force, in the form that `setPrintoptions` takes. */
export function getPrintoptions(): Options {
  return { ...options };
}
