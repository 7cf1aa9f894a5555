// Makes the results of an operator that have names, as PyTorch's named tuples: an array whose elements are also
// properties.
//
//     const [values, indices] = x.max(1);   const { values, indices } = x.max(1);   x.max(1).values
//
// Each operator has a class with the names on its prototype, so that its results cost no more than an array of them.
import { type Native, whenLoaded } from "../engine/native.ts";
import { formatTensor } from "./print/print.ts";

abstract class NamedResults extends Array<unknown> {
  /** Results of `map` and `slice` have no names. */
  static override get [Symbol.species]() {
    return Array;
  }
  /** Called by `console.log`. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

/** A list of tensors is a tuple in Python; an undefined tensor None. */
function formatResult(result: unknown): string {
  if (!Array.isArray(result)) return result === null ? "None" : formatTensor(result as never);
  return `(${result.map(formatResult).join(", ")}${result.length === 1 ? "," : ""})`;
}

const makeClass: Parameters<Native["setResultsClassMaker"]>[0] = (operator, names) => {
  class Results extends NamedResults {
    override toString(): string {
      const results = names.map((name, at) => `${name}=${formatResult(this[at])}`);
      return `torch.return_types.${operator}(\n${results.join(",\n")})`;
    }
  }
  for (const [at, name] of names.entries()) {
    Object.defineProperty(Results.prototype, name, {
      get(this: unknown[]) {
        return this[at];
      },
    });
  }
  return Results;
};

whenLoaded((native) => native.setResultsClassMaker(makeClass));
