// Mends members: names from other languages, and fields that an object or a class does not declare.
import type { Candidate } from "./advice.ts";
import { declaratorOf } from "./declared.ts";
import { callOf, memberAt, type Place, receiver, replacing, type Rule, written } from "./place.ts";

/** "Property 'x' does not exist on type 'y'.", and the same with a guess. */
const MISSING_MEMBER = new Set([2339, 2551, 2570]);

export const MEMBER_RULES: readonly Rule[] = [
  { codes: MISSING_MEMBER, offer: foreignMember },
  { codes: MISSING_MEMBER, offer: grownObject },
  { codes: MISSING_MEMBER, offer: field },
  { codes: MISSING_MEMBER, offer: unpacked },
  // "This expression is not callable. Type 'number' has no call signatures."
  { codes: new Set([2349, 6234]), offer: uncalled },
];

/**
 * Names in other languages; the checker decides whether the object has the member. Where the member is a property, `()`
 * is dropped.
 */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  contains: ["includes", "has"],
  include: ["includes"],
  len: ["length"],
  size: ["length"],
  length: ["size"],
  count: ["length", "size"],
  Length: ["length"],
  Count: ["length"],
  append: ["push"],
  add: ["push"],
  push: ["add"],
  extend: ["push"],
  remove: ["delete"],
  put: ["set"],
  has_key: ["has"],
  containsKey: ["has"],
  exists: ["has"],
  upper: ["toUpperCase"],
  toUpper: ["toUpperCase"],
  uppercase: ["toUpperCase"],
  lower: ["toLowerCase"],
  toLower: ["toLowerCase"],
  lowercase: ["toLowerCase"],
  strip: ["trim"],
  substringOf: ["includes"],
  startswith: ["startsWith"],
  endswith: ["endsWith"],
  flatten: ["flat"],
  flatmap: ["flatMap"],
  foreach: ["forEach"],
  each: ["forEach"],
  select: ["map"],
  collect: ["map"],
  where: ["filter"],
  exclude: ["filter"],
  any: ["some"],
  all: ["every"],
  first: ["at(0)"],
  last: ["at(-1)"],
  replace_all: ["replaceAll"],
  println: ["log"],
  print: ["log"],
  write: ["log"],
  ceiling: ["ceil"],
  scatter: ["points"],
  line: ["lines"],
  hist: ["histogram"],
  bar: ["bars"],
  imshow: ["images", "heatmap"],
  rand: ["random"],
  copy: ["clone"],
  astype: ["to"],
};

function* foreignMember(place: Place): Iterable<Candidate> {
  const node = memberAt(place);
  if (node?.property.type !== "Identifier") return;
  const { name } = node.property;
  const object = receiver(place, node.object);
  const call = callOf(place, node);
  const hasNoArguments = call !== null && call.arguments.length === 0;
  for (const other of Object.hasOwn(MEMBERS, name) ? MEMBERS[name]! : []) {
    const isProperty = /^(?:length|size)$|\)$/.test(other);
    const sentence = `It is called ${other.replace(/\(.*/, "")} here`;
    const given = call === null || (isProperty && hasNoArguments) ? "" : place.text.slice(node.end, call.end);
    yield replacing(call ?? node, `${object}.${other}${given}`, sentence);
  }
  if (name === "scatter" && call?.arguments.length === 2) {
    const [horizontal, vertical] = call.arguments.map((one) => written(place, one));
    yield replacing(call, `${object}.points(${vertical}, { x: ${horizontal} })`, "It is called points here");
  }
  const ofObject: Readonly<Record<string, string>> = {
    keys: "keys",
    values: "values",
    items: "entries",
    entries: "entries",
  };
  if (hasNoArguments && Object.hasOwn(ofObject, name))
    yield replacing(
      call,
      `Object.${ofObject[name]}(${written(place, node.object)})`,
      "An object has no methods of its own",
    );
  if (name === "length" || name === "size")
    yield {
      ...replacing(node, `Object.keys(${written(place, node.object)}).length`, "An object counts its keys"),
      tried: `Object.keys(${object} satisfies object & { [Symbol.iterator]?: never }).length`,
    };
  if (hasNoArguments && (name === "max" || name === "min"))
    yield replacing(
      call,
      `Math.${name}(...${written(place, node.object)})`,
      `It is called Math.${name} here`,
    );
  if (/^(?:isEmpty|is_empty|empty)$/.test(name))
    for (const count of ["length", "size"])
      yield replacing(
        hasNoArguments ? call : node,
        `${object}.${count} === 0`,
        "What is empty has no elements",
      );
  if (name === "reverse" && hasNoArguments)
    yield {
      ...replacing(call, `[...${written(place, node.object)}].reverse().join("")`, "A text has no reverse()"),
      tried: `[...(${object} satisfies string)].reverse().join("")`,
    };
  if (name === "sum" && hasNoArguments)
    yield replacing(call, `${object}.reduce((sum, one) => sum + one, 0)`, "A list is added up by reduce");
  if (name === "join" && call !== null && call.arguments.length === 1)
    yield {
      ...replacing(
        call,
        `${receiver(place, call.arguments[0]!)}.join(${written(place, node.object)})`,
        "The list has join",
      ),
      tried: `${receiver(place, call.arguments[0]!)}.join(${object} satisfies string)`,
    };
}

/** `const o = {}; o.name = 1` */
function* grownObject(place: Place): Iterable<Candidate> {
  const node = memberAt(place);
  if (node?.object.type !== "Identifier") return;
  const found = declaratorOf(place, node.object.name);
  if (found === null || found.id.type !== "Identifier" || found.id.typeAnnotation) return;
  if (found.init?.type !== "ObjectExpression") return;
  const type = found.init.properties.length === 0 ? "Record<string, any>" : "Record<string, unknown>";
  const { name, end } = found.id;
  yield {
    ...{ start: end, end, text: `: ${type}` },
    sentence: "An object gets new fields where its type says so",
    shown: `${name}: ${type} = ${written(place, found.init)}`,
  };
}

/** `this.name = name` in a class that has no such field */
function* field(place: Place): Iterable<Candidate> {
  const node = memberAt(place);
  const { around } = place;
  const body = around.find((one) => one.type === "ClassBody");
  if (node?.object.type !== "ThisExpression" || !body) return;
  const name = written(place, node.property);
  const at = body.start + 1;
  // TypeScript infers the field's type from the assignment in the constructor.
  yield {
    start: at,
    end: at,
    text: ` ${name};`,
    sentence: "A class declares its fields",
    shown: `{ ${name}; constructor ... }`,
  };
}

/** `const { a, b } = list` */
function* unpacked(place: Place): Iterable<Candidate> {
  const pattern = place.around.find((node) => node.type === "ObjectPattern");
  if (pattern?.type !== "ObjectPattern") return;
  const names = pattern.properties.map((one) => written(place, one));
  yield replacing(pattern, `[${names.join(", ")}]`, "A list is taken apart by [ ]");
}

/** `list.length()`, `x.shape()` */
function* uncalled(place: Place): Iterable<Candidate> {
  const call = place.around.find((node) => node.type === "CallExpression" && node.arguments.length === 0);
  if (call?.type !== "CallExpression") return;
  if (call.callee.type !== "MemberExpression") return;
  const callee = written(place, call.callee);
  yield replacing(call, callee, `${/[\w$]+$/.exec(callee)?.[0] ?? "It"} is no method`, true);
}
