// Mends a value of the wrong type: a promise that is not awaited, a function that is not called, a number in quotes, a tensor
// where a number is asked for. Which of them it is, the checker says: `satisfies` in what is tried keeps a conversion
// to the types that it is meant for.
import type { Node } from "oxc-parser";
import type { Candidate } from "./advice.ts";
import { type Place, receiver, replacing, type Rule, written } from "./place.ts";

const PLAIN = "number | bigint | boolean";

/** "Type 'x' is not assignable to type 'y'.", "Argument of type ...", "No overload matches", "Operator '+' cannot be applied". */
const UNFIT = new Set([
  2322, 2345, 2769, 2365, 2362, 2363, 2367, 2559, 2740, 2739, 2741, 2339, 2551, 2488, 2504, 2801, 2538, 2774,
  18046,
]);
/** Errors about a value that is passed, assigned, or compared with another. */
const ASSIGNED = new Set([2322, 2345, 2367, 2740, 2741, 2769]);
const MISSING_MEMBER = new Set([2339, 2551]);
/** "Object is possibly 'null'." and similar errors. */
const MAYBE_NOTHING = new Set([2531, 2532, 2533, 18047, 18048, 18049]);

export const VALUE_RULES: readonly Rule[] = [
  { codes: UNFIT, offer: unfit },
  { codes: MAYBE_NOTHING, offer: maybeNothing },
  { codes: new Set([2345, 2322, 2769]), offer: definitely },
];

function* unfit(place: Place): Iterable<Candidate> {
  for (const { node, isObject, before = "" } of valuesAt(place))
    for (const candidate of mended(place, node, isObject)) {
      const { text, tried } = candidate;
      const outer = isObject ? behind(place, node) : "";
      yield {
        ...candidate,
        text: before + text,
        ...(tried !== undefined && { tried: before + tried }),
        ...(outer !== "" && { shown: text + outer }),
      };
    }
}

/** `.toFixed(2)` behind the object of that call. */
function behind(place: Place, object: Node): string {
  const { around, text } = place;
  const member = around.find((node) => node.type === "MemberExpression" && node.object === object);
  const outer = member === undefined ? undefined : around[around.indexOf(member) + 1];
  const end =
    outer?.type === "CallExpression" && outer.callee === member ? outer.end : (member?.end ?? object.end);
  const wholeCall = text.slice(object.end, end);
  return wholeCall.includes("\n") ? text.slice(object.end, member?.end) : wholeCall;
}

/** The values that an error may be about: an operand, an argument, what is assigned; the object of a missing member. */
function* valuesAt(place: Place): Iterable<{ node: Node; isObject: boolean; before?: string }> {
  const { around, start, end, code } = place;
  const [inner] = around;
  if (inner === undefined) return;
  const member = around.find((node) => node.type === "MemberExpression" && node.property.start === start);
  if (member?.type === "MemberExpression" && MISSING_MEMBER.has(code)) {
    yield { node: member.object, isObject: true };
    return;
  }
  const short = around.find((node) => node.type === "Property" && node.shorthand && node.start === start);
  if (short?.type === "Property" && short.value.type === "Identifier") {
    yield { node: short.value, isObject: false, before: `${short.value.name}: ` };
    return;
  }
  const exact = around.findLast((node) => node.start === start && node.end === end && isValue(node));
  if (exact?.type === "BinaryExpression") {
    const isText = (node: Node) => node.type === "Literal" && typeof node.value === "string";
    const operands = isText(exact.right) ? [exact.right, exact.left] : [exact.left, exact.right];
    for (const node of operands) yield { node, isObject: false };
    return;
  }
  if (exact?.type === "AssignmentExpression") {
    yield { node: exact.right, isObject: false };
    return;
  }
  const assigned = assignedAt(around, start);
  if (assigned !== null) yield { node: assigned, isObject: false };
  else if (exact !== undefined) yield { node: exact, isObject: false };
}

function isValue(node: Node): boolean {
  return /Expression$|^Identifier$|Literal$/.test(node.type);
}

/** TypeScript's error is at `return`, or at the target of the assignment; the value comes after it. */
function assignedAt(around: readonly Node[], start: number): Node | null {
  for (const node of around) {
    if (node.type === "ReturnStatement" && node.start === start) return node.argument;
    if (node.type === "VariableDeclarator" && node.id.start === start) return node.init;
    if (node.type === "AssignmentExpression" && node.left.start === start) return node.right;
    if (node.type === "PropertyDefinition" && node.key.start === start) return node.value;
    if (node.type === "Property" && node.key.start === start && !node.shorthand) return node.value;
  }
  return null;
}

const QUOTED_NUMBER = /^["'`]\s*(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*["'`]$/;

const QUOTED_LIST = /^["'`]\s*[[(]?\s*(-?\d+(?:\.\d+)?(?:\s*,\s*-?\d+(?:\.\d+)?)*)\s*[\])]?\s*["'`]$/;

function* mended(place: Place, node: Node, isObject: boolean): Iterable<Candidate> {
  const text = written(place, node);
  const object = receiver(place, node);
  const awaited = `await ${["BinaryExpression", "ConditionalExpression"].includes(node.type) ? object : text}`;
  yield replacing(node, isObject ? `(${awaited})` : awaited, "`await` gives the value of a promise");
  const parser = place.around.find((one) => one.type === "CallExpression");
  if (
    parser?.type === "CallExpression" &&
    written(place, parser.callee) === "parseInt" &&
    parser.arguments[0] === node
  )
    yield {
      ...replacing(parser, `Math.trunc(${text})`, "It is a number already"),
      tried: `Math.trunc(${object} satisfies number)`,
    };
  if (
    parser?.type === "CallExpression" &&
    written(place, parser.callee) === "parseFloat" &&
    parser.arguments[0] === node
  )
    yield { ...replacing(parser, text, "It is a number already"), tried: `(${object} satisfies number)` };
  const isCallable = node.type === "Identifier" || node.type === "MemberExpression";
  if (isCallable) yield replacing(node, `${text}()`, "A function is called with brackets");
  const number = QUOTED_NUMBER.exec(text)?.[1];
  if (number !== undefined) yield replacing(node, number, "A number has no quotes");
  const numbers = QUOTED_LIST.exec(text)?.[1];
  if (numbers !== undefined) yield replacing(node, `[${numbers}]`, "A list of numbers has no quotes");
  if (node.type === "Literal" && typeof node.value === "number" && ASSIGNED.has(place.code))
    yield replacing(node, JSON.stringify(text), "A text has quotes");
  if (node.type === "Literal" && (node.value === "true" || node.value === "false"))
    yield replacing(node, String(node.value), "A boolean has no quotes");
  const single = (method: string, sentence: string): Candidate =>
    replacing(node, `${object}${method}`, sentence, true);
  // A tensor with more than one element cannot become a number. One of unknown shape may.
  if (/\bTensor\b/.test(place.message))
    yield {
      ...single(".item()", "A tensor is no number"),
      tried: `(${object} satisfies import("mpslab").Tensor<[]>).item()`,
    };
  if (isObject) {
    // For a method that changes the list: the change of the copy would be lost.
    const member = behind(place, node);
    if (!CHANGES_LIST.test(member) && /\(|^\.length$/.test(member))
      yield replacing(node, `[...${text}]`, "A list has this method");
    return;
  }
  yield* dated(place, node);
  yield* listed(place, node);
  if (node.type !== "Literal") {
    yield {
      ...replacing(node, `Number(${text})`, "A text is no number"),
      tried: `Number(${object} satisfies string)`,
    };
    yield {
      ...replacing(node, `String(${text})`, "A number is no text"),
      tried: `String(${object} satisfies ${PLAIN})`,
    };
  }
  yield* asFunction(place, node, text);
  yield {
    ...replacing(node, `[...${text}]`, "A list is made of its elements"),
    tried: `[...(${object} satisfies ReadonlySet<unknown> | IterableIterator<unknown>)]`,
  };
}

const CHANGES_LIST = /^\.(?:push|pop|shift|unshift|splice|sort|fill|reverse|copyWithin)\b/;

/** `new Date() - start` */
function* dated(place: Place, node: Node): Iterable<Candidate> {
  const parent = place.around[place.around.indexOf(node) + 1];
  const sentence = "A date is no number";
  if (parent?.type === "BinaryExpression") {
    const both = [parent.left, parent.right].map((operand) => `${receiver(place, operand)}.getTime()`);
    yield replacing(parent, both.join(` ${parent.operator} `), sentence);
  }
  const date = receiver(place, node);
  // `Number`, because what a method of an `any` gives would fit everywhere.
  yield { ...replacing(node, `${date}.getTime()`, sentence), tried: `Number(${date} satisfies Date)` };
}

/** A value where a list, or another kind of list, is expected. */
function* listed(place: Place, node: Node): Iterable<Candidate> {
  const text = written(place, node);
  const object = receiver(place, node);
  const inner = node.type === "ParenthesizedExpression" ? node.expression : node;
  if (inner.type === "SequenceExpression")
    yield replacing(node, `[${written(place, inner)}]`, "A list stands in [ ]");
  yield {
    ...replacing(
      node,
      `await Promise.all(${text})`,
      "`await Promise.all` gives the values of several promises",
    ),
    tried: `await Promise.all(${object} satisfies readonly Promise<unknown>[])`,
  };
  yield {
    ...replacing(node, `${object}.map(String)`, "Each number becomes a text"),
    tried: `(${object} satisfies readonly number[]).map(String)`,
  };
  // Texts that stand in the cell are written as numbers: of `["wide"]` each would be NaN.
  if (node.type !== "ArrayExpression")
    yield {
      ...replacing(node, `${object}.map(Number)`, "Each text becomes a number"),
      tried: `(${object} satisfies readonly string[]).map(Number)`,
    };
  if (ASSIGNED.has(place.code)) yield replacing(node, `[${text}]`, "A list stands in [ ], also of one");
}

/** A function fits wherever all properties are optional, as in options, though none is asked for. */
const HAS_NO_PROPERTY_IN_COMMON = 2559;

/** `setTimeout(tick(), 100)`, which calls at once */
function* asFunction(place: Place, node: Node, text: string): Iterable<Candidate> {
  if (node.type !== "CallExpression" || place.code === HAS_NO_PROPERTY_IN_COMMON) return;
  // `() => a / b` is a function of the quotient.
  if (place.around[place.around.indexOf(node) + 1]?.type === "BinaryExpression") return;
  const { callee, arguments: given } = node;
  if (given.length === 0 && callee.type === "Identifier")
    yield replacing(
      node,
      written(place, callee),
      "A function is given without brackets, which would call it",
    );
  yield replacing(node, `() => ${text}`, "A function is given, and called later");
}

/** `map.get(key).length`, `x.grad.norm()` */
function* maybeNothing(place: Place): Iterable<Candidate> {
  const { around, start, end } = place;
  const node = around.findLast((one) => one.start === start && one.end === end && isValue(one));
  if (node === undefined) return;
  const text = written(place, node);
  const parent = around[around.indexOf(node) + 1];
  const isGradient = text.endsWith(".grad");
  const asserted = replacing(
    node,
    `${text}!`,
    isGradient ? `${text} is null until backward() has run; where it has` : "Where it is certainly there",
    isGradient,
  );
  if (isGradient) yield asserted;
  if (parent?.type === "MemberExpression" && parent.object === node && !parent.computed) {
    const memberStart = parent.property.start;
    yield {
      start,
      end: memberStart,
      text: `${text}?.`,
      sentence: "What may be missing is read by ?.",
      shown: `${text}?.${written(place, parent.property)}`,
    };
  }
  yield asserted;
}

/** "Type 'string | undefined' is not ...", also behind other sentences. Nothing is certainly there of a 'void'. */
const GIVEN_MAYBE = /ype '(?:[^'\n]*[ |<])?(?:undefined|null)\b[^'\n]*' is not assignable/;

/** A value that may be missing, where the type does not allow that. */
function* definitely(place: Place): Iterable<Candidate> {
  if (!GIVEN_MAYBE.test(place.message)) return;
  for (const { node } of valuesAt(place)) {
    if (!["Identifier", "MemberExpression", "CallExpression"].includes(node.type)) continue;
    const text = written(place, node);
    yield { ...replacing(node, `${text}!`, "Where it is certainly there"), tried: `${text}!` };
  }
}
