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

export interface AppliedMagics {
  /** As they are after the last magic. */
  readonly switches: Switches;
  /** What the magics print, in the order of their lines. */
  readonly printed: string;
}

/**
 * What the magics of a cell do before it runs: they set switches, say how a switch is set, or give help.
 *
 * @throws MagicError
 */
export function applyMagics(before: Switches, magics: readonly Magic[]): AppliedMagics {
  let { check, flush } = before;
  const lines: string[] = [];
  for (const { name, argument, help } of magics) {
    const description = MAGICS.get(name);
    if (description === undefined) continue; // The compiler has refused it.
    const { words, side } = description;
    if (help) {
      lines.push(description.help);
      continue;
    }
    if (argument !== "" && words.length === 0) {
      throw new MagicError(`%${name} takes no argument: write it without "${argument}".`);
    }
    if (argument !== "" && side === "kernel" && !words.includes(argument)) {
      throw new MagicError(`%${name} takes ${alternatives(words)}, not "${argument}".`);
    }
    const tell = (value: string) => lines.push(`%${name} is ${value}; it takes ${alternatives(words)}.`);
    if (name === "lsmagic") lines.push(...[...MAGICS.values()].map((magic) => magic.help));
    else if (name === "check" && argument === "") tell(check);
    else if (name === "check") check = argument as CheckMode;
    else if (name === "flush" && argument === "") tell(flush ? "on" : "off");
    else if (name === "flush") flush = argument === "on";
  }
  return { switches: { check, flush }, printed: lines.map((line) => `${line}\n`).join("") };
}

/** `error, warn or off` */
function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** Whether the cell is only to be shown as compiled. */
export function asksForCompiled(magics: readonly Magic[]): boolean {
  return magics.some(({ name, help }) => name === "compiled" && !help);
}
