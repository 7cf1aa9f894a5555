// Expressions for the debugger are TypeScript, as cells are: those of its client, and those behind `%debug`.
import { lowerTypeScript } from "./lower.ts";

/**
 * The JavaScript of an expression, or of statements: `x as number` -> `x`.
 *
 * @throws Error that says what does not parse
 */
export function lowerExpression(text: string): string {
  try {
    // `{ a: 1 }` is an object, and no block.
    return lowered(`(${text}\n)`);
  } catch {
    return lowered(text);
  }
}

function lowered(text: string): string {
  return lowerTypeScript(text, "expression.ts", { verbatimModuleSyntax: true }).code.trim().replace(/;$/, "");
}
