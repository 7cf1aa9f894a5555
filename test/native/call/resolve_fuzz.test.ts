// Overload resolution (native/call/resolve.cc) by property: arguments made for one overload of an operator are always taken,
// by an overload that fits them, and how they are written down makes no difference.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { torch } from "../../../lib/index.ts";
import { native } from "../../../lib/torch/engine/native.ts";
import { OPERATORS } from "../../../lib/torch/tensor/ops.generated.ts";
import { type Argument, type Operator, readOperator } from "../../../native/codegen/schema.ts";

/** The same arguments each time; another number draws others, and fast-check's report names what failed. */
const SEED = Number(process.env["MPSLAB_FUZZ_SEED"] ?? 20261121);
const RUNS = Number(process.env["MPSLAB_FUZZ_RUNS"] ?? 1500);

const tensors = [torch.ones([2, 2]), torch.tensor(2), torch.zeros([0, 3]), torch.tensor([true, false])];
const generator = new torch.Generator();

/** Values of each kind of the schemas, as a user may write them. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Tensor: fc.constantFrom(...tensors),
  Scalar: fc.constantFrom<unknown>(0, -1, 1.5, NaN, true, 3n, { re: 1, im: -1 }),
  int: fc.constantFrom<unknown>(0, -1, 7, 2n),
  float: fc.constantFrom<unknown>(0.5, -1, Infinity, 2n),
  bool: fc.boolean(),
  str: fc.constantFrom("mean", "ij,jk->ik", ""),
  ScalarType: fc.constantFrom("float32", "int64", "complex64"),
  Layout: fc.constantFrom("strided", "sparse_coo"),
  Device: fc.constantFrom("cpu", "meta"),
  MemoryFormat: fc.constantFrom("contiguous_format", "preserve_format"),
  Generator: fc.constant(generator),
};
const SAME: Readonly<Record<string, string>> = { number: "Scalar", SymInt: "int", SymBool: "bool" };

/** `int[2]?` -> lists of integers */
function valueOf(type: string): fc.Arbitrary<unknown> {
  if (type.endsWith("?")) return valueOf(type.slice(0, -1));
  const list = /^(.*)\[(\d*)\]$/.exec(type);
  if (list === null) return VALUES[SAME[type] ?? type]!;
  const [, element, length] = list;
  const sizes =
    length === "" ? { minLength: 1, maxLength: 3 } : { minLength: Number(length), maxLength: Number(length) };
  return fc.array(valueOf(element!), sizes);
}

interface Given {
  readonly name: string;
  readonly overload: string;
  readonly places: readonly unknown[];
  readonly options: readonly (readonly [string, unknown])[];
  /** Whether another argument has a place after those. */
  readonly hasRoom: boolean;
}

/** The required arguments, the optional ones up to some place, and some of the named ones. */
function callOf({ name, overload, arguments: all }: Operator): fc.Arbitrary<Given> {
  const places = all.filter((one) => !one.keywordOnly);
  const named = all.filter((one) => one.keywordOnly);
  const required = places.findLastIndex((one) => one.default === undefined) + 1;
  const optional = (one: Argument) =>
    valueOf(one.type).map((value) => [[one.name, value] as const] as readonly (readonly [string, unknown])[]);
  return fc
    .record({
      count: fc.integer({ min: required, max: places.length }),
      values: fc.tuple(...places.map(({ type }) => valueOf(type))),
      options: fc.tuple(
        ...named.map((one) =>
          one.default === undefined ? optional(one) : fc.oneof(fc.constant([]), optional(one)),
        ),
      ),
    })
    .map(({ count, values, options }) => ({
      name,
      overload,
      places: values.slice(0, count),
      options: options.flat(),
      hasRoom: count < places.length,
    }));
}

const names = [
  ...new Set(
    Object.values(OPERATORS)
      .flatMap((table) => table.split(" "))
      .map((entry) => /^(?:.*=)?([^:]*):/.exec(entry)![1]!),
  ),
];

const calls = fc
  .constantFrom(...names)
  .chain((name) => fc.constantFrom(...native.schemas(native.operator(name))))
  .map((schema) => readOperator({ func: schema.replace(/^aten::/, "") }))
  .chain(callOf);

const written = ({ places, options }: Pick<Given, "places" | "options">): unknown[] =>
  options.length > 0 ? [...places, Object.fromEntries(options)] : [...places];

const property = (holds: (call: Given) => void) =>
  fc.assert(fc.property(calls, holds), { seed: SEED, numRuns: RUNS });

describe("arguments made for one overload", () => {
  it("are taken, by an overload that takes them by itself too", () => {
    property((call) => {
      const chosen = native.resolvedOverload(native.operator(call.name), ...written(call));
      const alone = native.overload(call.name, chosen);
      expect(native.resolvedOverload(alone, ...written(call))).toBe(chosen);
    });
  });

  it("are taken by that overload, where it is asked for by its name", () => {
    property((call) => {
      const id = native.overload(call.name, call.overload);
      expect(native.resolvedOverload(id, ...written(call))).toBe(call.overload);
    });
  });

  it("mean the same in any order of the options, and with undefined for what is left out", () => {
    property((call) => {
      const id = native.operator(call.name);
      const chosen = native.resolvedOverload(id, ...written(call));
      const reversed = { ...call, options: call.options.toReversed() };
      expect(native.resolvedOverload(id, ...written(reversed))).toBe(chosen);
      if (call.options.length > 0 || !call.hasRoom) return;
      // It may be another overload that means the same, as all.dims, whose dim of None means all dimensions.
      const other = native.resolvedOverload(id, ...call.places, undefined);
      const alone = native.overload(call.name, other);
      expect(native.resolvedOverload(alone, ...call.places)).toBe(other);
    });
  });
});
