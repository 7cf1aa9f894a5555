// Which declarations that users see have a comment: read from the sources' syntax. Knows what is public only as
// positions that `test/helpers/public_functions.ts` found.
import { readFileSync } from "node:fs";
import path from "node:path";
import {
  type Class,
  type ClassElement,
  type Comment,
  type Node,
  parseSync,
  type TSInterfaceDeclaration,
  type TSMethodSignature,
  type TSPropertySignature,
} from "oxc-parser";
import { publicFunctions } from "../helpers/public_functions.ts";
import { filesOf, root } from "./sources.ts";

/** Interfaces that say what objects of the library have. */
const INTERFACES: Readonly<Record<string, readonly string[]>> = {
  "lib/torch/tensor/members.ts": ["Tensor"],
  "lib/torch/types/tensor.ts": ["Tensor"],
  "lib/torch/autograd/tensor_members.ts": ["Tensor"],
};

/** `lib/torch/nn/linear.ts: Linear.resetParameters` */
export function undocumented(): string[] {
  const found: string[] = [];
  const starts = new Map<string, Set<number>>();
  for (const [file, functions] of publicFunctions(path.join(root, "lib/index.ts")))
    starts.set(path.relative(root, file), new Set(functions.map(({ start }) => start)));
  for (const file of filesOf("lib")) {
    const text = readFileSync(path.join(root, file), "utf8");
    const { program, comments } = parseSync(file, text);
    const has = documentedBy(text, comments);
    const isPublic = (body: Node | null | undefined) =>
      body !== null && body !== undefined && (starts.get(file)?.has(body.start + 1) ?? false);
    const tell = (name: string) => found.push(`${file}: ${name}`);
    /** The comment stands above the first of several overloads. */
    const first = new Map<string, Node>();
    for (const statement of program.body) {
      const exported = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      if (exported?.type === "FunctionDeclaration" || exported?.type === "TSDeclareFunction") {
        const name = exported.id?.name ?? "";
        if (!first.has(name)) first.set(name, statement);
        if (isPublic(exported.body) && !has(first.get(name)!)) tell(name);
      } else if (exported?.type === "ClassDeclaration") {
        const name = exported.id?.name ?? "";
        const methods = methodsOf(exported).filter(({ isShown, body }) => isShown && isPublic(body));
        const isShown = methods.length > 0 || isPublic(constructorOf(exported));
        if (isShown && statement !== exported && !has(statement)) tell(name);
        for (const { method, declared } of methods) if (!has(declared)) tell(`${name}.${method}`);
      } else if (exported?.type === "TSInterfaceDeclaration") {
        const { name } = exported.id;
        const isOptions = statement !== exported && name.endsWith("Options");
        if (isOptions || INTERFACES[file]?.includes(name))
          for (const member of membersOf(exported)) if (!has(member.declared)) tell(`${name}.${member.name}`);
      }
    }
  }
  return found;
}

/** Options that may be left out and whose comment lacks a sentence or the default: `lib/.../adam.ts: AdamOptions.lr`. */
export function withoutDefault(): string[] {
  return filesOf("lib").flatMap((file) => {
    const text = readFileSync(path.join(root, file), "utf8");
    const { program, comments } = parseSync(file, text);
    const commentOf = documentedBy(text, comments);
    const says = ({ declared }: Member) => /\w[^]*\bDefault:\s/.test(commentOf(declared)?.value ?? "");
    const options = program.body.flatMap((statement) => {
      const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : null;
      if (declared?.type !== "TSInterfaceDeclaration" || !declared.id.name.endsWith("Options")) return [];
      const members = membersOf(declared);
      // Where all of them are complete options of an optimizer, a call takes a part.
      const isPartial =
        members.length > 0 && members.every((member) => !member.isOptional) && members.some(says);
      return members
        .filter((member) => isPartial || member.isOptional)
        .map((member) => ({ ...member, of: declared.id.name }));
    });
    return options.filter((member) => !says(member)).map(({ of, name }) => `${file}: ${of}.${name}`);
  });
}

/** Finds the `/** ... *\/` that ends right before a node. */
function documentedBy(text: string, comments: readonly Comment[]): (node: Node) => Comment | undefined {
  const blocks = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"));
  // A word to the linter may stand between.
  const between = (end: number, start: number) =>
    text
      .slice(end, start)
      .replaceAll(/^ *\/\/.*$/gm, "")
      .trim();
  return ({ start }) => blocks.find(({ end }) => end <= start && between(end, start) === "");
}

interface Method {
  readonly method: string;
  /** Its first overload. */
  readonly declared: Node;
  readonly body: Node | null | undefined;
  /** Neither hidden, nor one whose comment the base class has. */
  readonly isShown: boolean;
}

function methodsOf({ body }: Class): Method[] {
  const first = new Map<string, ClassElement>();
  return body.body.flatMap((member) => {
    if (member.type !== "MethodDefinition" || member.kind !== "method" || member.key.type !== "Identifier")
      return [];
    const method = member.key.name;
    if (!first.has(method)) first.set(method, member);
    const isShown = !member.override && (member.accessibility ?? "public") === "public";
    return [{ method, declared: first.get(method)!, body: member.value.body, isShown }];
  });
}

function constructorOf({ body }: Class): Node | null | undefined {
  const member = body.body.find((one) => one.type === "MethodDefinition" && one.kind === "constructor");
  return member?.type === "MethodDefinition" ? member.value.body : null;
}

interface Member {
  readonly name: string;
  /** Its first overload. */
  readonly declared: Node;
  readonly isOptional: boolean;
}

function membersOf({ body }: TSInterfaceDeclaration): Member[] {
  const first = new Map<string, TSMethodSignature | TSPropertySignature>();
  for (const member of body.body) {
    if (member.type !== "TSMethodSignature" && member.type !== "TSPropertySignature") continue;
    if (member.key.type === "Identifier" && !member.computed && !first.has(member.key.name))
      first.set(member.key.name, member);
  }
  return [...first].map(([name, declared]) => ({ name, declared, isOptional: declared.optional }));
}
