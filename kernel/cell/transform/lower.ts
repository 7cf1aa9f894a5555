// Compiles TypeScript into JavaScript that Node 20 runs: removes types, and compiles TypeScript's own constructs,
// `using` and decorators. `declarations.ts` relies on the form of the transformer's output.
//
//     const enum E { A }        var E = function(E) { ... }(E || {});
//     <b>hi</b>                 __mpslab_jsx("b", null, "hi")
//     using q = open(); q.x  -> import _usingCtx2 from "@oxc-project/runtime/helpers/usingCtx";
//                               try { var _usingCtx = _usingCtx2(); var q = _usingCtx.u(open()); q.x; } catch ...
import { transformSync } from "../../../lib/typescript/oxc.ts";
import { type Lowered, lowerDecorators, mayDecorate, refuseDecorators } from "./decorators.ts";
import { TYPESCRIPT_DEFAULTS, type TypeScriptOptions } from "../names.ts";
import { refuseDeepNesting } from "../../../lib/typescript/parse.ts";
import { syntaxError } from "../refuse_problem.ts";
import { lowerNamespaces, mergesNamespaces } from "./namespaces.ts";
import { sourceOffset, throughMap } from "./source_map.ts";
import { CellSyntaxError } from "../../../lib/typescript/syntax_error.ts";
import type { CellProgram } from "../read_cell.ts";

/**
 * @returns mappings that lead to `CellProgram.source`
 * @throws CellSyntaxError for what only scopes show: a name declared twice, `break` outside a loop, ...
 */
export function lowerCell(
  { source, text, isJsx }: Pick<CellProgram, "source" | "text" | "isJsx">,
  options?: TypeScriptOptions,
): Lowered {
  try {
    // The names of a cell are for later cells too, so an import unused here is no type.
    // The name decides whether `<T>x` is a cast.
    const file = isJsx ? "cell.tsx" : "cell.ts";
    return lowerTypeScript(source, file, { ...options, verbatimModuleSyntax: true });
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
    const { message, start, end } = error;
    throw new CellSyntaxError(message, sameLine(source, text, start), sameLine(source, text, end));
  }
}

/**
 * @param file its extension decides whether the text is JSX
 * @throws CellSyntaxError
 */
export function lowerTypeScript(
  text: string,
  file: string,
  options: Partial<TypeScriptOptions> = {},
): Lowered {
  const typescript = { ...TYPESCRIPT_DEFAULTS, ...options };
  refuseDeepNesting(text);
  if (mergesNamespaces(text)) return lowerWithNamespaces(text, file, options);
  const { code, map, errors } = transformSync(file, text, {
    // The transformer rejects top-level `using` and `await` in a script.
    sourceType: "module",
    target: "es2023",
    sourcemap: true,
    decorator: {
      legacy: typescript.experimentalDecorators,
      emitDecoratorMetadata: typescript.emitDecoratorMetadata,
    },
    jsx: typescript.jsx,
    assumptions: { setPublicClassFields: !typescript.useDefineForClassFields },
    typescript: {
      onlyRemoveTypeImports: typescript.verbatimModuleSyntax,
      removeClassFieldsWithoutInitializer: !typescript.useDefineForClassFields,
    },
  });
  const [first] = errors;
  if (first?.message.startsWith(CHANGING_NAMESPACE)) return lowerWithNamespaces(text, file, options);
  if (first !== undefined) throw syntaxError(first, text);
  const lowered = { code, mappings: map?.mappings ?? "" };
  if (!mayDecorate(code)) return lowered;
  if (!typescript.experimentalDecorators) return lowerDecorators(lowered, text);
  refuseDecorators(lowered, text);
  return lowered;
}

/** The beginning of the transformer's message for `namespace N { export let a = 1 }`. */
const CHANGING_NAMESPACE = "Namespaces exporting non-const";

function lowerWithNamespaces(text: string, file: string, options: Partial<TypeScriptOptions>): Lowered {
  const namespaces = lowerNamespaces(text);
  try {
    return throughMap(lowerTypeScript(namespaces.code, file, options), namespaces.mappings);
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
    const { message, start, end } = error;
    const offset = (at: number): number => sourceOffset(namespaces, at, text);
    throw new CellSyntaxError(message, offset(start), offset(end));
  }
}

/** The offset in `to` of an offset in `from`, where the texts differ in the length of some lines (magics). */
function sameLine(from: string, to: string, offset: number): number {
  if (from === to) return offset;
  const before = from.slice(0, offset).split("\n");
  const lines = to.split("\n");
  const column = Math.min((before.at(-1) as string).length, (lines[before.length - 1] as string).length);
  return lines.slice(0, before.length - 1).reduce((sum, line) => sum + line.length + 1, column);
}
