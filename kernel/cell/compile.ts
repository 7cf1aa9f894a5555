// One cell from TypeScript text to JavaScript for V8's REPL mode: parse, analyze, transform, in that order.
// Pure: no I/O, no session, no types beyond syntax. Types are `language/`'s business.
import type { Bindings, Declared } from "./analyze.ts";
import type { Magic } from "./magics.ts";

export interface CompileOptions {
  /** Execution count, for the cell's file name in stack traces. */
  readonly count: number;
  /** Whether epoch loops get a flush (`%flush on`). */
  readonly flush: boolean;
}

export interface Compiled {
  /** JavaScript for `Runtime.evaluate` with `replMode: true`. */
  readonly code: string;
  /** Source map (version 3, JSON text) from `code` to the cell's text. */
  readonly map: string;
  /** The cell's text with magic lines blanked: same length, same offsets. What the type checker sees. */
  readonly typescript: string;
  /** Top-level names that this cell declares, values and types. */
  readonly declared: readonly Declared[];
  readonly magics: readonly Magic[];
  /** How many epoch loops were found; the runtime loads the lab before it runs a cell that has one. */
  readonly epochLoops: number;
}

/** The text is not TypeScript that a cell may hold. Positions are 0-based UTF-16 offsets into the cell's text. */
export class CellSyntaxError extends SyntaxError {
  override readonly name = "SyntaxError";
  constructor(
    message: string,
    readonly start: number,
    readonly end: number,
  ) {
    super(message);
  }
}

/** @throws CellSyntaxError */
export declare function compile(text: string, bindings: Bindings, options: CompileOptions): Compiled;
