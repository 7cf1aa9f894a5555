// What the magics of a cell do before it runs: those of the kernel, and the help of all. Knows what they may want done,
// not what they are.
import type { MagicLine } from "../cell/magics/magics.ts";
import { helpOf } from "../magics/help.ts";
import type { KernelState, Switches } from "../magics/kernel_side.ts";
import { MagicError, type SessionMagic } from "../magics/magic.ts";
import { MAGICS } from "../magics/table.ts";

export interface AppliedMagics {
  /** As they are after the last magic. */
  readonly switches: Switches;
  /** What the magics print, in the order of their lines. */
  readonly printed: string;
  /** Texts for new cells below this one. */
  readonly nextInputs: readonly string[];
  /** Whether the cell is only to be shown as compiled. */
  readonly showsCompiled: boolean;
}

/** A magic of the kernel could not do what it was asked, at that line. */
export class MagicLineError extends Error {
  constructor(
    readonly reason: MagicError,
    readonly magic: MagicLine,
  ) {
    super(reason.message);
  }
}

/** @throws MagicLineError */
export function applyMagics(state: Omit<KernelState, "magics">, lines: readonly MagicLine[]): AppliedMagics {
  let { switches } = state;
  let printed = "";
  let showsCompiled = false;
  const nextInputs: string[] = [];
  for (const line of lines) {
    const magic = MAGICS.get(line.name);
    if (magic === undefined) continue; // The compiler has refused it.
    if (line.help) printed += helpOf(magic);
    if (line.help || magic.side !== "kernel") continue;
    try {
      const effects = magic.run(line.call, { ...state, switches, magics: MAGICS });
      switches = { ...switches, ...effects.switches };
      printed += effects.printed ?? "";
      showsCompiled ||= effects.showsCompiled ?? false;
      if (effects.nextInput !== undefined) nextInputs.push(effects.nextInput);
    } catch (error) {
      if (error instanceof MagicError) throw new MagicLineError(error, line);
      throw error;
    }
  }
  return { switches, printed, showsCompiled, nextInputs };
}

/** Whether one of them is to be told what names there are. */
export function readsNames(lines: readonly MagicLine[]): boolean {
  return lines.some((line) => sessionMagicOf(line)?.readsNames === true);
}

/** The one after which the rest of its cell finds no name. */
export function forgettingMagic(lines: readonly MagicLine[]): MagicLine | null {
  return lines.find((line) => sessionMagicOf(line)?.forgetsNames === true) ?? null;
}

function sessionMagicOf({ name, help }: MagicLine): SessionMagic | null {
  const magic = MAGICS.get(name);
  return !help && magic?.side === "session" ? magic : null;
}
