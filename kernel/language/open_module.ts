// Writes the module in which a cell is checked: with the types that its comments name, with its `var`s retyped if
// necessary, and with the types of its tensors widened.
import type { Declared } from "../cell/analyze.ts";
import { type ParsedText, parseTypeScript } from "../../lib/typescript/parse.ts";
import type { CellModule, Notebook } from "./notebook.ts";
import { withJsdocTypes } from "./jsdoc_types.ts";
import { withRetypedVars } from "./retyped_vars.ts";
import { OPEN_DECLARATION, withWidenedTypes } from "./widening.ts";

export interface OpenModule {
  readonly module: CellModule;
  /** Returns the offset in the cell's text for an offset in the module's cell. */
  original(offset: number): number;
}

export interface OpenedCell extends ParsedText {
  readonly declared: readonly Declared[];
}

/** @param isRetyped whether the cell declares a `var` again with another type */
export function openModule(notebook: Notebook, cell: OpenedCell, isRetyped: boolean): OpenModule {
  const { isJsx, declared } = cell;
  const typed = withJsdocTypes(cell);
  const afterTypes = typed === null ? cell : parseTypeScript(typed.text);
  const retyped = isRetyped ? withRetypedVars(afterTypes) : null;
  const written = retyped === null ? afterTypes : parseTypeScript(retyped.text);
  const opened = notebook.usesLibrary(cell.text) ? withWidenedTypes(written) : null;
  const module =
    opened === null
      ? notebook.cellModule({ text: written.text, isJsx, declared })
      : notebook.cellModule({ text: opened.text, isJsx, declared }, OPEN_DECLARATION);
  const inWritten = opened?.original ?? same;
  const inTyped = retyped?.original ?? same;
  const inCell = typed?.original ?? same;
  return { module, original: (offset) => inCell(inTyped(inWritten(offset))) };
}

const same = (offset: number): number => offset;
