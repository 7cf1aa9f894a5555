// Compiles one cell from TypeScript to JavaScript for V8's REPL mode: magics, parse, analyze, lower, transform, in that
// order. Does no I/O and checks no types; `kernel/language/` checks them.
import { declaredBy, renamed, type Bindings, type Declared } from "./analyze.ts";
import { type ImportedName, importedNames } from "./imported_names.ts";
import { lowerCell } from "./transform/lower.ts";
import { type MagicLine, refuseContinuedCode } from "./magics/magics.ts";
import { CELL_URL_SCHEME, type StaticImport, type TypeScriptOptions } from "./names.ts";
import { parseCell } from "./parse_cell.ts";
import { type CellCode, readCell } from "./read_cell.ts";
import { refuseUnsupported } from "./refuse.ts";
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

export interface Compiled {
  /** V8's name of the script. */
  readonly url: string;
  /** JavaScript for `Runtime.evaluate` with `replMode: true`. */
  readonly code: string;
  /** Source map (version 3, JSON text) from `code` to the cell's text. */
  readonly map: string;
  /** The cell's text with magic lines blanked, and an object at its end in parentheses. What the type checker sees. */
  readonly typescript: string;
  /** Returns the offset in the cell's text for an offset in `typescript`. */
  original(offset: number): number;
  /** Top-level names that this cell declares, values and types. */
  readonly declared: readonly Declared[];
  readonly magics: readonly MagicLine[];
  /** How many epoch loops were found; the runtime loads the lab before it runs a cell that has one. */
  readonly epochLoops: number;
  /** The modules that the runtime loads before it evaluates the cell, in the order of the cell. */
  readonly imports: readonly StaticImport[];
  /** The names of other cells that it reads, and when. Walks the whole cell: call it once, while the cell runs. */
  readonly uses: () => CellUses;
  /** The names that the cell's imports give, types among them. */
  readonly importedNames: readonly ImportedName[];
}

/** @throws CellSyntaxError */
export function compile(text: string, bindings: Bindings, options: CompileOptions): Compiled {
  try {
    return compileCell(text, bindings, options);
  } catch (error) {
    // Our walks of the tree are recursive: a sum of ten thousand terms is ten thousand calls deep.
    if (!(error instanceof RangeError)) throw error;
    throw new CellSyntaxError("The cell holds an expression too long to compile: split it", 0, text.length);
  }
}

function compileCell(text: string, bindings: Bindings, options: CompileOptions): Compiled {
  const cell = readCell(text);
  try {
    return compileCode(cell, bindings, options);
  } catch (error) {
    if (!(error instanceof CellSyntaxError) || cell.object === null) throw error;
    const { message, start, end } = error;
    throw new CellSyntaxError(message, cell.object.original(start), cell.object.original(end));
  }
}

function compileCode(cell: CellCode, bindings: Bindings, options: CompileOptions): Compiled {
  const { magics, typescript, object } = cell;
  const program = parseCell(typescript);
  refuseContinuedCode(cell, program);
  refuseUnsupported(program, typescript);
  const declared = declaredBy(program);

  const lowered = lowerCell(cell, options.typescript);
  const shifted = object === null ? magics : [...magics, { line: object.line, codeShift: object.shift }];
  const positions = new OriginalPositions(lowered.code, lowered.mappings, shifted);
  const { output, epochLoops, imports, uses } = transform({
    javascript: lowered.code,
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
  const names = importedNames(program);
  const original = object?.original ?? ((offset: number): number => offset);
  const places = { url, map, magics, original };
  return { ...places, code, typescript, declared, epochLoops, imports, uses, importedNames: names };
}
