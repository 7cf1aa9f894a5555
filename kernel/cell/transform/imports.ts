// Compiles static imports, which REPL mode does not have. The session loads the modules before the cell, and the cell
// reads their exports.
//
//     import D, { a as b } from "x"   ->   let { default: D = __mpslab_imported("x"), a: b } = __mpslab_imported("x");
//
// The names are variables, so that later cells can import or declare them anew: they hold what the module exported when
// the cell ran, and do not follow what it exports later. A name that the module does not export as a value is
// `undefined`: it may be a type, which only the checker can see.
import type { ImportDeclaration, ModuleExportName, Program } from "oxc-parser";
import { HELPER_PREFIX, HELPERS, RUNTIME, type StaticImport } from "../names.ts";
import { walk } from "../../../lib/typescript/walk.ts";
import { lateImports } from "./late_imports.ts";

export interface LoweredImport {
  readonly node: ImportDeclaration;
  /** The code that replaces the import. Empty for an import of the transformer's own or of types only. */
  readonly code: string;
  /** The module to load before the cell runs. Null for an import of which nothing is left. */
  readonly load: StaticImport | null;
  /** It stays where it stands, and loads its module there. */
  readonly isLate: boolean;
}

/**
 * @param typescript the cell as it was written, which shows the names that are used as types
 * @param javascript the same cell without types
 */
export function lowerImports(
  typescript: Program,
  javascript: Program,
  renames: ReadonlyMap<string, string>,
): LoweredImport[] {
  const written = importsOf(typescript).filter(({ importKind }) => importKind !== "type");
  const left = importsOf(javascript);
  if (left.length === 0) return [];
  const usedAtAll = namesUsed(typescript);
  const usedAsValue = namesUsed(javascript);
  const added = new Set(importsAdded(typescript, left));
  const late = lateImports(javascript);
  return left.map((node) => {
    if (isHelper(node)) return { node, code: "", load: null, isLate: false };
    const isLate = late.has(node);
    if (added.has(node))
      return {
        node,
        code: importCode(node, renames, moduleCode(node, false, false)),
        load: staticImport(node),
        isLate: false,
      };
    // The transformer drops `import type`, and keeps every other import in its order.
    const original = written.shift();
    if (
      original !== undefined &&
      original.specifiers.length > node.specifiers.length &&
      node.specifiers.length === 0
    ) {
      return { node, code: "", load: null, isLate: false };
    }
    const locals = localNames(node);
    const typesOnly =
      locals.length > 0 && locals.every((name) => usedAtAll.has(name) && !usedAsValue.has(name));
    const code = importCode(node, renames, moduleCode(node, typesOnly, isLate), !typesOnly);
    return { node, code, load: typesOnly || isLate ? null : staticImport(node), isLate };
  });
}

/** Local names of the helpers that the transformer imports, by those under which the session has them. */
export function helperNames(javascript: Program): Map<string, string> {
  const helpers = importsOf(javascript).filter(isHelper);
  return new Map(
    helpers.flatMap(({ source, specifiers }) =>
      specifiers.map(({ local }) => [local.name, HELPER_PREFIX + source.value.slice(HELPERS.length)]),
    ),
  );
}

/** Names that the transformer imports for JSX, as `_jsx` from "react/jsx-runtime". */
export function jsxNames(typescript: Program, javascript: Program): string[] {
  return importsAdded(typescript, importsOf(javascript)).flatMap(localNames);
}

/** Imports of names that the cell does not import: the transformer's own. */
function importsAdded(typescript: Program, left: readonly ImportDeclaration[]): ImportDeclaration[] {
  const written = new Set(importsOf(typescript).flatMap(localNames));
  return left.filter((node) => {
    const names = localNames(node);
    return !isHelper(node) && names.length > 0 && names.every((name) => !written.has(name));
  });
}

function localNames({ specifiers }: ImportDeclaration): string[] {
  return specifiers.map(({ local }) => local.name);
}

function importsOf(program: Program): ImportDeclaration[] {
  return program.body.filter((statement) => statement.type === "ImportDeclaration");
}

function isHelper(node: ImportDeclaration): boolean {
  return node.source.value.startsWith(HELPERS);
}

function namesUsed(program: Program): Set<string> {
  const names = new Set<string>();
  walk(program, (node) => {
    if (node.type === "Identifier") names.add(node.name);
    return node.type !== "ImportDeclaration";
  });
  return names;
}

/** @param typesOnly the cell uses the names as types and nothing else, so that a module of types may be missing */
function moduleCode(node: ImportDeclaration, typesOnly: boolean, isLate: boolean): string {
  if (typesOnly) return `await ${RUNTIME.import}(${callArguments(node)}).catch(() => ({}))`;
  const imported = `${RUNTIME.imported}(${callArguments(node)})`;
  return isLate ? `(await ${RUNTIME.loadLate}(${callArguments(node)}), ${imported})` : imported;
}

function staticImport({ source, attributes }: ImportDeclaration): StaticImport {
  const specifier = source.value;
  if (attributes.length === 0) return { specifier };
  const pairs = attributes.map(({ key, value }) => [
    key.type === "Identifier" ? key.name : key.value,
    value.value,
  ]);
  return { specifier, options: { with: Object.fromEntries(pairs) as Record<string, string> } };
}

/**
 * @param hasDefault whether a default import of a module without one is the module: TypeScript takes declarations that
 *   mention none for those of such a module
 */
function importCode(
  node: ImportDeclaration,
  renames: ReadonlyMap<string, string>,
  load: string,
  hasDefault = false,
): string {
  const local = (name: string) => renames.get(name) ?? name;
  const members: string[] = [];
  let namespace: string | null = null;
  for (const specifier of node.specifiers) {
    const name = local(specifier.local.name);
    if (specifier.type === "ImportNamespaceSpecifier") namespace = name;
    else {
      const exported = specifier.type === "ImportSpecifier" ? exportedName(specifier.imported) : "default";
      const isDefault = hasDefault && exported === "default";
      const otherwise = isDefault ? ` = ${RUNTIME.imported}(${callArguments(node)})` : "";
      members.push(exported === name ? name : `${exported}: ${name}${otherwise}`);
    }
  }
  const pattern = `{ ${members.join(", ")} }`;
  if (namespace !== null) {
    return members.length === 0
      ? `let ${namespace} = ${load};`
      : `let ${namespace} = ${load}, ${pattern} = ${namespace};`;
  }
  return members.length === 0 ? `void ${load};` : `let ${pattern} = ${load};`;
}

function callArguments({ source, attributes }: ImportDeclaration): string {
  const specifier = JSON.stringify(source.value);
  if (attributes.length === 0) return specifier;
  const pairs = attributes.map(({ key, value }) => {
    const name = key.type === "Identifier" ? key.name : JSON.stringify(key.value);
    return `${name}: ${JSON.stringify(value.value)}`;
  });
  return `${specifier}, { with: { ${pairs.join(", ")} } }`;
}

function exportedName(imported: ModuleExportName): string {
  return imported.type === "Literal" ? JSON.stringify(imported.value) : imported.name;
}
