// Types out, TypeScript's own constructs and `using` into JavaScript that Node 20 has. Knows the transformer's habits,
// which `declarations.ts` builds on; nothing of REPL mode.
//
//     const enum E { A }        var E = function(E) { ... }(E || {});
//     using q = open(); q.x  -> import _usingCtx2 from "@oxc-project/runtime/helpers/usingCtx";
//                               try { var _usingCtx = _usingCtx2(); var q = _usingCtx.u(open()); q.x; } catch ...
import { transformSync } from "oxc-transform";
import { syntaxError } from "./parse.ts";
import { CellSyntaxError } from "./syntax_error.ts";
import type { CellWithoutMagics } from "./magics.ts";

export interface Lowered {
  readonly code: string;
  /** VLQ mappings from `code` to `CellWithoutMagics.source`. */
  readonly mappings: string;
}

/** @throws CellSyntaxError for what only scopes show: a name declared twice, `break` outside a loop, ... */
export function lowerTypes({ source, typescript }: CellWithoutMagics): Lowered {
  const { code, map, errors } = transformSync("cell.ts", source, {
    lang: "ts",
    // Of a script the transformer refuses top-level `using` and `await`.
    sourceType: "module",
    target: "es2023",
    sourcemap: true,
    // The names of a cell are for later cells too, so an import unused here is no type.
    typescript: { onlyRemoveTypeImports: true },
  });
  const [first] = errors;
  if (first !== undefined) {
    const { message, start, end } = syntaxError(first, source);
    throw new CellSyntaxError(
      message,
      sameLine(source, typescript, start),
      sameLine(source, typescript, end),
    );
  }
  return { code, mappings: map?.mappings ?? "" };
}

/** The offset in `to` of an offset in `from`, where the texts differ in the length of some lines (magics). */
function sameLine(from: string, to: string, offset: number): number {
  if (from === to) return offset;
  const before = from.slice(0, offset).split("\n");
  const lines = to.split("\n");
  const column = Math.min((before.at(-1) as string).length, (lines[before.length - 1] as string).length);
  return lines.slice(0, before.length - 1).reduce((sum, line) => sum + line.length + 1, column);
}
