// Turns plain JavaScript into JavaScript for V8's REPL mode. Applies the edits of checks, declarations, imports and
// renamed globals to one text.
import { MagicString } from "magic-string";
import type { Node, Program, Statement } from "oxc-parser";
import type { Declared } from "../analyze.ts";
import { insertChecks } from "./checks.ts";
import { rewriteTopLevel } from "./declarations.ts";
import type { Lowered } from "./decorators.ts";
import { findEpochLoops } from "./epochs.ts";
import { helperNames, jsxNames, lowerImports } from "./imports.ts";
import { RESERVED_PREFIX, RUNTIME, type StaticImport } from "../names.ts";
import { parseJavaScript } from "../../../lib/typescript/parse.ts";
import { freeReferences } from "../../../lib/typescript/references.ts";
import type { OriginalPositions } from "./source_map.ts";
import { type CellUses, usesOf } from "../uses.ts";
import { isFunction, namesOf, walk } from "../../../lib/typescript/walk.ts";

export interface TransformInput {
  /** The result of `lowerCell` for the cell. */
  readonly lowered: Lowered;
  readonly positions: OriginalPositions;
  readonly typescript: Program;
  readonly declared: readonly Declared[];
  /** Names of globals, by what this session calls a cell's variable of that name. */
  readonly renames: ReadonlyMap<string, string>;
  /** Whether an earlier cell left a value of that name behind. */
  readonly isExisting: (name: string) => boolean;
  /** Tells the cell from others that run meanwhile. */
  readonly script: string;
  readonly flush: boolean;
}

export interface Transformed {
  readonly output: MagicString;
  readonly epochLoops: number;
  readonly imports: readonly StaticImport[];
  /** The names that it reads, found when they are first asked for. */
  readonly uses: () => CellUses;
}

export function transform({ lowered, positions, ...cell }: TransformInput): Transformed {
  const { code: javascript } = lowered;
  const { program, comments } = lowered.parsed ?? parseJavaScript(javascript);
  const output = new MagicString(javascript);

  const renames = new Map(cell.renames);
  const declaredNames = new Set(cell.declared.map(({ name }) => name));
  const ownNames = new Set(declaredNames);
  for (const name of [...varNames(program), ...jsxNames(cell.typescript, program)]) {
    ownNames.add(name);
    // A variable that the transformer made up, as `_usingCtx` or `_jsx`: not to stay behind under a name that a user may choose,
    // and not shared with a cell that runs meanwhile in a subshell.
    if (!declaredNames.has(name))
      renames.set(name, `${RESERVED_PREFIX}${cell.script.replaceAll(".", "_")}${name}`);
  }
  if (!renames.has("Deno") && !declaredNames.has("Deno") && /\bDeno\s*\./.test(javascript))
    renames.set("Deno", RUNTIME.deno);
  for (const [local, helper] of helperNames(program)) {
    ownNames.add(local);
    renames.set(local, helper);
  }
  if (renames.size > 0) renameReferences(program, renames, output);

  const found = findEpochLoops(program, comments, javascript);
  const epochLoops = found.map((loop) => ({
    ...loop,
    line: positions.lineOf(loop.loop.start),
    flush: cell.flush,
  }));
  insertChecks(program, epochLoops, output);

  const usesUsing = cell.declared.some(({ kind }) => kind === "using");
  const steps = usesUsing ? usingBlock(program) : null;
  const imports = lowerImports(cell.typescript, program, renames);
  const early = rewriteTopLevel(program, {
    output,
    renames,
    imports,
    isExisting: cell.isExisting,
    usingBlock: steps,
  });

  if (program.hashbang) output.remove(program.hashbang.start, program.hashbang.end);
  output.prepend(early.length > 0 ? `"use strict"; let ${early.join(", ")};\n` : '"use strict";\n');
  if (!endsWithExpression(cell.typescript)) {
    if (steps) output.appendLeft(steps.end - 1, "void 0;\n");
    else output.append("void 0;");
  }
  return {
    output,
    epochLoops: epochLoops.length,
    imports: imports.flatMap(({ load }) => load ?? []),
    uses: () => usesOf(program, javascript, ownNames),
  };
}

function renameReferences(program: Program, renames: ReadonlyMap<string, string>, output: MagicString): void {
  for (const { name, start, end, shorthand } of freeReferences(program, new Set(renames.keys()))) {
    // Whether there is a Deno is asked to learn where the code runs.
    if (renames.get(name) === RUNTIME.deno && /\btypeof\s*$/.test(output.original.slice(0, start))) continue;
    const runtimeName = renames.get(name) ?? name;
    output.update(start, end, shorthand ? `${name}: ${runtimeName}` : runtimeName);
  }
}

/** Variables that `var` gives to the whole cell. */
function varNames(program: Program): Set<string> {
  const names = new Set<string>();
  walk(program, (node) => {
    if (node.type === "VariableDeclaration" && node.kind === "var") {
      for (const { id } of node.declarations) for (const name of namesOf(id)) names.add(name);
    }
    return !isFunction(node) && node.type !== "StaticBlock";
  });
  return names;
}

/** The transformer puts the steps of a cell with a top-level `using` into one `try`, the last statement. */
function usingBlock(program: Program): Node | null {
  const last = program.body.findLast(({ type }) => type === "TryStatement");
  return last?.type === "TryStatement" ? last.block : null;
}

/**
 * A cell shows its last step if that is an expression, as IPython does. V8 would also show what a loop or a branch
 * ended with, or, after a declaration, an expression before it (`5; let x = 1` is 5). Functions, types and imports are
 * no steps.
 */
function endsWithExpression(typescript: Program): boolean {
  const last = typescript.body.findLast(isStep);
  return last?.type === "ExpressionStatement" || (last !== undefined && isDefaultExpression(last));
}

/** `export default 5`, and no class or function, which have a name or need none. */
function isDefaultExpression(statement: Statement): boolean {
  return (
    statement.type === "ExportDefaultDeclaration" &&
    !/Declaration$|Function$/.test(statement.declaration.type)
  );
}

function isStep(statement: Statement): boolean {
  const hoisted = statement.type === "FunctionDeclaration" || statement.type === "ImportDeclaration";
  const type = statement.type === "TSInterfaceDeclaration" || statement.type === "TSTypeAliasDeclaration";
  const declared = "declare" in statement && statement.declare === true;
  const list = statement.type === "ExportNamedDeclaration" && statement.declaration === null;
  if (statement.type === "ExportNamedDeclaration" && statement.declaration)
    return isStep(statement.declaration);
  if (statement.type === "ExportDefaultDeclaration")
    return !/^(?:Function|TSInterface)Declaration$|^TSDeclareFunction$/.test(statement.declaration.type);
  return !hoisted && !type && !declared && !list && statement.type !== "EmptyStatement";
}
