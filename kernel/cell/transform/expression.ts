// Expressions for the debugger are TypeScript, as cells are: those of its client, and those behind `%debug`. They hold the
// checks of a cell: Stop ends the condition of a breakpoint by nothing else, because V8 ends no code that it runs there.
import { MagicString } from "magic-string";
import { parseJavaScript } from "../../../lib/typescript/parse.ts";
import { insertChecks } from "./checks.ts";
import { lowerTypeScript } from "./lower.ts";

/**
 * The JavaScript of an expression, or of statements: `x as number` -> `x`.
 *
 * @throws Error that says what does not parse
 */
export function lowerExpression(text: string): string {
  try {
    // `{ a: 1 }` is an object, and no block.
    return alone(text);
  } catch {
    return lowered(text);
  }
}

/**
 * A function that answers with the value of an expression, or of the last statement, in the scope where it stands.
 *
 * @throws Error that says what does not parse
 */
export function lowerWork(text: string): string {
  try {
    return `() => (${alone(text)})`;
  } catch {
    return `() => eval(${JSON.stringify(lowered(text))})`;
  }
}

/** An expression without the semicolon that ends it. */
function alone(text: string): string {
  return lowered(`(${text}\n)`).replace(/;$/, "");
}

function lowered(text: string): string {
  const { code } = lowerTypeScript(text, "expression.ts", { verbatimModuleSyntax: true });
  const output = new MagicString(code);
  insertChecks(parseJavaScript(code).program, [], output);
  return output.toString().trim();
}
