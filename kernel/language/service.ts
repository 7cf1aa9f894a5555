// Types for the notebook: diagnostics, completion and hover of one cell, given the cells before it. Offsets are
// 0-based UTF-16 positions in the cell's text. Knows nothing of running cells.
import type { Declared } from "../cell/analyze.ts";

export interface CellText {
  readonly count: number;
  /** Magic lines blanked: `Compiled.typescript`. */
  readonly text: string;
  readonly declared: readonly Declared[];
}

export interface Diagnostic {
  readonly start: number;
  readonly end: number;
  readonly code: number;
  readonly category: "error" | "warning" | "suggestion";
  /** As tsc prints it; chained explanations on further, indented lines. */
  readonly message: string;
}

export interface Completion {
  readonly text: string;
  /** `method`, `property`, `variable`, ...: `_jupyter_types_experimental`. */
  readonly kind: string;
  readonly signature?: string;
}

export interface Completions {
  /** The text between these offsets is what a completion replaces. */
  readonly start: number;
  readonly end: number;
  readonly items: readonly Completion[];
}

export interface Hover {
  /** Markdown: the type in a fenced block, then the documentation. */
  readonly markdown: string;
  readonly text: string;
}

export declare class LanguageService {
  /** Starts the compiler's own process at once; calls wait for it. `directory` is the notebook's folder. */
  constructor(directory: string);
  check(cell: CellText): Promise<readonly Diagnostic[]>;
  /** The cell ran: from now on later cells see `names` of it, with their types. */
  commit(cell: CellText, names: ReadonlySet<string>): void;
  complete(text: string, offset: number): Promise<Completions>;
  hover(text: string, offset: number): Promise<Hover | null>;
  close(): void;
}
