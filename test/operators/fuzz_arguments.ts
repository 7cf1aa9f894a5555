// A call of any overload that libtorch has, with arguments drawn from a number: the same number draws the same call in
// each process, so that a call that ends its process can be made again alone, and by Python.
import { native } from "../../lib/torch/engine/native.ts";
import { type Argument, type Operator, readOperator } from "../../native/codegen/schema.ts";
import { EXCLUDED } from "./fuzz_excluded.ts";
import { type Drawn, drawValue, isDrawable, pick } from "./fuzz_values.ts";
import { seededRandom } from "../../lib/statistics/seeded_random.ts";

/** Sorted: libtorch lists them as they lie in a table of hashes. */
const overloads: readonly Operator[] = native
  .everySchema()
  .toSorted()
  .map((schema) => readOperator({ func: schema.replace(/^aten::/, "") }))
  .filter((one) => !EXCLUDED.has(one.name) && one.arguments.every(({ type }) => isDrawable(type)));

export const overloadCount = overloads.length;

export interface FuzzCall {
  /** The operator and its overload: `add.Tensor`. */
  readonly text: string;
  /** The same call in Python. */
  readonly python: string;
  readonly run: () => unknown;
}

/** A call of one overload; `named` are the arguments given by name. */
export function makeCall(
  { name, overload }: Pick<Operator, "name" | "overload">,
  places: readonly Drawn[],
  named: Readonly<Record<string, Drawn>>,
): FuzzCall {
  const options = Object.entries(named);
  const written = [
    ...places.map(({ python }) => python),
    ...options.map(([option, { python }]) => `${option}=${python}`),
  ];
  return {
    text: `${name}${overload && `.${overload}`}`,
    python: `torch.ops.aten.${name}.${overload || "default"}(${written.join(", ")})`,
    run: () => {
      const values = places.map(({ make }) => make());
      if (options.length > 0)
        values.push(Object.fromEntries(options.map(([option, { make }]) => [option, make()])));
      return native.call(native.overload(name, overload), ...values);
    },
  };
}

/** The call of this number. */
export function fuzzCall(number: number): FuzzCall {
  const draw = seededRandom(number);
  const operator = pick(draw, overloads);
  const given = (one: Argument) => one.default === undefined || draw() < 0.5;
  const places: Drawn[] = [];
  for (const one of operator.arguments.filter((one) => !one.keywordOnly)) {
    if (!given(one)) break;
    places.push(drawValue(one.type, draw));
  }
  const named = operator.arguments.filter((one) => one.keywordOnly && given(one));
  return makeCall(
    operator,
    places,
    Object.fromEntries(named.map((one) => [one.name, drawValue(one.type, draw)])),
  );
}
