// Finds the functions that a cell can reach, in the text of the library's modules: from the exports of `lib/index`
// through re-exports, namespaces, object literals, classes and their base classes. The misuse matrix and the
// test of documentation read it.
import { readFileSync } from "node:fs";
import path from "node:path";
import {
  type Class,
  type ClassElement,
  type Function,
  type MethodDefinition,
  type Node,
  parseSync,
  type ParamPattern,
  type Statement,
} from "oxc-parser";

export interface PublicFunction {
  /** `functional.crossEntropy`; of a method or a constructor that of its class comes first: `nn.Module.train`. */
  readonly name: string;
  readonly kind: "function" | "method" | "constructor";
  /** Names of its parameters, `this` aside. A list in brackets or braces is `options`. */
  readonly parameters: readonly string[];
  /** How many of them have neither a default nor a question mark; JavaScript has no question marks. */
  readonly required: number;
  /**
   * The offset after the brace at which its body begins. For a class without a constructor, it is where its members
   * begin.
   */
  readonly start: number;
  readonly isImplicit: boolean;
}

/** A value of a module by its name there, `*` for all that it exports. */
interface Named {
  readonly file: string;
  readonly name: string;
}

interface Module {
  readonly bindings: ReadonlyMap<string, Named | Node>;
  readonly exports: ReadonlyMap<string, Named>;
  /** Modules of which it exports everything. */
  readonly passedOn: readonly string[];
}

/** Modules whose objects hold methods of tensors. `lib/torch/tensor` joins these objects. */
const TENSOR_METHODS: Readonly<Record<string, string>> = {
  "torch/tensor/tensor": "methods",
  "torch/tensor/composed": "composedMethods",
  "torch/autograd/tensor_members": "autogradMembers",
};

/**
 * Returns the public functions by file. Each function stands under the shortest of its names, and the first of those.
 */
export function publicFunctions(entry: string): Map<string, PublicFunction[]> {
  const found = new Map<string, Map<number, PublicFunction>>();
  const depths = new Map<Node, number>();
  const modules = new Map<string, Module>();

  function moduleOf(file: string): Module {
    let module = modules.get(file);
    if (module === undefined) modules.set(file, (module = readModule(file)));
    return module;
  }

  function visitExports(file: string, name: string): void {
    const { exports, passedOn } = moduleOf(file);
    for (const [exported, target] of exports) visit(target, name === "" ? exported : `${name}.${exported}`);
    for (const other of passedOn) visitExports(other, name);
  }

  function visit(target: Named, name: string): void {
    if (target.name === "*") return visitExports(target.file, name);
    const binding = moduleOf(target.file).bindings.get(target.name);
    if (binding === undefined) {
      const passed = exportOf(target);
      if (passed !== undefined) visit(passed, name);
    } else if ("type" in binding) visitNode(target.file, binding, name);
    else visit(exportOf(binding) ?? binding, name);
  }

  function exportOf({ file, name }: Named): Named | undefined {
    if (name === "*") return undefined;
    const { exports, passedOn } = moduleOf(file);
    const own = exports.get(name);
    if (own !== undefined) return own;
    return passedOn.map((other) => exportOf({ file: other, name })).find((one) => one !== undefined);
  }

  function visitNode(file: string, node: Node, name: string): void {
    const depth = name.split(".").length;
    if ((depths.get(node) ?? Infinity) <= depth) return;
    depths.set(node, depth);
    switch (node.type) {
      case "FunctionDeclaration":
      case "FunctionExpression":
        return record(file, node, name, "function");
      case "ClassDeclaration":
      case "ClassExpression":
        return visitClass(file, node, name);
      case "ObjectExpression":
        for (const property of node.properties) {
          if (property.type === "SpreadElement") visitNode(file, property.argument, name);
          else if (property.kind === "init" && property.key.type === "Identifier" && !property.computed)
            visitNode(file, property.value, `${name}.${property.key.name}`);
        }
        return;
      case "Identifier":
        return visit({ file, name: node.name }, name);
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "ParenthesizedExpression":
        return visitNode(file, node.expression, name);
      case "CallExpression":
        // `Object.defineProperties(functions, Object.getOwnPropertyDescriptors(own))` has what its arguments have.
        if (node.callee.type === "MemberExpression" && isName(node.callee.object, "Object"))
          for (const argument of node.arguments) visitNode(file, argument, name);
        return;
      default:
    }
  }

  function visitClass(file: string, node: Class, name: string): void {
    let hasConstructor = false;
    for (const member of node.body.body) {
      if (member.type === "PropertyDefinition" && member.static && member.value !== null)
        visitNode(file, member.value, `${name}.${(member.key as { name?: string }).name}`);
      if (member.type !== "MethodDefinition" || member.computed || member.key.type !== "Identifier") continue;
      if (member.kind === "constructor") {
        hasConstructor = true;
        record(file, member.value, name, "constructor");
      } else if (member.kind === "method" && member.key.name !== "toJSON") {
        // JSON.stringify gives toJSON an argument.
        const kind = member.static ? "function" : "method";
        const inherited = baseMethod(file, node, member);
        record(file, member.value, `${name}.${member.key.name}`, kind, inherited);
      }
    }
    if (!hasConstructor && node.superClass === null) {
      const start = node.body.start + 1;
      add(file, { name, kind: "constructor", parameters: [], required: 0, start, isImplicit: true });
    }
    const base = baseOf(file, node);
    if (base !== undefined) visitNode(base.file, base.node, name);
  }

  /**
   * The method that it overrides, where that one has more parameters: callers through the base class pass all
   * of them. (An abstract one is not there any more in JavaScript: what overrides it must name all of its parameters.)
   */
  function baseMethod(file: string, type: Class, method: MethodDefinition): Function | undefined {
    let longest: Function | undefined;
    for (let at = baseOf(file, type); at !== undefined; at = baseOf(at.file, at.node)) {
      const overridden = at.node.body.body.find((one) => isSameMethod(one, method))?.value;
      if ((overridden?.params.length ?? 0) > (longest ?? method.value).params.length) longest = overridden;
    }
    return longest;
  }

  /** A class by its name, or the one that a function makes: `extends lossLayer(mseLoss)`. */
  function baseOf(file: string, { superClass }: Class): { file: string; node: Class } | undefined {
    const isMade = superClass?.type === "CallExpression";
    const named = isMade ? superClass.callee : superClass;
    if (named?.type !== "Identifier") return undefined;
    const found = resolve({ file, name: named.name });
    if (found === undefined) return undefined;
    const node = isMade ? classMadeBy(found.node) : found.node;
    return node && isClass(node) ? { file: found.file, node } : undefined;
  }

  function resolve(named: Named): { file: string; node: Node } | undefined {
    const binding = moduleOf(named.file).bindings.get(named.name);
    if (binding !== undefined && "type" in binding) return { file: named.file, node: binding };
    const passed = exportOf(binding ?? named) ?? binding;
    return passed && resolve(passed);
  }

  function record(
    file: string,
    node: Function,
    name: string,
    kind: PublicFunction["kind"],
    called = node,
  ): void {
    const parameters = called.params.filter((one) => !isName(one, "this"));
    // One that only refuses says why, whatever it is given.
    if (node.body?.body.length === 1 && node.body.body[0]!.type === "ThrowStatement") return;
    if (!node.body) return;
    const isRest = ({ type }: ParamPattern) => type === "RestElement";
    const takesAnyNumber = [...node.params, ...parameters].some(isRest);
    // One that takes any number counts them itself; a class has its own constructor all the same, and not its base's.
    if (takesAnyNumber && kind !== "constructor") return;
    const start = node.body.start + 1;
    const required = takesAnyNumber ? 0 : parameters.filter(isRequired).length;
    add(file, {
      name,
      kind,
      parameters: parameters.map(parameterName),
      required,
      start,
      isImplicit: false,
    });
  }

  function add(file: string, one: PublicFunction): void {
    const inFile = found.get(file) ?? new Map<number, PublicFunction>();
    found.set(file, inFile.set(one.start, one));
  }

  visitExports(entry, "");
  const extension = path.extname(entry);
  for (const [module, name] of Object.entries(TENSOR_METHODS))
    visit({ file: path.join(path.dirname(entry), module + extension), name }, "Tensor");
  return new Map([...found].map(([file, functions]) => [file, [...functions.values()]]));
}

const isClass = (node: Node): node is Class => node.type === "ClassDeclaration";

const classMadeBy = (node: Node): Class | undefined =>
  node.type === "FunctionDeclaration" ? node.body?.body.find(isClass) : undefined;

const isSameMethod = (
  member: ClassElement,
  { key, static: isStatic }: MethodDefinition,
): member is MethodDefinition =>
  member.type === "MethodDefinition" &&
  member.static === isStatic &&
  member.key.type === "Identifier" &&
  key.type === "Identifier" &&
  member.key.name === key.name;

const isName = (node: Node, name: string): boolean => node.type === "Identifier" && node.name === name;

const isRequired = (parameter: ParamPattern): boolean =>
  parameter.type !== "AssignmentPattern" && "optional" in parameter && !parameter.optional;

/** `_model` -> `model`, `{ lr, momentum }` -> `options` */
function parameterName(parameter: ParamPattern): string {
  if (parameter.type === "AssignmentPattern") return parameterName(parameter.left);
  return parameter.type === "Identifier" ? parameter.name.replace(/^_/, "") : "options";
}

function readModule(file: string): Module {
  const bindings = new Map<string, Named | Node>();
  const exports = new Map<string, Named>();
  const passedOn: string[] = [];
  const target = (specifier: string) =>
    specifier.startsWith(".") ? path.join(path.dirname(file), specifier) : undefined;

  function declare(statement: Statement): string[] {
    switch (statement.type) {
      case "FunctionDeclaration":
      case "ClassDeclaration":
        if (!statement.id) return [];
        bindings.set(statement.id.name, statement);
        return [statement.id.name];
      case "VariableDeclaration":
        return statement.declarations.flatMap(({ id, init }) => {
          if (id.type !== "Identifier" || !init) return [];
          bindings.set(id.name, init);
          return [id.name];
        });
      default:
        return [];
    }
  }

  for (const node of parseSync(file, readFileSync(file, "utf8")).program.body) {
    switch (node.type) {
      case "ImportDeclaration": {
        const from = target(node.source.value);
        if (from === undefined) break;
        for (const one of node.specifiers) {
          const name = one.type === "ImportSpecifier" ? nameOf(one.imported) : "*";
          bindings.set(one.local.name, { file: from, name });
        }
        break;
      }
      case "ExportNamedDeclaration": {
        if (node.exportKind === "type") break;
        if (node.declaration) for (const name of declare(node.declaration)) exports.set(name, { file, name });
        const from = node.source ? target(node.source.value) : file;
        if (from === undefined) break;
        for (const { local, exported, exportKind } of node.specifiers)
          if (exportKind !== "type") exports.set(nameOf(exported), { file: from, name: nameOf(local) });
        break;
      }
      case "ExportAllDeclaration": {
        const from = node.exportKind === "type" ? undefined : target(node.source.value);
        if (from === undefined) break;
        if (node.exported) exports.set(nameOf(node.exported), { file: from, name: "*" });
        else passedOn.push(from);
        break;
      }
      default:
        declare(node as Statement);
    }
  }
  return { bindings, exports, passedOn };
}

const nameOf = (node: { name: string } | { value: string }): string =>
  "name" in node ? node.name : node.value;
