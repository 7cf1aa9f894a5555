// Types of a magic's grammar. Completion, help and the compiler read grammars; handlers are in `kernel/magics/`.

/** The text behind `%name` on its line. */
export type Argument =
  | { readonly kind: "none" }
  /** One of a few words, or nothing: `%check warn`. With `others`, the handler checks further words itself. */
  | { readonly kind: "word"; readonly words: readonly string[]; readonly others?: true }
  /** The rest of the line, unchanged: `%sh ls -l`. Completion offers `firstWords`: `%npm install`, or files. */
  | {
      readonly kind: "text";
      readonly placeholder: string;
      readonly optional?: boolean;
      readonly firstWords?: readonly string[];
      readonly takesFiles?: true;
    }
  /** TypeScript, checked and compiled with the cell. */
  | { readonly kind: "code"; readonly placeholder: "STATEMENT" | "EXPRESSION" };

/**
 * The use of the lines below `%%name`, the first line of a cell. `code`: they are TypeScript and run as the grammar's
 * `runs` says, or as a cell whose handler the kernel calls before. `text`: the handler receives them unchanged.
 */
export interface CellForm {
  readonly argument: Argument;
  readonly body: "code" | "text";
}

export interface OptionDescription {
  /** `count`: a whole number of at least 1. */
  readonly takes: "nothing" | "count";
  /** The value's name in the usage line: `-n LOOPS`. */
  readonly placeholder?: string;
  readonly help: string;
}

/** Options by their spelling, with the hyphen. */
export type OptionTable = Readonly<Record<string, OptionDescription>>;

/** The process that runs a magic: the kernel process before its cell, or the session at the magic's line. */
export type MagicSide = "kernel" | "session";

export interface Grammar {
  readonly name: string;
  readonly side: MagicSide;
  /** One line of `%lsmagic`, without a full stop. */
  readonly summary: string;
  /** Printed by `%name?` after the summary. */
  readonly details?: string;
  /** `%name`. Missing if only `%%name` exists. */
  readonly line?: Argument;
  /** `%%name`. Missing if only `%name` exists. */
  readonly cell?: CellForm;
  readonly options?: OptionTable;
  /** `in place`: between the call and the function that it returns. `as a function`: the handler calls it. */
  readonly runs?: "in place" | "as a function";
  /** The handler reads `SessionSide.names`. Their types take the kernel a moment, so other magics get no names. */
  readonly readsNames?: true;
  /** Runs before the rest of its cell is compiled, which then finds no name of earlier cells. */
  readonly forgetsNames?: true;
}

export type OptionValues<Options extends OptionTable> = {
  readonly [Flag in keyof Options]?: {
    readonly nothing: true;
    readonly count: number;
  }[Options[Flag]["takes"]];
};

/** One use of a magic with its arguments. Plain data, because the compiler writes it into the cell's code. */
export interface MagicCall<Options extends OptionTable = OptionTable> {
  readonly options: OptionValues<Options>;
  /** The argument without the options, trimmed. Empty if the argument is code. */
  readonly text: string;
  /** The lines below a `%%` line, if the magic takes them as text or is the kernel's. */
  readonly body?: string;
}
