// Writes the module in which a cell is checked: with the types of its tensors widened, and its `var`s retyped where it
// needs that.
import type { Declared } from "../cell/analyze.ts";
import type { CellModule, Notebook } from "./notebook.ts";
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
  /** Whether it declares a `var` again with another type. */
  readonly isRetyped: boolean;
}

export function openModule(notebook: Notebook, { text, declared, isRetyped }: OpenedCell): OpenModule {
  const retyped = isRetyped ? withRetypedVars(text) : null;
  const written = retyped?.text ?? text;
  const opened = notebook.usesLibrary(text) ? withWidenedTypes(written) : null;
  const module =
    opened === null
      ? notebook.cellModule(written, declared)
      : notebook.cellModule(opened.text, declared, OPEN_DECLARATION);
  const inWritten = opened?.original ?? same;
  const inCell = retyped?.original ?? same;
  return { module, original: (offset) => inCell(inWritten(offset)) };
}

const same = (offset: number): number => offset;
