// Magics that the kernel answers itself, because they are about checking and compiling: %check, %flush, %compiled,
// %lsmagic. The others are compiled into calls of the session's runtime.
import { MAGICS, type Magic } from "./cell/magics.ts";

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
  for (const { name, argument, help } of magics) {
    if (help) continue;
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

/** What `%lsmagic` and questions such as `%memory?` print, in the order of their lines. */
export function magicHelp(magics: readonly Magic[]): string {
  return magics
    .flatMap(({ name, help }) => {
      if (help) return [MAGICS.get(name)?.help];
      return name === "lsmagic" ? [...MAGICS.values()].map((magic) => magic.help) : [];
    })
    .map((line) => `${line}\n`)
    .join("");
}

/** Whether the cell is only to be shown as compiled. */
export function asksForCompiled(magics: readonly Magic[]): boolean {
  return magics.some(({ name, help }) => name === "compiled" && !help);
}
