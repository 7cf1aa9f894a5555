// A teller says in one sentence what an error of TypeScript means for code with tensors.
import type { CallExpression, NewExpression, Node } from "oxc-parser";

/** An error as the server words it; offsets are of the cell's text. */
export interface Complaint {
  readonly code: number;
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** The text of a node. */
export type Written = (node: Node) => string;

export interface Teller {
  readonly codes: readonly number[];
  readonly about: RegExp;
  /** The sentence, where the node is the one that is complained of. */
  tell(node: Node, complaint: Complaint, written: Written): string | null;
}

export type Call = CallExpression | NewExpression;

/** The call of which one argument is complained of, or a part of one. */
export function callAround(node: Node, { start, end }: Complaint): Call | null {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return null;
  return node.arguments.some((argument) => argument.start <= start && end <= argument.end) ? node : null;
}

/** `optim.Adam`  ->  `Adam` */
export function nameOf({ callee }: Call): string {
  const name = callee.type === "MemberExpression" ? callee.property : callee;
  return name.type === "Identifier" ? name.name : "";
}

/** The call with other arguments, as it would be written. */
export function calledWith(call: Call, given: readonly string[], written: Written): string {
  return `${call.type === "NewExpression" ? "new " : ""}${written(call.callee)}(${given.join(", ")})`;
}
