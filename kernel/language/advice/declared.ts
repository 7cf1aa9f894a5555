// Mends declarations: an assignment to a constant, a type that is too narrow or belongs to another language, a variable
// without a declaration.
import type { Node } from "oxc-parser";
import { childrenOf, walk } from "../../../lib/typescript/walk.ts";
import type { Candidate } from "./advice.ts";
import { type Place, receiver, replacing, type Rule, written } from "./place.ts";

export const DECLARATION_RULES: readonly Rule[] = [
  { codes: new Set([2304, 2552]), offer: undeclared },
  { codes: new Set([2304]), offer: foreignType },
  { codes: new Set([2322]), offer: enumMember },
  // "Cannot assign to 'x' because it is a constant."
  { codes: new Set([2588]), offer: assignable },
  { codes: new Set([2345, 2322, 2769, 2820]), offer: constant },
  { codes: new Set([2322]), offer: widerType },
  { codes: new Set([2322, 2345]), offer: plainType },
  // "Property 'clone' in type 'Net' is not assignable to the same property in base type 'Module'."
  { codes: new Set([2416]), offer: ownType },
];

type Declarator = Extract<Node, { type: "VariableDeclarator" }>;

export function declaratorOf({ program, start }: Place, name: string): Declarator | null {
  let found: Declarator | null = null;
  walk(program, (node) => {
    if (
      node.type === "VariableDeclarator" &&
      node.id.type === "Identifier" &&
      node.id.name === name &&
      node.start <= start
    )
      found = node;
  });
  return found;
}

/** `for (i of list)`, `for (i = 0; ...)` */
function* undeclared(place: Place): Iterable<Candidate> {
  const { around, start } = place;
  const sentence = "A variable is declared by let or const";
  for (const node of around) {
    const isEach = node.type === "ForOfStatement" || node.type === "ForInStatement";
    if (isEach && node.left.start === start)
      yield {
        start,
        end: start,
        text: "const ",
        sentence,
        shown: `for (const ${place.text.slice(start, node.right.end)}) ...`,
      };
    if (node.type === "ForStatement" && node.init?.start === start)
      yield {
        start,
        end: start,
        text: "let ",
        sentence,
        shown: `for (let ${written(place, node.init)}; ...`,
      };
  }
}

const TYPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "int integer Integer float double long short byte decimal".split(" ").map((name) => [name, "number"]),
  ),
  bool: "boolean",
  str: "string",
  char: "string",
  text: "string",
};

/** `let x: int` */
function* foreignType({ around, text, start, end }: Place): Iterable<Candidate> {
  if (!around.some(({ type }) => type === "TSTypeReference")) return;
  const name = text.slice(start, end);
  if (Object.hasOwn(TYPES, name))
    yield { start, end, text: TYPES[name]!, sentence: "Types have other names here" };
}

/** `const color: Color = "Red"` */
function* enumMember(place: Place): Iterable<Candidate> {
  const node = place.around.find((one) => one.type === "VariableDeclarator" && one.id.start === place.start);
  if (node?.type !== "VariableDeclarator" || node.id.type !== "Identifier" || node.init?.type !== "Literal")
    return;
  const type = node.id.typeAnnotation?.typeAnnotation;
  if (type?.type !== "TSTypeReference" || typeof node.init.value !== "string") return;
  yield replacing(
    node.init,
    `${written(place, type)}.${node.init.value}`,
    "A member of an enum has its name before it",
  );
}

function declarationWith(
  place: Place,
  declarator: Node,
): Extract<Node, { type: "VariableDeclaration" }> | null {
  let found: Extract<Node, { type: "VariableDeclaration" }> | null = null;
  walk(place.program, (node) => {
    if (node.type === "VariableDeclaration" && (node.declarations as readonly Node[]).includes(declarator))
      found = node;
  });
  return found;
}

function* rekeyed(
  place: Place,
  name: string,
  from: string,
  to: string,
  sentence: string,
): Iterable<Candidate> {
  const declarator = declaratorOf(place, name);
  const declaration = declarator === null ? null : declarationWith(place, declarator);
  if (declarator === null || declaration?.kind !== from) return;
  const { start } = declaration;
  yield {
    start,
    end: start + from.length,
    text: to,
    sentence,
    shown: `${to} ${shortened(written(place, declarator))}`,
  };
}

const shortened = (text: string): string => (text.includes("\n") ? `${text.split("\n")[0]} ...` : text);

function* assignable(place: Place): Iterable<Candidate> {
  const { text, start, end } = place;
  yield* rekeyed(place, text.slice(start, end), "const", "let", "What is assigned again is declared by let");
}

/** `let device = cond ? "mps" : "cpu"`, whose type is widened to string */
function* constant(place: Place): Iterable<Candidate> {
  const { around, start } = place;
  const names = new Set<string>();
  for (const node of around) {
    if (node.type === "Identifier" && node.start === start) names.add(node.name);
    if (node.type === "Property" && node.key.start === start && node.value.type === "Identifier")
      names.add(node.value.name);
    if (node.type === "MemberExpression" && node.object.type === "Identifier") names.add(node.object.name);
    if (node.type === "VariableDeclarator" && node.id.start === start && node.init?.type === "Identifier")
      names.add(node.init.name);
  }
  for (const name of names) {
    yield* rekeyed(place, name, "let", "const", "A const keeps the very text, and a let may hold any");
    const init = declaratorOf(place, name)?.init;
    if (init?.type === "ObjectExpression" || init?.type === "ArrayExpression")
      yield replacing(init, `${written(place, init)} as const`, "It keeps the very texts");
  }
}

/** `let found: number = null`, `let s = "a"; s = 5` */
function* widerType(place: Place): Iterable<Candidate> {
  const { around, start } = place;
  for (const node of around) {
    const isDeclared = node.type === "VariableDeclarator" && node.id.start === start;
    if (isDeclared && node.id.type === "Identifier" && node.id.typeAnnotation && node.init) {
      const type = node.id.typeAnnotation.typeAnnotation;
      const value = written(place, node.init);
      if (value === "null" || value === "undefined")
        yield {
          ...replacing(type, `${written(place, type)} | ${value}`, `What may be ${value} says so`),
          shown: `${node.id.name}: ${written(place, type)} | ${value}`,
        };
    }
    if (
      node.type === "AssignmentExpression" &&
      node.left.start === start &&
      node.left.type === "Identifier"
    ) {
      const found = declaratorOf(place, node.left.name);
      const value = written(place, node.right);
      if (found?.id.type !== "Identifier") continue;
      const type = found.id.typeAnnotation?.typeAnnotation;
      const [given, taken] = PLAIN_TYPES.exec(place.message)?.slice(1) ?? [];
      if (!type && given !== undefined) {
        const { name, end } = found.id;
        const init = found.init ? ` = ${written(place, found.init)}` : "";
        yield {
          start: end,
          end,
          text: `: ${taken} | ${given}`,
          sentence: "What may be either says so",
          shown: `${name}: ${taken} | ${given}${init}`,
        };
      }
      if (value !== "null" && value !== "undefined") continue;
      if (type)
        yield {
          ...replacing(type, `${written(place, type)} | ${value}`, `What may be ${value} says so`),
          shown: `${found.id.name}: ${written(place, type)} | ${value}`,
        };
    }
  }
}

const PLAIN_TYPES =
  /^Type '(string|number|boolean|null|undefined)' is not assignable to type '(string|number|boolean)'/;

/** `clone(): Net { return new Net(); }` over a method that gives `this` */
function* ownType(place: Place): Iterable<Candidate> {
  const { around, start, message, text } = place;
  const method = around.find((one) => one.type === "MethodDefinition" && one.key.start === start);
  if (method?.type !== "MethodDefinition" || !message.includes("is not assignable to type 'this'")) return;
  const { returnType, body } = method.value;
  const found = body === null ? [] : returnsOf(body);
  if (body === null || found.length === 0) return;
  let content = text.slice(body.start, body.end);
  for (const value of found.toReversed()) {
    const given = receiver(place, value) === "this" ? "this" : `${asOperand(place, value)} as this`;
    content = content.slice(0, value.start - body.start) + given + content.slice(value.end - body.start);
  }
  const head = text.slice(method.start, returnType?.start ?? body.start).trimEnd();
  const opening = `${method.override ? "" : "override "}${head}: this`;
  yield {
    start: method.start,
    end: method.end,
    text: `${opening} ${content}`,
    shown: `${opening} { return ${asOperand(place, found[0]!)} as this; }`,
    sentence: "A class that extends this one gets its own type from it",
  };
}

const asOperand = (place: Place, node: Node): string =>
  node.type === "NewExpression" ? written(place, node) : receiver(place, node);

/** What a function returns, those inside of it left out. */
function returnsOf(node: Node): Node[] {
  if (node.type === "ReturnStatement") return node.argument === null ? [] : [node.argument];
  if (/Function|Class/.test(node.type)) return [];
  return childrenOf(node).flatMap(returnsOf);
}

/** `let s: String`, the wrapper object of a string */
function* plainType(place: Place): Iterable<Candidate> {
  const found: Node[] = [];
  walk(place.program, (node) => {
    if (node.type === "TSTypeReference" && /^(?:String|Number|Boolean)$/.test(written(place, node)))
      found.push(node);
  });
  for (const node of found)
    yield replacing(node, written(place, node).toLowerCase(), "Types of plain values are written small");
}
