// Compiles local files to JavaScript in the same way as cells, with the folder's tsconfig.
import { readFileSync } from "node:fs";
import { lowerTypeScript } from "../../cell/transform/lower.ts";
import { tellCutEpochs } from "../../cell/transform/module_epochs.ts";
import { TYPESCRIPT_DEFAULTS, type TypeScriptOptions } from "../../cell/names.ts";
import { CellSyntaxError } from "../../../lib/typescript/syntax_error.ts";
import { syntaxErrorAt } from "./broken_file.ts";
import { withCheckedImports } from "./package_imports.ts";

/** Options of this thread. The loader's hooks run in another one. */
let options: TypeScriptOptions = TYPESCRIPT_DEFAULTS;

export function setTypeScriptOptions(next: TypeScriptOptions): void {
  options = next;
}

export function typeScriptOptions(): TypeScriptOptions {
  return options;
}

export interface LocalSource {
  readonly text: string;
  readonly code: string;
  /** Source map (version 3, JSON text) from `code` to `text`. */
  readonly map: string;
}

/** @throws SyntaxError whose stack names the file and the line */
export function compileFile(file: string): LocalSource {
  const text = readFileSync(file, "utf8");
  try {
    const lowered = tellCutEpochs(lowerTypeScript(text, file, options));
    const { code, mappings } = withCheckedImports(lowered, file);
    return { text, code, map: JSON.stringify({ version: 3, names: [], sources: [file], mappings }) };
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
    throw syntaxErrorAt(file, text, error.message, error.start);
  }
}
