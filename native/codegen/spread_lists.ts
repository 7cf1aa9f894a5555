// Finds the lists whose elements PyTorch also takes one by one: `torch.zeros(2, 3)`, `x.view(2, -1)`,
// `torch.meshgrid(x, y)`. Its parser of arguments spreads a list of integers that is the only positional argument; its
// functions in Python take any number of tensors.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Argument, Operator } from "./schema.ts";

/** What decides it beside the operator's schema. */
export interface SpreadForm {
  /** Whether it is written as a method, so that the tensor itself is no argument. */
  readonly method: boolean;
  /** Whether PyTorch's own function, which is written in Python, takes any number of tensors: `meshgrid(*tensors)`. */
  readonly variadic?: boolean;
}

/** Where a list may be spread. */
export interface Spread {
  /** The place of its first element among the arguments. */
  readonly at: number;
  /** Whether an overload takes one element alone, which is no list then: `squeeze(0)`. */
  readonly isAlone: boolean;
}

/** Returns the names of functions that take any number of tensors: `def meshgrid(*tensors, indexing=None)`. */
export function readVariadicFunctions(torchFolder: string): ReadonlySet<string> {
  const file = path.join(torchFolder, "functional.py");
  const source = existsSync(file) ? readFileSync(file, "utf8") : "";
  return new Set(Array.from(source.matchAll(/^ *def ([a-z]\w*)\(\*\w/gm), ([, name]) => name!));
}

const positional = (operator: Operator, { method }: SpreadForm): Argument[] =>
  operator.arguments.filter(({ name, keywordOnly }) => !keywordOnly && !(method && name === "self"));

/** The argument of an overload that may be spread. */
export function spreadArgument(operator: Operator, form: SpreadForm): Argument | undefined {
  const places = positional(operator, form);
  const last = places.at(-1);
  if (form.variadic) return last?.type === "Tensor[]" ? last : undefined;
  return places.length === 1 && /^(Sym)?[Ii]nt\[\]$/.test(last!.type) ? last : undefined;
}

export function readSpread(overloads: readonly Operator[], form: SpreadForm): Spread | undefined {
  const spread = overloads.find((operator) => spreadArgument(operator, form) !== undefined);
  if (spread === undefined) return undefined;
  const at = positional(spread, form).length - 1;
  const element = spreadArgument(spread, form)!
    .type.replace(/^Sym|\[\]$/g, "")
    .toLowerCase();
  const typesThere = overloads.map((operator) => positional(operator, form)[at]?.type ?? "");
  const isAlone = typesThere.some((type) => type.replace(/^Sym|\?$/g, "").toLowerCase() === element);
  return { at, isAlone };
}
