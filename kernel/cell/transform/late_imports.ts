// Finds the imports that stand below a step which sets the environment. What they load may read it, as libtorch does, so they
// stay where they are instead of going to the top.
//
//     process.env.DATA = "./small";   ->   process.env.DATA = "./small";
//     import { rows } from "./data.ts";    let { rows } = (await __mpslab_load_late("./data.ts"), __mpslab_imported("./data.ts"));
import type { Expression, ImportDeclaration, Node, Program, Statement } from "oxc-parser";
import { RUNTIME } from "../names.ts";
import { freeReferences } from "../../../lib/typescript/references.ts";
import { isFunction, walk } from "../../../lib/typescript/walk.ts";

export function lateImports(program: Program): Set<ImportDeclaration> {
  const late = new Set<ImportDeclaration>();
  const steps: Statement[] = [];
  let isSet = false;
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") {
      if (isSet && !steps.some((step) => uses(step, statement))) late.add(statement);
    } else if (statement.type !== "FunctionDeclaration") {
      steps.push(statement);
      isSet ||= setsEnvironment(statement);
    }
  }
  return late;
}

/** A name may be used above its import, which then goes to the top. */
function uses(step: Statement, { specifiers }: ImportDeclaration): boolean {
  return freeReferences(step, new Set(specifiers.map(({ local }) => local.name))).length > 0;
}

/** `process.env.A = "1"`, `delete process.env.A`, `Object.assign(process.env, ...)`, `%env A=1`, `%metal simulated 4GB` */
function setsEnvironment(step: Statement): boolean {
  let sets = false;
  walk(step, (node) => {
    if (node.type === "AssignmentExpression") sets ||= isVariable(node.left);
    else if (node.type === "UnaryExpression" && node.operator === "delete")
      sets ||= isVariable(node.argument);
    else if (node.type === "CallExpression") sets ||= isGiven(node.arguments) || isMagic(node);
    return !isFunction(node);
  });
  return sets;
}

const isVariable = (node: Node): boolean =>
  node.type === "MemberExpression" && (isEnvironment(node) || isEnvironment(node.object));

const isEnvironment = (node: Node): boolean =>
  node.type === "MemberExpression" &&
  node.object.type === "Identifier" &&
  node.object.name === "process" &&
  (node.computed
    ? node.property.type === "Literal" && node.property.value === "env"
    : node.property.type === "Identifier" && node.property.name === "env");

const isGiven = (given: readonly Node[]): boolean => given[0] !== undefined && isEnvironment(given[0]);

function isMagic({
  callee,
  arguments: given,
}: {
  readonly callee: Expression;
  readonly arguments: readonly Node[];
}): boolean {
  const [name] = given;
  return (
    callee.type === "Identifier" &&
    callee.name === RUNTIME.magic &&
    name?.type === "Literal" &&
    (name.value === "env" || name.value === "metal")
  );
}
