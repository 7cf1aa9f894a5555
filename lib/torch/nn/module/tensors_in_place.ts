// Copies a module's tensors, and runs a module with such copies in place of its own tensors. A module's code is not
// copied, so that modules of any class can be: private fields belong to the original.
import { isThenable } from "../../vocabulary/arguments.ts";
import { requireBegun } from "../../vocabulary/finished.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { copyOwned } from "./copy.ts";
import { membersOfModule, namesAreKeys, setField } from "./members.ts";
import { Module } from "./module.ts";
import { markOf } from "./parameter.ts";

/** The tensors of a module under the names that they have there, without its code. */
class TensorCopies extends Module {
  override forward(): never {
    throw new TypeError(
      "These are a model's tensors without its code; call the model that they are kept for.",
    );
  }
}

/** Copies of all parameters and buffers, at the same paths; what is shared is shared among the copies too. */
export function copyTensors(call: string, module: Module): Module {
  const copies = new Map<Tensor | Module, Tensor | Module>();
  const copied = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copied);
    if (!(value instanceof Module) && markOf(value) === undefined) return null;
    const owned = value as Tensor | Module;
    if (!copies.has(owned)) copies.set(owned, owned instanceof Module ? tree(owned) : copyOwned(call, owned));
    return copies.get(owned);
  };
  const tree = (from: Module): Module => {
    const to = new TensorCopies();
    to.training = from.training;
    if (namesAreKeys in from) Object.defineProperty(to, namesAreKeys, { value: true });
    const names = new Set(Array.from(membersOfModule(from), ({ path }) => path.split(".", 1)[0]!));
    for (const name of names) setField(to, name, copied((from as unknown as Record<string, unknown>)[name]));
    return to;
  };
  module.modules(); // refuses a module inside itself
  return tree(module);
}

type Fields = Record<string, unknown>;

/** Puts the tensors of `from` into `to`, field by field; `undo` gets what puts each back. */
function exchange(to: Fields, from: Fields, undo: (() => void)[]): void {
  for (const [name, value] of Object.entries(from)) {
    const own = to[name];
    if (Array.isArray(value) && Array.isArray(own)) {
      exchange(own as unknown as Fields, value as unknown as Fields, undo);
    } else if (value instanceof Module && own instanceof Module) {
      exchange(own as unknown as Fields, value as unknown as Fields, undo);
    } else if (markOf(value) !== undefined || name === "training") {
      undo.push(() => (to[name] = own));
      to[name] = value;
    }
  }
}

/**
 * Runs `fn` with the copies, and their modules' `training`, in the place of the module's own; where it gives a promise,
 * until that is settled.
 */
export function withTensors<Result>(module: Module, copies: Module, fn: () => Result): Result {
  const undo: (() => void)[] = [];
  const restore = () => {
    for (const back of undo.reverse()) back();
  };
  let result: Result;
  try {
    exchange(module as unknown as Fields, copies as unknown as Fields, undo);
    result = requireBegun(module.constructor.name, fn());
  } catch (error) {
    restore();
    throw error;
  }
  if (isThenable(result)) return Promise.resolve(result).finally(restore) as Result;
  restore();
  return result;
}
