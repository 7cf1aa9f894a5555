// Writes the module in which a cell is checked: with the types that its comments name, with its `var`s retyped if
// necessary, and with the types of its tensors widened.
import type { Declared } from "../cell/analyze.ts";
import type { CellModule, Notebook } from "./notebook.ts";
import { withJsdocTypes } from "./jsdoc_types.ts";
import { withRetypedVars } from "./retyped_vars.ts";
import { OPEN_DECLARATION, withWidenedTypes } from "./widening.ts";

export interface OpenModule {
  readonly module: CellModule;
  /** Returns the offset in the cell's text for an offset in the module's cell. */
  original(offset: number): number;
}

export interface OpenedCell {
  readonly text: string;
  readonly declared: readonly Declared[];
  /** Whether the cell declares a `var` again with another type. */
  readonly isRetyped: boolean;
}

export function openModule(notebook: Notebook, { text, declared, isRetyped }: OpenedCell): OpenModule {
  const typed = withJsdocTypes(text);
  const retyped = isRetyped ? withRetypedVars(typed?.text ?? text) : null;
  const written = retyped?.text ?? typed?.text ?? text;
  const opened = notebook.usesLibrary(text) ? withWidenedTypes(written) : null;
  const module =
    opened === null
      ? notebook.cellModule(written, declared)
      : notebook.cellModule(opened.text, declared, OPEN_DECLARATION);
  const inWritten = opened?.original ?? same;
  const inTyped = retyped?.original ?? same;
  const inCell = typed?.original ?? same;
  return { module, original: (offset) => inCell(inTyped(inWritten(offset))) };
}

const same = (offset: number): number => offset;
