// Types of the functions that run magics. They are computed from the grammar table: a grammar without a handler, or a
// handler without a grammar, does not compile.
import type { MagicCall, MagicSide, OptionTable } from "../../lib/magics/grammar.ts";
import type { GrammarTable, MagicName } from "../../lib/magics/grammars.ts";
import type { KernelEffects, KernelState } from "./kernel_side.ts";
import type { SessionSide } from "./session_side.ts";

type NameOn<Side extends MagicSide> = {
  [Name in MagicName]: GrammarTable[Name]["side"] extends Side ? Name : never;
}[MagicName];

export type KernelMagicName = NameOn<"kernel">;
export type SessionMagicName = NameOn<"session">;

type CallOf<Name extends MagicName> = MagicCall<
  GrammarTable[Name] extends { readonly options: infer Options extends OptionTable } ? Options : OptionTable
>;

/** Called before the cell runs. @throws MagicError */
export type KernelHandler<Name extends KernelMagicName> = (
  call: CallOf<Name>,
  state: KernelState,
) => KernelEffects | Promise<KernelEffects>;

/** Called when code that a magic runs in place has ended, with or without an error. */
export type AtEnd = () => void;

/**
 * Called at the magic's line, while the cell runs.
 *
 * @param code the code behind or below the magic, if its grammar says that it runs as a function
 * @throws MagicError
 */
export type SessionHandler<Name extends SessionMagicName> = (
  call: CallOf<Name>,
  session: SessionSide,
  code: (() => unknown) | undefined,
) => Promise<AtEnd | void>;

/** A magic cannot do what it was asked. The message is one sentence for the user. */
export class MagicError extends RangeError {
  override readonly name = "MagicError";
}
