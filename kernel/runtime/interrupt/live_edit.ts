// Inserts an interrupt check into the text of a function that was compiled without one. V8 restarts the innermost
// function of a paused stack when its text changes, so the check runs next.
import type { Program } from "oxc-parser";
import { nestsTooDeeply } from "../../../lib/typescript/depth.ts";
import { parseSync } from "../../../lib/typescript/oxc.ts";
import { RUNTIME } from "../../cell/names.ts";
import { type FunctionNode, isFunction, walk } from "../../../lib/typescript/walk.ts";

/** 0-based, as V8 counts. */
export interface ScriptPosition {
  readonly lineNumber: number;
  readonly columnNumber?: number;
}

const CHECK = `globalThis.${RUNTIME.stop}[0] && globalThis.${RUNTIME.interrupted}()`;

/**
 * The script with a check at the head of the function around `position`; unchanged if the function has one already.
 * Null if V8 could not restart the function: at the top level, and in async functions and generators. Null also for a
 * text that is nested too deeply for the parser.
 */
export function withCheck(script: string, position: ScriptPosition): string | null {
  if (nestsTooDeeply(script)) return null;
  const around = functionAround(script, offsetOf(script, position));
  if (around === null || !around.body || around.async || around.generator) return null;
  const { body } = around;
  if (body.type !== "BlockStatement") {
    if (script.startsWith(`(${CHECK}, `, body.start)) return script;
    const expression = script.slice(body.start, body.end);
    return `${script.slice(0, body.start)}(${CHECK}, ${expression})${script.slice(body.end)}`;
  }
  // "use strict" must stay the first statement.
  const directives = body.body.filter(
    (statement) => "directive" in statement && statement.directive !== null,
  );
  const head = directives.at(-1)?.end ?? body.start + 1;
  if (script.startsWith(`;${CHECK};`, head)) return script;
  return `${script.slice(0, head)};${CHECK};${script.slice(head)}`;
}

/** Whether `position` is in a `try` of the innermost function around it, or of the script's top level. */
export function isInTry(script: string, position: ScriptPosition): boolean {
  if (nestsTooDeeply(script)) return false;
  const offset = offsetOf(script, position);
  let found = false;
  const program = parsed(script);
  if (program === null) return false;
  walk(program, (node) => {
    if (offset < node.start || offset >= node.end) return false;
    if (isFunction(node)) found = false;
    else if (node.type === "TryStatement") found ||= offset < node.block.end;
    return true;
  });
  return found;
}

function offsetOf(script: string, { lineNumber, columnNumber = 0 }: ScriptPosition): number {
  const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;
  for (let line = 0; line < lineNumber && lineEnd.exec(script) !== null; line++);
  return lineEnd.lastIndex + columnNumber;
}

/** The innermost function whose body holds the offset. */
function functionAround(script: string, offset: number): FunctionNode | null {
  const program = parsed(script);
  if (program === null) return null;
  let innermost: FunctionNode | null = null;
  walk(program, (node) => {
    if (offset < node.start || offset >= node.end) return false;
    if (isFunction(node) && node.body && node.body.start <= offset && offset < node.body.end)
      innermost = node;
    return true;
  });
  return innermost;
}

/** Parses the text as a module, a script or CommonJS. Null if it is none of them. */
function parsed(script: string): Program | null {
  for (const sourceType of ["module", "script", "commonjs"] as const) {
    const { program, errors } = parseSync("package.js", script, { sourceType });
    if (errors.length === 0) return program;
  }
  return null;
}
