// Finds the tensors that the session's variables hold, by walking plain data from each variable. Does not see what a
// closure or a graph holds.
import type { Tensor } from "../types/index.ts";
import { types } from "node:util";
import { installedSession } from "../../session.ts";
import { describe } from "../vocabulary/arguments.ts";
import { native } from "./native.ts";

/** How far from a variable its tensors are looked for, and how many values are looked at in all. */
const MAX_DEPTH = 6;
const MAX_VALUES = 20_000;

export interface HeldTensor {
  readonly tensor: Tensor;
  readonly variable: string;
  /** The path from the variable on: `model.0.weight`, `losses[3]`. */
  readonly path: string;
}

/** Each tensor once, for the first variable that leads to it. Disposed tensors are left out. */
export function* tensorsOfVariables(): Generator<HeldTensor, void> {
  const seen = new Set<unknown>();
  function* visit(
    value: unknown,
    variable: string,
    path: string,
    depth: number,
  ): Generator<HeldTensor, void> {
    if (typeof value !== "object" && typeof value !== "function") return;
    if (value === null || types.isProxy(value) || ArrayBuffer.isView(value)) return;
    if (seen.has(value) || seen.size >= MAX_VALUES) return;
    seen.add(value);
    if (native.isTensor(value)) {
      if (!native.isDisposed(value)) yield { tensor: value, variable, path };
    } else if (depth < MAX_DEPTH) {
      for (const [key, member] of membersOf(value))
        yield* visit(member, variable, `${path}${key}`, depth + 1);
    }
  }
  for (const [name, value] of installedSession()?.variables() ?? []) yield* visit(value, name, name, 0);
}

/** Plain data alone: an accessor would run the user's code. */
function* membersOf(value: object): Iterable<readonly [key: string, member: unknown]> {
  if (value instanceof Map) {
    for (const [key, member] of value) yield [`.get(${describe(key)})`, member];
    return;
  }
  if (value instanceof Set) {
    for (const member of value) yield ["", member];
    return;
  }
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if ("value" in property) yield [Array.isArray(value) ? `[${key}]` : `.${key}`, property.value];
  }
}
