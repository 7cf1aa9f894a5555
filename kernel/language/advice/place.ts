// The place of an error in a cell's syntax: the nodes around it, and how they are written.
import type { CallExpression, MemberExpression, NewExpression, Node, Program } from "oxc-parser";
import { childrenOf } from "../../../lib/typescript/walk.ts";
import type { Candidate } from "./advice.ts";

export interface Place {
  readonly code: number;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly program: Program;
  /** The nodes that hold the error, from the innermost to the outermost. */
  readonly around: readonly Node[];
}

export type Call = CallExpression | NewExpression;

/** Offers candidates that may fix an error. The checker finds out which of them do. */
export interface Rule {
  readonly codes: ReadonlySet<number>;
  offer(place: Place): Iterable<Candidate>;
}

export function nodesAround(program: Program, start: number, end: number): Node[] {
  const found: Node[] = [];
  let at: Node | undefined = program;
  while (at !== undefined) {
    found.unshift(at);
    at = childrenOf(at).find((child) => child.start <= start && end <= child.end);
  }
  return found;
}

export const written = ({ text }: Pick<Place, "text">, { start, end }: Node): string =>
  text.slice(start, end);

/** The node's text, in parentheses if a method call on it needs them: `a.b`, `(a + b)`. */
export function receiver(place: Pick<Place, "text">, node: Node): string {
  const isSimple =
    /^(?:Identifier|(?:Member|Call|This|Parenthesized|Array|TSNonNull)Expression|TemplateLiteral)$/.test(
      node.type,
    ) ||
    (node.type === "Literal" && typeof node.value === "string");
  return isSimple ? written(place, node) : `(${written(place, node)})`;
}

export function isCall(node: Node | undefined): node is Call {
  return node?.type === "CallExpression" || node?.type === "NewExpression";
}

/** The access to the member whose name begins where the error does: `x.shape`. */
export function memberAt({ around, start }: Place): MemberExpression | null {
  const found = around.find((one) => one.type === "MemberExpression" && one.property.start === start);
  return (found as MemberExpression | undefined) ?? null;
}

/** The call of what an expression around the error gives; null where it is not called. */
export function callOf({ around }: Place, node: Node): Call | null {
  const parent = around[around.indexOf(node) + 1];
  return isCall(parent) && parent.callee === node ? parent : null;
}

/** The innermost call with the error in one of its arguments. */
export function callAround({ around, start, end }: Place): Call | null {
  const found = around.find(
    (node) => isCall(node) && node.arguments.some((given) => given.start <= start && end <= given.end),
  );
  return (found as Call | undefined) ?? null;
}

/** The same; where the error is in no argument, as for a call with too many, the innermost call that holds it. */
export const callNear = (place: Place): Call | null => callAround(place) ?? place.around.find(isCall) ?? null;

/** `optim.Adam`  ->  `Adam` */
export function nameOf({ callee }: Call): string {
  const name = callee.type === "MemberExpression" ? callee.property : callee;
  return name.type === "Identifier" ? name.name : "";
}

/** The value of an option in an object: of `columns` in `{ columns: ["rent"] }`. */
export function valueOf(place: Pick<Place, "text">, given: Node, name: string): Node | null {
  if (given.type !== "ObjectExpression") return null;
  const found = given.properties.find((one) => one.type === "Property" && written(place, one.key) === name);
  return found?.type === "Property" ? found.value : null;
}

export const camelCase = (name: string): string =>
  name.replace(/(?<=[a-z\d])_([a-z\d])/g, (_, letter: string) => letter.toUpperCase());

/** The call with other arguments, as a replacement. */
export function calledWith(place: Place, call: Call, given: readonly string[], sentence: string): Candidate {
  const { start, end } = call;
  const isNew = call.type === "NewExpression" ? "new " : "";
  return {
    start,
    end,
    text: `${isNew}${written(place, call.callee)}(${given.join(", ")})`,
    sentence,
    isWhole: true,
  };
}

export function replacing({ start, end }: Node, text: string, sentence: string, isWhole = false): Candidate {
  return { start, end, text, sentence, isWhole };
}
