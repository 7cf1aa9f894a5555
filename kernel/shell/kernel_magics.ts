// Runs a cell's kernel magics before the cell itself, and prints the help of all its magics.
import type { Grammar } from "../../lib/magics/grammar.ts";
import { GRAMMARS } from "../../lib/magics/grammars.ts";
import type { MagicLine } from "../cell/magics/magics.ts";
import { helpOf } from "../../lib/magics/usage.ts";
import type { KernelState, Switches } from "../magics/kernel_side.ts";
import { MagicError } from "../magics/handler.ts";
import { kernelHandlerOf } from "../magics/table.ts";

export interface AppliedMagics {
  /** The switches after the last magic. */
  readonly switches: Switches;
  /** The output of the magics, in the order of their lines. */
  readonly printed: string;
  /** Texts for new cells below this one. */
  readonly nextInputs: readonly string[];
  /** Whether the cell is only shown as compiled. */
  readonly showsCompiled: boolean;
  /** The numbers of the cells whose kept outputs are shown; null means the running cell, or else the latest. */
  readonly showsOutputs: readonly (number | null)[];
}

/** A kernel magic failed at that line. */
export class MagicLineError extends Error {
  constructor(
    readonly reason: MagicError,
    readonly magic: MagicLine,
  ) {
    super(reason.message);
  }
}

/** Whether a cell begins with the magic that reads the types of the notebook's variables. */
export function wantsTypes(code: string): boolean {
  return /^\s*%%python\b/.test(code);
}

/** @throws MagicLineError */
export async function applyMagics(state: KernelState, lines: readonly MagicLine[]): Promise<AppliedMagics> {
  let { switches } = state;
  let printed = "";
  let showsCompiled = false;
  const showsOutputs: (number | null)[] = [];
  const nextInputs: string[] = [];
  for (const line of lines) {
    const grammar = GRAMMARS.get(line.name);
    if (grammar === undefined) continue; // The compiler has refused it.
    if (line.help) printed += helpOf(grammar);
    const handle = kernelHandlerOf(line.name);
    if (line.help || handle === null) continue;
    try {
      const effects = await handle(line.call, { ...state, switches });
      switches = { ...switches, ...effects.switches };
      printed += effects.printed ?? "";
      showsCompiled ||= effects.showsCompiled ?? false;
      if (effects.showsOutputs !== undefined) showsOutputs.push(effects.showsOutputs.of);
      if (effects.nextInput !== undefined) nextInputs.push(effects.nextInput);
    } catch (error) {
      if (error instanceof MagicError) throw new MagicLineError(error, line);
      throw error;
    }
  }
  return { switches, printed, showsCompiled, showsOutputs, nextInputs };
}

/** Whether one of the magics reads the notebook's names. */
export function readsNames(lines: readonly MagicLine[]): boolean {
  return lines.some((line) => runningMagic(line)?.readsNames === true);
}

/** The magic that makes the session forget all names before the rest of the cell; null if there is none. */
export function forgettingMagic(lines: readonly MagicLine[]): MagicLine | null {
  return lines.find((line) => runningMagic(line)?.forgetsNames === true) ?? null;
}

/** Undefined for a line that only prints help. */
function runningMagic({ name, help }: MagicLine): Grammar | undefined {
  return help ? undefined : GRAMMARS.get(name);
}
