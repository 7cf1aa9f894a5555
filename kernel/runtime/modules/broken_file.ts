// Finds where a file does not parse. Node only prints that: the error that it throws for an ES module has neither the
// file nor the line.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ParseResult } from "oxc-parser";
import { parseSync } from "../../../lib/typescript/oxc.ts";
import { refuseDeepNesting } from "../../../lib/typescript/parse.ts";
import { isCode } from "./file_kinds.ts";

/** The most files that are searched to complete an error's message. */
const MAX_FILES = 300;

/** An error whose stack says where the text is broken; null for a text that parses. */
function syntaxErrorIn(file: string, text: string): SyntaxError | null {
  const [first] = parsed(file, text).errors;
  return first === undefined ? null : syntaxErrorAt(file, text, first.message, first.labels[0]?.start ?? 0);
}

export function syntaxErrorAt(file: string, text: string, message: string, offset: number): SyntaxError {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = before.length - before.lastIndexOf("\n");
  const error = new SyntaxError(message);
  error.stack = `SyntaxError: ${message}\n    at ${pathToFileURL(file).href}:${line}:${column}`;
  return error;
}

/** @throws CellSyntaxError if the text is nested too deeply for the parser */
function parsed(file: string, text: string): ParseResult {
  refuseDeepNesting(text);
  return parseSync(file, text);
}

/**
 * The syntax error in the first broken file that an import leads to; null if all files parse, or if there are too many.
 */
export function syntaxErrorBeneath(entry: string): SyntaxError | null {
  const waiting = [entry];
  const reached = new Set(waiting);
  while (waiting.length > 0 && reached.size <= MAX_FILES) {
    const file = waiting.shift() as string;
    const text = readFileSync(file, "utf8");
    const error = syntaxErrorIn(file, text);
    if (error !== null) return error;
    for (const next of importsOf(file, text)) {
      if (!reached.has(next)) waiting.push(next);
      reached.add(next);
    }
  }
  return null;
}

function importsOf(file: string, text: string): string[] {
  const require = createRequire(file);
  const found: string[] = [];
  for (const { moduleRequest } of parsed(file, text).module.staticImports) {
    try {
      const { value } = moduleRequest;
      const target = value.startsWith("file:") ? fileURLToPath(value) : require.resolve(value);
      if (isCode(target) && existsSync(target)) found.push(target);
    } catch {
      // The package is missing, or for ES modules only. A missing one is reported by another error.
    }
  }
  return found;
}
