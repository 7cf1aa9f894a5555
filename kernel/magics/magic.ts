// What a magic is: its grammar, which completion, help and the compiler read, and a handler for the side where it runs.
// A leaf: it knows neither the compiler nor the session, only what they lend to a handler.
import type { KernelEffects, KernelState } from "./kernel_side.ts";
import type { SessionSide } from "./session_side.ts";

/** What stands behind `%name` on its line. */
export type Argument =
  | { readonly kind: "none" }
  /** One of a few words, or nothing: `%check warn`. `others`: the handler decides about further ones. */
  | { readonly kind: "word"; readonly words: readonly string[]; readonly others?: true }
  /** The rest of the line as it is: `%sh ls -l`. `firstWords` are offered: `%npm install`. */
  | {
      readonly kind: "text";
      readonly placeholder: string;
      readonly optional?: boolean;
      readonly firstWords?: readonly string[];
    }
  /** TypeScript, checked and compiled with the cell. */
  | { readonly kind: "code"; readonly placeholder: "STATEMENT" | "EXPRESSION" };

/**
 * What `%%name`, as the first line of a cell, does with the lines below. `code`: they are TypeScript, and run as the
 * grammar's `runs` says. `text`: the handler gets them as they are.
 */
export interface CellForm {
  readonly argument: Argument;
  readonly body: "code" | "text";
}

export interface OptionDescription {
  /** `count`: a whole number of at least 1. */
  readonly takes: "nothing" | "count";
  /** Stands in the usage line for what it takes: `-n LOOPS`. */
  readonly placeholder?: string;
  readonly help: string;
}

/** By their spelling, the hyphen included. */
export type OptionTable = Readonly<Record<string, OptionDescription>>;

export interface Grammar {
  readonly name: string;
  /** One line of `%lsmagic`, without a full stop. */
  readonly summary: string;
  /** What `?` says beside the summary and the options. */
  readonly details?: string;
  /** `%name`; left out where there is only `%%name`. */
  readonly line?: Argument;
  /** `%%name`; left out where there is only `%name`. */
  readonly cell?: CellForm;
  readonly options?: OptionTable;
}

export type OptionValues<Options extends OptionTable> = {
  readonly [Flag in keyof Options]?: {
    readonly nothing: true;
    readonly count: number;
  }[Options[Flag]["takes"]];
};

/** One use of a magic, its arguments read. Plain data: the compiler writes it into the cell's code. */
export interface MagicCall<Options extends OptionTable = OptionTable> {
  readonly options: OptionValues<Options>;
  /** The argument without the options, trimmed. Empty where it is code. */
  readonly text: string;
  /** The cell below a `%%` line, where that is text. */
  readonly body?: string;
}

/** Done before the cell runs. */
export interface KernelMagic extends Grammar {
  readonly side: "kernel";
  /** @throws MagicError */
  readonly run: (call: MagicCall, state: KernelState) => KernelEffects;
}

/** Called at its line, while the cell runs. */
export interface SessionMagic extends Grammar {
  readonly side: "session";
  /** `in place`: between the call and the function that it returns. `as a function`: the handler calls it. */
  readonly runs?: "in place" | "as a function";
  /** Whether `SessionSide.names` is to be filled; it takes the kernel a moment to know the types. */
  readonly readsNames?: true;
  /** Runs before the rest of its cell is compiled, which then finds no name of earlier cells. */
  readonly forgetsNames?: true;
  /** @throws MagicError */
  readonly run: (
    call: MagicCall,
    session: SessionSide,
    code: (() => unknown) | undefined,
  ) => Promise<AtEnd | void>;
}

/** Called when code that runs in place has ended, however it ended. */
export type AtEnd = () => void;

export type Magic = KernelMagic | SessionMagic;

type Defined<Side extends Magic, Options extends OptionTable> = Omit<Side, "side" | "run" | "options"> & {
  readonly options?: Options;
  readonly run: (
    call: MagicCall<Options>,
    ...lent: Side["run"] extends (call: never, ...rest: infer Rest) => unknown ? Rest : never
  ) => ReturnType<Side["run"]>;
};

export function kernelMagic<const Options extends OptionTable>(
  magic: Defined<KernelMagic, Options>,
): KernelMagic {
  // The options' values are those that the same table describes: `readArguments` sees to it.
  return { side: "kernel", ...(magic as unknown as Omit<KernelMagic, "side">) };
}

export function sessionMagic<const Options extends OptionTable>(
  magic: Defined<SessionMagic, Options>,
): SessionMagic {
  return { side: "session", ...(magic as unknown as Omit<SessionMagic, "side">) };
}

/** A magic cannot do what it was asked; one sentence for the user. */
export class MagicError extends RangeError {
  override readonly name = "MagicError";
}
