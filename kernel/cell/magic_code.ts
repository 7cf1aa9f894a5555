// TypeScript that stands behind a magic, as what is compiled in its place: a statement with an end mark, or a function.
import type { Program } from "oxc-parser";
import type { Magic } from "../magics/magic.ts";
import { RUNTIME } from "./names.ts";
import { parseTypeScript, syntaxError } from "./parse.ts";
import { CellSyntaxError } from "./syntax_error.ts";
import { isFunction, walk } from "./walk.ts";

export interface MagicCode {
  readonly before: string;
  /** The user's text, without a comment at its end. */
  readonly kept: string;
  readonly after: string;
}

/**
 *     f(x)           ->  __mpslab_magic_end(f(x));
 *     const y = f(x) ->  const y = f(x);__mpslab_magic_end();
 *
 * An expression keeps its value: it may be what the cell shows. What does not parse is left for the cell's parser.
 */
export function statementOf(code: string): MagicCode {
  const { program, problem } = parseTypeScript(code);
  const last = program.body.at(-1);
  if (problem !== null || last === undefined)
    return { before: "", kept: code, after: `;${RUNTIME.magicEnd}();` };
  if (last.type === "ExpressionStatement" && program.body.length === 1) {
    const { start, end } = last.expression;
    return {
      before: `${RUNTIME.magicEnd}(${code.slice(0, start)}`,
      kept: code.slice(start, end),
      after: ");",
    };
  }
  return { before: "", kept: code.slice(0, last.end), after: `;${RUNTIME.magicEnd}();` };
}

/**
 * The argument that follows in the call: `() => (f(x)));`
 *
 * @param codeStart where the code begins in the cell
 * @throws CellSyntaxError where it is no expression
 */
export function functionOf(magic: Magic, code: string, codeStart: number): MagicCode {
  const { program, isAsync } = codeOf(magic, code, codeStart);
  const [statement] = program.body;
  if (statement?.type !== "ExpressionStatement" || program.body.length !== 1) {
    const message = `%${magic.name} takes one expression: put statements below %%${magic.name}`;
    throw new CellSyntaxError(message, codeStart, codeStart + code.length);
  }
  const { start, end } = statement.expression;
  return { before: `${isAsync ? "async " : ""}() => (`, kept: code.slice(start, end), after: "));" };
}

/**
 * Code that becomes the body of a function: parsed by itself, so that its errors are its own.
 *
 * @throws CellSyntaxError
 */
export function codeOf(
  magic: Magic,
  code: string,
  codeStart: number,
): { readonly program: Program; readonly isAsync: boolean } {
  const { program, problem } = parseTypeScript(code);
  if (problem !== null) {
    const { message, start, end } = syntaxError(problem, code);
    throw new CellSyntaxError(message, codeStart + start, codeStart + end);
  }
  const moduleOnly = program.body.find(({ type }) => /^(Import|Export).*Declaration$/.test(type));
  if (moduleOnly !== undefined) {
    const message = `The code of %%${magic.name} is a function's: import in another cell, and export nothing`;
    throw new CellSyntaxError(message, codeStart + moduleOnly.start, codeStart + moduleOnly.end);
  }
  let isAsync = false;
  walk(program, (node) => {
    if (node.type === "AwaitExpression" || (node.type === "ForOfStatement" && node.await)) isAsync = true;
    return !isFunction(node);
  });
  return { program, isAsync };
}
