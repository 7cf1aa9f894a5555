// Finds which names of other cells a cell reads, and when: its own statements read at once, its functions when they are
// called. Works on the cell's JavaScript, and changes no code.
//
//     const y = model(x);                    reads model, x
//     const step = () => model(x);           late reads of step: model, x
//     xs.map((value) => value * scale)       reads xs, scale: the callback is taken to run at once
//     rate = 0.1                             assigns rate
//     count += 1                             neither: it changes a value in place, as count.push() would
import type { Expression, Node, Program, VariableDeclarator } from "oxc-parser";
import { RESERVED_PREFIX } from "./names.ts";
import { freeReferences } from "../../lib/typescript/references.ts";
import { isFunction, walk } from "../../lib/typescript/walk.ts";

export interface CellUses {
  /** Names that the cell reads while it runs and does not declare. */
  readonly reads: ReadonlySet<string>;
  /** Names that the cell assigns, without reading them, and does not declare. */
  readonly assigns: ReadonlySet<string>;
  /** The names that a function, class or object of functions reads when it is called, by the name that declares it. */
  readonly late: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * The text of each declaration that gives the same value whenever it runs: an import, a function, a class, a plain
   * number or string. A cell that runs again with the same text has not redefined these.
   */
  readonly steady: ReadonlyMap<string, string>;
}

export const NO_USES: CellUses = {
  reads: new Set(),
  assigns: new Set(),
  late: new Map(),
  steady: new Map(),
};

const EVERY_NAME = { has: () => true };

/** @param own the names that the cell declares, those that the compiler made up included */
export function usesOf(program: Program, javascript: string, own: ReadonlySet<string>): CellUses {
  const reads = new Set<string>();
  const late = new Map<string, Set<string>>();
  const steady = new Map<string, string>();
  const writes = writesOf(program);
  const assigned = new Set<string>();
  const textOf = ({ start, end }: Node) => javascript.slice(start, end);

  const readNow = (node: Node): void => {
    for (const { name, start } of freeReferences(node, EVERY_NAME)) {
      if (writes.has(start)) assigned.add(name);
      else reads.add(name);
    }
  };
  const readLater = (name: string, node: Node): void => {
    const names = freeReferences(node, EVERY_NAME).filter(({ start }) => !writes.has(start));
    late.set(name, new Set(names.map((reference) => reference.name)));
    steady.set(name, textOf(node));
  };
  const declarator = (node: VariableDeclarator): void => {
    const { id, init } = node;
    if (id.type === "Identifier" && init && isLate(init)) return readLater(id.name, init);
    if (id.type === "Identifier" && init && isPlain(init)) steady.set(id.name, textOf(init));
    readNow(node);
  };
  for (const statement of program.body) {
    const node =
      statement.type === "ExportNamedDeclaration" && statement.declaration
        ? statement.declaration
        : statement;
    if (node.type === "ImportDeclaration") {
      for (const specifier of node.specifiers) {
        const imported = specifier.type === "ImportSpecifier" ? textOf(specifier.imported) : specifier.type;
        steady.set(specifier.local.name, `${imported} of ${node.source.value}`);
      }
    } else if (node.type === "VariableDeclaration") node.declarations.forEach(declarator);
    else if ((node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") && node.id) {
      readLater(node.id.name, node);
    } else readNow(node);
  }

  // The cell itself calls its own functions: what these read, it reads.
  for (const name of reads) for (const read of late.get(name) ?? []) reads.add(read);
  const isOther = (name: string) => !own.has(name) && !name.startsWith(RESERVED_PREFIX);
  const others = (names: Iterable<string>) => new Set([...names].filter(isOther));
  const assigns = [...assigned].filter((name) => !reads.has(name));
  return { reads: others(reads), assigns: others(assigns), late, steady };
}

/** Offsets of names that are assigned and not read: `x = 1`, `[x] = pair`, `for (x of xs)`. */
function writesOf(program: Program): Set<number> {
  const offsets = new Set<number>();
  walk(program, (node) => {
    if (node.type === "AssignmentExpression" && node.operator === "=") addTargets(node.left);
    if ((node.type === "ForOfStatement" || node.type === "ForInStatement") && node.left)
      addTargets(node.left);
  });
  return offsets;

  function addTargets(pattern: Node): void {
    switch (pattern.type) {
      case "Identifier":
        offsets.add(pattern.start);
        break;
      case "ArrayPattern":
        for (const element of pattern.elements) if (element) addTargets(element);
        break;
      case "ObjectPattern":
        for (const property of pattern.properties) {
          addTargets(property.type === "RestElement" ? property.argument : property.value);
        }
        break;
      case "AssignmentPattern":
        addTargets(pattern.left);
        break;
      case "RestElement":
        addTargets(pattern.argument);
        break;
      default:
        break;
    }
  }
}

/** Whether a value reads its names only when it is called: a function, a class, an object or array of such. */
function isLate(node: Expression): boolean {
  if (node.type === "ParenthesizedExpression") return isLate(node.expression);
  if (node.type === "ObjectExpression") {
    const values = node.properties.map((property) => (property.type === "Property" ? property.value : null));
    return values.length > 0 && values.every((value) => value !== null && isLate(value));
  }
  return isFunction(node) || node.type === "ClassExpression";
}

/** Whether a value is written out: numbers, strings, and objects and arrays that hold some. */
function isPlain(node: Expression): boolean {
  switch (node.type) {
    case "Literal":
      return true;
    case "ParenthesizedExpression":
      return isPlain(node.expression);
    case "UnaryExpression":
      return node.operator !== "delete" && isPlain(node.argument);
    case "BinaryExpression":
      return node.left.type !== "PrivateIdentifier" && isPlain(node.left) && isPlain(node.right);
    case "TemplateLiteral":
      return node.expressions.every(isPlain);
    case "ArrayExpression":
      return (
        node.elements.length > 0 &&
        node.elements.every(
          (element) => element !== null && element.type !== "SpreadElement" && isPlain(element),
        )
      );
    case "ObjectExpression":
      return (
        node.properties.length > 0 &&
        node.properties.every(
          (property) => property.type === "Property" && !property.computed && isPlain(property.value),
        )
      );
    default:
      return false;
  }
}
