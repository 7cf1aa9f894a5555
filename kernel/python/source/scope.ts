// Finds where the variables of a function, or of the cell, are declared. Python's are the function's; TypeScript's are
// the block's. A variable that is used outside of the block that first assigns it is declared above that block.
import { type Transformed, variableText } from "../code.ts";
import type { Kind } from "../kinds.ts";
import { namesOf, type Node, visit } from "./syntax.ts";

export interface Variable {
  kind: Kind;
  /** What it is a transform of, where it is assigned once. */
  transformed?: Transformed;
  /** Whether its declaration is written. */
  declared: boolean;
  readonly isParameter: boolean;
  /** How often it is assigned; a loop counts for many. */
  assignments: number;
  /** The statement above which it is declared, where it is not declared by its first assignment. */
  readonly above: Node | null;
  /** Used after the loop of which it is the target. */
  readonly outlives: boolean;
  /** Declared inside a block, so that no later cell sees it. */
  readonly isInBlock: boolean;
  /** Blocks that each have a variable of their own by this name, in which alone it is used. */
  readonly blocks: readonly Node[];
  /** Assigned by other statements than the loops of which it is the target. */
  readonly isReassigned: boolean;
  /** The statement of the function, or of the cell, that first assigns it; null for a parameter. */
  readonly assignedBy: Node | null;
}

export interface Scope {
  readonly variables: Map<string, Variable>;
  readonly parent: Scope | null;
  /** The cell's own. */
  readonly root: Scope;
  /** Under which its kinds are learned. */
  readonly key: string;
}

/** The bodies between the scope and a place, and at each the statement that holds the place. */
interface Place {
  readonly bodies: readonly Node[];
  readonly statements: readonly Node[];
}

interface Uses {
  readonly assigned: Place[];
  readonly all: { readonly place: Place; readonly isAssigned: boolean }[];
  /** How many of the assignments are a loop's. */
  targets: number;
  /** Whether an expression is the first to assign it: `(n := 3)` */
  isNamed: boolean;
  loops: boolean;
  /** Whether a function inside assigns it too. */
  isShared: boolean;
  /** Whether its value is read before the first assignment: an earlier cell has made it. */
  isRead: boolean;
}

/**
 * @param body the function's body, or the cell
 * @param parameters names that the function declares
 * @param known names of earlier cells, which keep their declarations there when a block of this one assigns them
 */
export function makeScope(
  body: Node,
  parent: Scope | null,
  key: string,
  parameters: readonly string[],
  known: ReadonlySet<string> = new Set(),
): Scope {
  const uses = new Map<string, Uses>();
  const outer = new Set<string>();
  collect(body, { bodies: [body], statements: [] }, uses, outer, false, definedAgain(body));
  const variables = new Map<string, Variable>();
  for (const name of parameters) variables.set(name, parameter());
  for (const [name, use] of uses) {
    if (variables.has(name) || outer.has(name) || use.assigned.length === 0) continue;
    const isInBlock = use.assigned[0]!.bodies.length > 1;
    if (parent === null && (use.isRead || (isInBlock && known.has(name)))) continue;
    variables.set(name, declaredBy(use));
  }
  const scope = { variables, parent, key } as { -readonly [Key in keyof Scope]: Scope[Key] };
  scope.root = parent?.root ?? scope;
  return scope;
}

export function parameter(kind: Kind = ""): Variable {
  return {
    kind,
    declared: true,
    isParameter: true,
    assignments: 1,
    above: null,
    outlives: false,
    isInBlock: false,
    blocks: [],
    isReassigned: false,
    assignedBy: null,
  };
}

export function variableOf(scope: Scope | null, name: string): { variable: Variable; scope: Scope } | null {
  for (let at = scope; at !== null; at = at.parent) {
    const variable = at.variables.get(name);
    if (variable !== undefined) return { variable, scope: at };
  }
  return null;
}

function declaredBy({ assigned, targets, isNamed, isShared, all, loops }: Uses): Variable {
  const first = assigned[0]!;
  const separate = ownBlocks(all);
  let depth = first.bodies.length;
  for (const { place } of separate === null ? all : []) {
    const { bodies } = place;
    let shared = 0;
    while (shared < depth && bodies[shared] === first.bodies[shared]) shared++;
    depth = shared;
  }
  const isHoisted = depth < first.bodies.length;
  return {
    kind: "",
    declared: false,
    isParameter: false,
    assignments:
      (separate === null ? assigned.length : Math.ceil(assigned.length / separate.length)) +
      (loops ? 1 : 0) +
      (isShared ? 1 : 0),
    above: isHoisted || isNamed ? (first.statements[depth - 1] ?? null) : null,
    outlives: isHoisted,
    isInBlock: depth > 1,
    blocks: separate ?? [],
    isReassigned: isShared || assigned.length > targets,
    assignedBy: first.statements[0]!,
  };
}

/** The blocks in which a name is used, if it is used in none without being assigned there first; null otherwise. */
function ownBlocks(all: Uses["all"]): Node[] | null {
  const blocks: Node[] = [];
  for (const { place, isAssigned } of all) {
    if (blocks.some((block) => place.bodies.includes(block))) continue;
    // `x = f(x)` reads what another block has left.
    if (!isAssigned) return null;
    blocks.push(place.bodies.at(-1)!);
  }
  return blocks.some((block) => all[0]!.place.bodies[0] === block) ? null : blocks;
}

const LOOPS = new Set(["ForStatement", "WhileStatement"]);
const COMPREHENSION = /Comprehension/;

function collect(
  node: Node,
  place: Place,
  uses: Map<string, Uses>,
  outer: Set<string>,
  inLoop: boolean,
  again: ReadonlySet<string>,
): void {
  const note = (name: string, isAssigned: boolean, at: Place, isNow = true): void => {
    const use = uses.get(name) ?? {
      assigned: [],
      all: [],
      targets: 0,
      isNamed: false,
      loops: false,
      isShared: false,
      isRead: false,
    };
    uses.set(name, use);
    if (isAssigned) use.assigned.push(at);
    else if (use.assigned.length === 0 && isNow) use.isRead = true;
    if (isAssigned && inLoop && use.assigned.length > 1) use.loops = true;
    use.all.push({ place: at, isAssigned });
  };
  const inside = (child: Node, at: Place = place, looping = inLoop) =>
    collect(child, at, uses, outer, looping, again);
  const assign = (target: Node, at: Place): string[] => {
    const names = namesOf(target);
    for (const name of names) note(name, true, at);
    if (target.name === "MemberExpression") inside(target, at);
    else for (const child of target.children) if (child.name === "MemberExpression") inside(child, at);
    return names;
  };
  switch (node.name) {
    case "VariableName":
      note(node.text, false, place);
      return;
    case "Script":
    case "Body": {
      const isOwn = node === place.bodies.at(-1);
      const bodies = isOwn ? place.bodies : [...place.bodies, node];
      for (const child of node.children)
        inside(child, { bodies, statements: [...place.statements.slice(0, bodies.length - 1), child] });
      return;
    }
    case "ScopeStatement":
      for (const { name, text } of node.children) if (name === "VariableName") outer.add(text);
      return;
    case "FunctionDefinition":
    case "ClassDefinition":
    case "LambdaExpression":
      if (node.name === "FunctionDefinition" && again.has(definedName(node)))
        note(definedName(node), true, place);
      collectInner(node, (name) => note(name, false, place, false));
      for (const name of sharedNames(node)) {
        note(name, false, place, false);
        uses.get(name)!.isShared = true;
      }
      return;
    case "ImportStatement":
      return;
    case "AssignStatement": {
      const last = node.children.findLastIndex(({ name }) => name === "AssignOp");
      for (const child of node.children.slice(last + 1)) if (child.name !== "TypeDef") inside(child);
      if (last >= 0) for (const child of node.children.slice(0, last)) assign(child, place);
      return;
    }
    case "UpdateStatement": {
      for (const child of node.children.slice(1)) inside(child);
      const target = node.children[0]!;
      if (target.name === "VariableName") note(target.text, false, place);
      assign(target, place);
      return;
    }
    case "NamedExpression":
      inside(node.children.at(-1)!);
      for (const name of assign(node.children[0]!, place)) {
        const use = uses.get(name)!;
        use.isNamed ||= use.assigned.length === 1;
      }
      return;
    case "ForStatement": {
      const at = node.children.findIndex(({ name }) => name === "in");
      const body = node.children.find(({ name }) => name === "Body")!;
      for (const child of node.children.slice(at + 1))
        if (child !== body && child.name !== "Body") inside(child);
      const statements = [...place.statements];
      for (const child of node.children.slice(1, at))
        for (const name of assign(child, {
          bodies: [...place.bodies, body],
          statements: [...statements, child],
        }))
          uses.get(name)!.targets++;
      for (const child of node.children) if (child.name === "Body") inside(child, place, true);
      return;
    }
    case "WithStatement": {
      const as = new Set<Node>();
      node.children.forEach((child, at) => node.children[at - 1]?.name === "as" && as.add(child));
      for (const child of node.children) {
        if (as.has(child)) assign(child, place);
        else if (child.name === "Body" && isOneAssignment(node))
          for (const one of child.children) inside(one);
        else {
          inside(child);
          // What it sets is the function's all the same. Later cells read all that a block of the cell sets.
          if (
            child.name === "Body" &&
            !/^with\s+(?:io\.)?open\(/.test(node.text) &&
            (isOfCell(place) || assignsOneName(child))
          )
            for (const name of child.children.flatMap(assignedNames)) note(name, false, place);
        }
      }
      return;
    }
    case "IfStatement": {
      for (const child of node.children) inside(child);
      const branches = node.children.filter((child) => child.name === "Body");
      const [first = [], ...others] = branches.map(({ children }) => children.flatMap(assignedNames));
      // What every branch sets is there afterwards.
      if (isOfCell(place) && node.children.some((child) => child.name === "else"))
        for (const name of first.filter((one) => others.every((names) => names.includes(one))))
          note(name, false, place);
      return;
    }
    case "TryStatement": {
      node.children.forEach((child, at) => {
        if (node.children[at - 1]?.name !== "as") inside(child);
      });
      return;
    }
    default:
      if (COMPREHENSION.test(node.name) || node.children.some(({ name }) => name === "for"))
        return collectInner(node, (name) => note(name, false, place));
      if (node.name === "CallExpression" || node.name === "ArgList") return collectArguments(node, inside);
      for (const child of node.children) inside(child, place, inLoop || LOOPS.has(node.name));
  }
}

export const definedName = ({ children }: Node): string =>
  children.find(({ name }) => name === "VariableName")!.text;

/** Functions of a body under names that another function, or a value, has there too: they are variables here. */
function definedAgain(body: Node): Set<string> {
  const defined = new Map<string, number>();
  const assigned = new Set<string>();
  visit(body, (node) => {
    if (node.name === "ClassDefinition" || node.name === "LambdaExpression") return false;
    const end =
      node.name === "AssignStatement" ? node.children.findLastIndex((one) => one.name === "AssignOp") : 0;
    for (const name of node.children.slice(0, Math.max(end, 0)).flatMap(namesOf)) assigned.add(name);
    if (node.name !== "FunctionDefinition") return true;
    const name = definedName(node);
    if (node.children[0]!.name !== "async") defined.set(name, (defined.get(name) ?? 0) + 1);
    return false;
  });
  return new Set(
    [...defined].filter(([name, count]) => count > 1 || assigned.has(name)).map(([name]) => name),
  );
}

/** Names that inner functions assign: `nonlocal n` */
function sharedNames(node: Node): string[] {
  const found: string[] = [];
  visit(node, ({ name, children }) => {
    if (name === "ScopeStatement")
      for (const child of children) if (child.name === "VariableName") found.push(child.text);
  });
  return found;
}

/** Managers whose block stays one: between what they set and what puts it back, or because they give something else. */
const BLOCKS = /^with\s+(?:\w+\.)*(?:open|set_grad_enabled|device|profile)\(/;

/** Whether a with-statement becomes one assignment, of the result of a function: `const y = torch.noGrad(() => x);` */
function isOneAssignment(node: Node): boolean {
  const managers = node.children.slice(1, -1);
  const isOne = !managers.some(({ name }) => name === "," || name === "TupleExpression");
  return isOne && assignsOneName(node.children.at(-1)!) && !BLOCKS.test(node.text);
}

const isOfCell = ({ bodies }: Place): boolean => bodies.length === 1 && bodies[0]!.name === "Script";

/** The names that a statement assigns: `a, b = 1, 2` */
function assignedNames({ name, children }: Node): string[] {
  if (name !== "AssignStatement") return [];
  const last = children.findLastIndex((child) => child.name === "AssignOp");
  return children.slice(0, Math.max(last, 0)).flatMap(namesOf);
}

/** Whether a body is one assignment to one name. */
export function assignsOneName({ children }: Node): boolean {
  const statements = children.filter(({ name }) => name !== ":");
  const [only] = statements;
  return (
    statements.length === 1 &&
    only!.name === "AssignStatement" &&
    only!.children.length === 3 &&
    only!.children[0]!.name === "VariableName"
  );
}

/** Names of keywords, as `dim` in `x.sum(dim=1)`, are no variables. */
function collectArguments(node: Node, inside: (child: Node) => void): void {
  node.children.forEach((child, at) => {
    if (node.name === "ArgList" && node.children[at + 1]?.name === "AssignOp") return;
    inside(child);
  });
}

/** Names that a function, a class or a comprehension reads of the scope around it. */
function collectInner(node: Node, read: (name: string) => void): void {
  const used = new Set<string>();
  const own = new Set<string>();
  visit(node, (one) => {
    if (one.name === "ScopeStatement") return false;
    if (one.name === "VariableName") used.add(one.text);
    for (const name of boundBy(one)) own.add(name);
    return true;
  });
  for (const name of used) if (!own.has(name)) read(name);
}

function boundBy(node: Node): string[] {
  if (node.name === "ParamList") return node.children.flatMap(namesOf);
  const end = node.name === "AssignStatement" ? "AssignOp" : "in";
  return node.children.flatMap((child, at) => {
    const isTarget = node.name === "AssignStatement" ? at === 0 : node.children[at - 1]?.name === "for";
    if (!isTarget) return [];
    const last = node.children.findIndex(({ name }, to) => to >= at && name === end);
    return node.children.slice(at, last < 0 ? at : last).flatMap(namesOf);
  });
}

/** The declaration above a block: `let loss!: Tensor;` */
export function declarationText(name: string, type: string): string {
  return `let ${variableText(name)}${type === "any" ? "" : "!"}: ${type};`;
}
