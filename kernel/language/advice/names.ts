// Mends names and habits from other languages: a name that is one letter off, a module of Node that is not imported,
// `typeof` of a list.
import type { Node } from "oxc-parser";
import { walk } from "../../../lib/typescript/walk.ts";
import type { Candidate } from "./advice.ts";
import { type Place, receiver, replacing, type Rule, written } from "./place.ts";

/** "... Did you mean 'x'?" */
export const GUESS: Rule = {
  codes: new Set([2551, 2552, 2561, 2570, 2662, 2663, 2724, 2820, 2833]),
  offer: guessed,
};

export const NAME_RULES: readonly Rule[] = [
  { codes: new Set([2304]), offer: counted },
  { codes: new Set([2304, 2503, 2552, 2580, 2584, 2591, 18004]), offer: nodeModule },
  // "'Console' only refers to a type, but is being used as a value here."
  { codes: new Set([2693]), offer: smallName },
  // "Type 'User' must have a '[Symbol.iterator]()' method that returns an iterator."
  { codes: new Set([2488]), offer: entries },
  // "This comparison appears to be unintentional because the types have no overlap."
  { codes: new Set([2367]), offer: typeofArray },
  // "Constructors for derived classes must contain a 'super' call."
  { codes: new Set([2377, 17009]), offer: superCall },
  { codes: new Set([2322, 2345, 2769, 2339]), offer: returned },
  { codes: new Set([2322, 2345, 2362, 2363, 2365]), offer: ofElements },
  // "This condition will always return 'true'. Did you mean '!Number.isNaN(...)'?"
  { codes: new Set([2845]), offer: comparedWithNaN },
  // "This condition will always return 'false' since JavaScript compares objects by reference, not value."
  { codes: new Set([2839]), offer: comparedLists },
];

/** TypeScript's guess, which goes by letters and not by meaning: the checker decides whether it fits. */
function* guessed(place: Place): Iterable<Candidate> {
  const name = /Did you mean (?:to write |the (?:instance|static) member )?'([^']+)'\?/
    .exec(place.message)?.[1]
    ?.replace(/^"(.*)"$/, "$1");
  if (name === undefined || !isNear(place, name.replace(/^this\./, ""))) return;
  const node = place.around[0]!;
  const isText = place.text[place.start] === '"' || place.text[place.start] === "'";
  const literal = place.code === 2820 ? literalAt(place) : null;
  if (literal !== null) yield replacing(literal, JSON.stringify(name), NEAR);
  else if (!isText && node.type === "Identifier") {
    const whole = wholeName(place);
    const [before, after] = [
      place.text.slice(whole.start, place.start),
      place.text.slice(place.end, whole.end),
    ];
    yield replacing(whole, `${before}${name}${after}`, NEAR);
  }
}

const NEAR = "That is close to a name that there is";

/** `Math.Max` for `Max`, `consol.log` for `consol` */
function wholeName({ around: [node, parent] }: Place): Node {
  return parent?.type === "MemberExpression" && !parent.computed ? parent : node!;
}

function literalAt({ around, start }: Place): Node | null {
  for (const node of around) {
    if (node.type === "Literal" && node.start === start) return node;
    if (node.type === "Property" && node.key.start === start && node.value.type === "Literal")
      return node.value;
    if (node.type === "VariableDeclarator" && node.id.start === start && node.init?.type === "Literal")
      return node.init;
  }
  return null;
}

/** Near by letters, and the opposite of each other. */
export const OPPOSITES = new Set(["ascending", "descending"]);

/** A guess that drops or adds half of a word is no good: `undefined` for `undefinedName`. */
function isNear({ text, start, end, around }: Place, name: string): boolean {
  const said = text.slice(start, end).replace(/["']/g, "");
  // `device.index` is PyTorch's number of a device, `list.index(x)` Python's indexOf.
  const isCalled = around.some((node) => node.type === "CallExpression" && node.callee.end === end);
  if (said === "index" && name === "indexOf" && !isCalled) return false;
  if (OPPOSITES.has(said) && OPPOSITES.has(name)) return false;
  const plain = (word: string) => word.toLowerCase().replaceAll("_", "");
  return plain(said) === plain(name) || Math.abs(said.length - name.length) <= 2;
}

/** `Console.log` */
function* smallName(place: Place): Iterable<Candidate> {
  const { text, start, end } = place;
  const whole = wholeName(place);
  const name = text.slice(start, end);
  yield replacing(
    whole,
    `${name[0]!.toLowerCase()}${text.slice(start + 1, whole.end)}`,
    "It is written small",
  );
}

/** `for (const [key, value] of object)` */
function* entries(place: Place): Iterable<Candidate> {
  const loop = place.around.find((node) => node.type === "ForOfStatement");
  if (loop?.type !== "ForOfStatement" || loop.left.type !== "VariableDeclaration") return;
  if (loop.left.declarations[0]?.id.type !== "ArrayPattern") return;
  yield replacing(
    loop.right,
    `Object.entries(${written(place, loop.right)})`,
    "An object gives its keys with their values",
  );
}

const NODE_MODULES = new Set(
  "fs path os http https url util crypto zlib events stream readline assert child_process worker_threads".split(
    " ",
  ),
);

function* nodeModule({ text, start, end }: Place): Iterable<Candidate> {
  const name = text.slice(start, end);
  if (!NODE_MODULES.has(name)) return;
  const line = `import * as ${name} from "node:${name}";\n`;
  yield { start: 0, end: 0, text: line, sentence: "It is a module of Node" };
}

/** `typeof x === "array"` */
function* typeofArray(place: Place): Iterable<Candidate> {
  const node = place.around.find((one) => one.type === "BinaryExpression");
  if (node?.type !== "BinaryExpression") return;
  const { left, right, operator } = node;
  if (left.type !== "UnaryExpression" || left.operator !== "typeof" || right.type !== "Literal") return;
  const not = operator.startsWith("!") ? "!" : "";
  const asked = receiver(place, left.argument);
  if (right.value === "array")
    yield replacing(node, `${not}Array.isArray(${asked})`, "To typeof a list is an object");
  if (right.value === "null")
    yield replacing(node, `${asked} ${operator} null`, "To typeof null is an object");
  if (right.value === "int" || right.value === "integer")
    yield replacing(node, `${not}Number.isInteger(${asked})`, "To typeof it is a number");
  if (right.value === "float" || right.value === "double")
    yield replacing(right, '"number"', "To typeof it is a number");
}

/** `row.rent === NaN` */
function* comparedWithNaN(place: Place): Iterable<Candidate> {
  const node = place.around.find((one) => one.type === "BinaryExpression");
  if (node?.type !== "BinaryExpression") return;
  const other = [node.left, node.right].find((one) => written(place, one) !== "NaN") ?? node.left;
  const not = node.operator.startsWith("!") ? "!" : "";
  yield replacing(
    node,
    `${not}Number.isNaN(${written(place, other)})`,
    "NaN equals nothing, itself included",
  );
}

/** `x.shape === [2, 3]` */
function* comparedLists(place: Place): Iterable<Candidate> {
  const node = place.around.find((one) => one.type === "BinaryExpression");
  if (node?.type !== "BinaryExpression") return;
  const joined = (before: string, after: string): string =>
    [node.left, node.right]
      .map((one) => `${before}${receiver(place, one)}${after}.join()`)
      .join(` ${node.operator} `);
  yield {
    ...replacing(node, joined("", ""), "Lists of numbers are compared as texts"),
    tried: joined("(", " satisfies readonly number[])"),
  };
}

function* superCall(place: Place): Iterable<Candidate> {
  const node = place.around.find((one) => one.type === "MethodDefinition" && one.kind === "constructor");
  if (node?.type !== "MethodDefinition" || !node.value.body) return;
  const at = node.value.body.start + 1;
  yield { start: at, end: at, text: " super();", sentence: "A derived class calls its base first" };
}

/** `list.map((n) => { n * 2 })`, which returns nothing */
function* returned(place: Place): Iterable<Candidate> {
  const arrows: Node[] = [];
  walk(place.program, (node) => {
    if (node.type === "ArrowFunctionExpression") arrows.push(node);
  });
  for (const arrow of arrows) {
    if (arrow.type !== "ArrowFunctionExpression" || arrow.body.type !== "BlockStatement") continue;
    const [only] = arrow.body.body;
    if (arrow.body.body.length !== 1) continue;
    const inner = written(place, arrow.body);
    if (only?.type === "ExpressionStatement")
      yield replacing(
        arrow.body,
        written(place, only.expression),
        "A body in braces returns what `return` says",
      );
    else if (only?.type === "LabeledStatement")
      yield replacing(arrow.body, `(${inner})`, "An object behind => stands in brackets");
  }
}

/** `for (const epoch in range(3))`: with a list in place of `range(3)`, `in` would still give texts. */
function* counted(place: Place): Iterable<Candidate> {
  const loop = place.around.find((node) => node.type === "ForInStatement");
  if (loop?.type !== "ForInStatement" || loop.left.type !== "VariableDeclaration") return;
  const { right, left } = loop;
  if (right.type !== "CallExpression" || right.callee.start !== place.start) return;
  if (written(place, right.callee) !== "range") return;
  const name = written(place, left.declarations[0]!.id);
  const [first = "", second, step = "1"] = right.arguments.map((one) => written(place, one));
  const [begin, end] = second === undefined ? ["0", first] : [first, second];
  const [sign, next] = step.startsWith("-")
    ? [">", `${name} -= ${step.slice(1)}`]
    : ["<", step === "1" ? `${name}++` : `${name} += ${step}`];
  const head = `let ${name} = ${begin}; ${name} ${sign} ${end}; ${next}`;
  yield {
    start: left.start,
    end: right.end,
    text: head,
    sentence: "A loop counts by itself",
    shown: `for (${head}) ...`,
  };
}

/** `for (const n in list) sum += n`, which gives the indices as texts */
function* ofElements(place: Place): Iterable<Candidate> {
  const loop = place.around.find((node) => node.type === "ForInStatement");
  if (loop?.type !== "ForInStatement") return;
  const start = loop.left.end;
  const keyword = place.text.slice(start, loop.right.start);
  const head = place.text.slice(loop.start, start);
  yield {
    start,
    end: loop.right.start,
    text: keyword.replace("in", "of"),
    sentence: "`in` gives the indices, as texts; `of` gives the elements",
    shown: `${head} of ${written(place, loop.right)}) ...`,
  };
}
