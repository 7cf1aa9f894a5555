// Magics that the kernel answers itself, because they are about checking and compiling: %check, %flush, %compiled,
// %lsmagic. The others are compiled into calls of the session's runtime.
import type { Magic } from "./cell/magics.ts";

/** `error`: type errors stop the cell; `warn`: they are printed and it runs; `off`: types are not checked. */
export type CheckMode = "error" | "warn" | "off";

/** What the notebook has switched; holds from the cell that says so, that cell included. */
export interface Switches {
  readonly check: CheckMode;
  readonly flush: boolean;
}

/** A magic cannot do what its argument asks. */
export class MagicError extends RangeError {
  override readonly name = "MagicError";
}

/**
 * Switches after the magics of a cell.
 *
 * @throws MagicError
 */
export function applySwitches(switches: Switches, magics: readonly Magic[]): Switches {
  let { check, flush } = switches;
  for (const { name, argument } of magics) {
    if (name === "check") {
      if (argument !== "error" && argument !== "warn" && argument !== "off") {
        throw new MagicError(`%check takes error, warn or off, not "${argument}".`);
      }
      check = argument;
    }
    if (name === "flush") {
      if (argument !== "on" && argument !== "off") {
        throw new MagicError(`%flush takes on or off, not "${argument}".`);
      }
      flush = argument === "on";
    }
  }
  return { check, flush };
}
