// Compiles one cell from TypeScript to JavaScript for V8's REPL mode: read, lower, transform, in that order. Does no I/O
// and checks no types; `kernel/language/` checks them.
import { renamed, type Bindings } from "./analyze.ts";
import { type ImportedName, importedNames } from "./imported_names.ts";
import { lowerCell } from "./transform/lower.ts";
import { CELL_URL_SCHEME, type StaticImport, type TypeScriptOptions } from "./names.ts";
import { type CellProgram, inWritten, readProgram } from "./read_cell.ts";
import { encodeMap, OriginalPositions } from "./transform/source_map.ts";
import { CellSyntaxError } from "../../lib/typescript/syntax_error.ts";
import type { CellUses } from "./uses.ts";
import { transform } from "./transform/transform.ts";

export { CellSyntaxError, UnparsableError } from "../../lib/typescript/syntax_error.ts";

export interface CompileOptions {
  /** The script's name in stack traces. Every script has its own, because silent cells share their execution count. */
  readonly script: string;
  /** Whether epochs flush (`%flush on`). Without, their loops are marked to be recorded only. */
  readonly flush: boolean;
  /** The options of the folder's tsconfig, if there is one. */
  readonly typescript?: TypeScriptOptions;
}

export interface Compiled extends CellProgram {
  /** V8's name of the script. */
  readonly url: string;
  /** JavaScript for `Runtime.evaluate` with `replMode: true`. */
  readonly code: string;
  /** Source map (version 3, JSON text) from `code` to the cell as it was written. */
  readonly map: string;
  /** How many epoch loops were found; the runtime loads the lab before it runs a cell that has one. */
  readonly epochLoops: number;
  /** The modules that the runtime loads before it evaluates the cell, in the order of the cell. */
  readonly imports: readonly StaticImport[];
  /** The names of other cells that it reads, and when. Walks the whole cell: call it once, while the cell runs. */
  readonly uses: () => CellUses;
  /** The names that the cell's imports give, types among them. */
  readonly importedNames: readonly ImportedName[];
}

/**
 * @param cell as it was written; or read before, to be compiled under other options
 * @throws CellSyntaxError
 */
export function compile(cell: string | CellProgram, bindings: Bindings, options: CompileOptions): Compiled {
  try {
    const read = typeof cell === "string" ? readProgram(cell) : cell;
    return inWritten(read.original, () => compileProgram(read, bindings, options));
  } catch (error) {
    // Our walks of the tree are recursive: a sum of ten thousand terms is ten thousand calls deep.
    if (!(error instanceof RangeError)) throw error;
    const { length } = typeof cell === "string" ? cell : cell.text;
    throw new CellSyntaxError("The cell holds an expression too long to compile: split it", 0, length);
  }
}

function compileProgram(cell: CellProgram, bindings: Bindings, options: CompileOptions): Compiled {
  const { program, declared } = cell;
  const lowered = lowerCell(cell, options.typescript);
  const positions = new OriginalPositions(lowered.code, lowered.mappings, cell.shiftedLines);
  const { output, epochLoops, imports, uses } = transform({
    lowered,
    positions,
    typescript: program,
    declared,
    renames: renamed(bindings, declared),
    isExisting: (name) => bindings.names.get(name)?.typeOnly === false,
    script: options.script,
    flush: options.flush,
  });

  const url = `${CELL_URL_SCHEME}${options.script}`;
  const map = encodeMap(output, positions, url);
  const code = `${output.toString().trimEnd()}\n//# sourceURL=${url}`;
  return { ...cell, url, code, map, epochLoops, imports, uses, importedNames: importedNames(program) };
}
