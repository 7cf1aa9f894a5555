// Finds what a parsed cell declares at its top level, and keeps the declarations of earlier cells. Changes no code.
import type { Node, Program, Statement, VariableDeclaration } from "oxc-parser";
import { GLOBAL_NAMES } from "./transform/globals.ts";
import { OWN_PREFIX } from "./names.ts";
import { CellSyntaxError } from "../../lib/typescript/syntax_error.ts";
import { isFunction, namesOf, walk } from "../../lib/typescript/walk.ts";

export type DeclarationKind =
  | "const"
  | "let"
  | "var"
  | "using"
  | "function"
  | "class"
  | "enum"
  | "namespace"
  | "import"
  | "type"
  | "interface";

export interface Declared {
  readonly name: string;
  readonly kind: DeclarationKind;
  /** The JavaScript name in the session: differs where a global of that name must stay visible to libraries. */
  readonly runtimeName: string;
  /** `interface`, `type`, `import type` and `declare` exist for the checker only. */
  readonly typeOnly: boolean;
}

/** Holds a value that only running its cell again would make again. */
export function isVariable({ kind, typeOnly }: Declared): boolean {
  return !typeOnly && ["const", "let", "var", "using"].includes(kind);
}

/** The declarations of earlier cells, by name. Plain data; `commit` makes the next one. */
export interface Bindings {
  readonly names: ReadonlyMap<string, Declared>;
}

export const NO_BINDINGS: Bindings = { names: new Map() };

/**
 * Bindings after a cell ran. A cell that failed passes only the names that it had initialised.
 *
 * @param initialised runtime names that hold a value; types are always committed
 */
export function commit(
  bindings: Bindings,
  declared: readonly Declared[],
  initialised: ReadonlySet<string>,
): Bindings {
  const names = new Map(bindings.names);
  for (const entry of declared) {
    if (entry.typeOnly || initialised.has(entry.runtimeName)) names.set(entry.name, entry);
  }
  return { names };
}

/** Names whose free references mean another name in the session. */
export function renamed(bindings: Bindings, declared: readonly Declared[]): Map<string, string> {
  const renames = new Map<string, string>();
  for (const entries of [bindings.names.values(), declared]) {
    for (const { name, runtimeName } of entries) {
      if (name === runtimeName) renames.delete(name);
      else renames.set(name, runtimeName);
    }
  }
  return renames;
}

/** One entry a name: where a value and a type share it (`const Shape`, `type Shape`), the value. */
export function declaredBy(program: Program): Declared[] {
  const declared = new Map<string, Declared>();
  const add = (id: Node, name: string, kind: DeclarationKind, typeOnly: boolean) => {
    const earlier = declared.get(name);
    if (earlier && !earlier.typeOnly && !typeOnly && !mayRepeat(earlier.kind, kind)) {
      throw new CellSyntaxError(`Identifier \`${name}\` has already been declared`, id.start, id.end);
    }
    // `class Model` stays what it is when `namespace Model` adds to it.
    if (earlier && (typeOnly || (!earlier.typeOnly && kind === "namespace"))) return;
    const runtimeName = !typeOnly && GLOBAL_NAMES.has(name) ? `${OWN_PREFIX}${name}` : name;
    declared.set(name, { name, kind, runtimeName, typeOnly });
  };
  for (const statement of program.body) declaredByStatement(statement, add);
  return [...declared.values()];
}

/** Whether one cell may declare a name as both. The checker says more; this keeps V8 from refusing the whole cell. */
function mayRepeat(earlier: DeclarationKind, later: DeclarationKind): boolean {
  if (later === "namespace") return earlier !== "import";
  return earlier === later && (later === "var" || later === "enum");
}

type Add = (id: Node, name: string, kind: DeclarationKind, typeOnly: boolean) => void;

function declaredByStatement(statement: Statement, add: Add): void {
  switch (statement.type) {
    case "ImportDeclaration":
      for (const specifier of statement.specifiers) {
        const typeSpecifier = specifier.type === "ImportSpecifier" && specifier.importKind === "type";
        add(
          specifier.local,
          specifier.local.name,
          "import",
          statement.importKind === "type" || typeSpecifier,
        );
      }
      return;
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
      if (statement.declaration) declaredByDeclaration(statement.declaration, add);
      return;
    default:
      declaredByDeclaration(statement, add);
  }
}

function declaredByDeclaration(node: Node, add: Add): void {
  switch (node.type) {
    case "VariableDeclaration":
      addVariables(node, add);
      return;
    case "FunctionDeclaration":
    case "TSDeclareFunction":
      // An overload has no body; its implementation follows. Under `declare` nothing does.
      if (node.id && (node.body || node.declare)) add(node.id, node.id.name, "function", !node.body);
      return;
    case "ClassDeclaration":
      if (node.id) add(node.id, node.id.name, "class", node.declare === true);
      return;
    case "TSEnumDeclaration":
      add(node.id, node.id.name, "enum", node.declare);
      return;
    case "TSModuleDeclaration":
      addNamespace(node, add);
      return;
    case "TSImportEqualsDeclaration":
      add(node.id, node.id.name, "import", node.importKind === "type");
      return;
    case "TSTypeAliasDeclaration":
      add(node.id, node.id.name, "type", true);
      return;
    case "TSInterfaceDeclaration":
      add(node.id, node.id.name, "interface", true);
      return;
    default:
      // A `var` inside of blocks and loops belongs to the cell; one in a function, a class or a namespace does not.
      walk(node, (inner) => {
        if (inner.type === "VariableDeclaration" && inner.kind === "var") addVariables(inner, add);
        return !(isFunction(inner) || inner.type === "StaticBlock" || inner.type === "TSModuleBlock");
      });
  }
}

function addVariables(node: VariableDeclaration, add: Add): void {
  const kind = node.kind === "await using" ? "using" : node.kind;
  for (const { id } of node.declarations) {
    for (const name of namesOf(id)) add(id, name, kind, node.declare === true);
  }
}

function addNamespace(node: Extract<Node, { type: "TSModuleDeclaration" }>, add: Add): void {
  let id: Node = node.id;
  while (id.type === "TSQualifiedName") id = id.left;
  // `declare global` and `declare module "x"` name nothing.
  if (node.kind === "global" || id.type !== "Identifier") return;
  add(id, id.name, "namespace", node.declare || !holdsValues(node));
}

/** A namespace of types alone leaves nothing to run. */
function holdsValues(namespace: Node): boolean {
  let found = false;
  walk(namespace, (node) => {
    if (node.type === "TSInterfaceDeclaration" || node.type === "TSTypeAliasDeclaration") return false;
    if (node.type.endsWith("Statement") || node.type.endsWith("Declaration")) {
      const wraps = node.type === "TSModuleDeclaration" || node.type === "ExportNamedDeclaration";
      if (!wraps) found = true;
    }
    return !found;
  });
  return found;
}
