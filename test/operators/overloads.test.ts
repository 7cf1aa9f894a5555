// Every overload of libtorch's operators can be called: arguments made from its schema fit it.
import type { OperatorId } from "../../lib/torch/engine/fast_call.ts";
import { describe, expect, it } from "vitest";
import { native } from "../../lib/torch/engine/native.ts";
import { torch } from "../../lib/index.ts";
import { type Argument, type Operator, readOperator } from "../../native/codegen/schema.ts";
import { OPERATORS } from "../../lib/torch/tensor/ops.generated.ts";

const x = torch.zeros([2, 2]);

/** A value of each type of the schemas. */
const VALUES: Readonly<Record<string, unknown>> = {
  Tensor: x,
  Scalar: 1.5,
  number: 1.5,
  int: 1,
  SymInt: 1,
  float: 0.5,
  bool: true,
  SymBool: true,
  str: "mean",
  ScalarType: "float32",
  Layout: "strided",
  Device: "cpu",
  MemoryFormat: "contiguous_format",
};

/** JavaScript has no generators: one that may be left out is, one that may not is null, which is the default one. */
const isLeftOut = ({ type, default: value }: Argument) => type === "Generator?" && value !== undefined;

/** `int[2]?` -> `[1, 1]` */
function valueOf(type: string): unknown {
  if (type === "Generator?") return null;
  if (type.endsWith("?")) return valueOf(type.slice(0, -1));
  const list = /^(.*)\[(\d*)\]$/.exec(type);
  if (list !== null) return Array.from({ length: Number(list[2] || 2) }, () => valueOf(list[1]!));
  if (!(type in VALUES)) throw new TypeError(`No value is known for the schema type ${type}`);
  return VALUES[type];
}

/** Each argument of the schema, positional ones by place and the others by name; or those without a default only. */
function argumentsOf({ arguments: all }: Operator, complete: boolean): unknown[] {
  const given = all.filter((one) => !isLeftOut(one) && (complete || one.default === undefined));
  const named = given.filter((one) => one.keywordOnly).map((one) => [one.name, valueOf(one.type)]);
  // An argument that is left out between two given ones is undefined.
  const places = all
    .filter((one) => !one.keywordOnly)
    .map((one) => (given.includes(one) ? valueOf(one.type) : undefined));
  return named.length > 0 ? [...places, Object.fromEntries(named)] : places;
}

const names = Object.values(OPERATORS)
  .flatMap((table) => table.split(" "))
  .map((entry) => /^(?:.*=)?([^:]*):/.exec(entry)![1]!);

function overloadsOf(name: string): { operator: Operator; id: OperatorId }[] {
  return native
    .schemas(native.operator(name))
    .map((text) => readOperator({ func: text.replace(/^aten::/, "") }))
    .map((operator) => ({ operator, id: native.overload(name, operator.overload) }));
}

const overloads = [...new Set(names)].flatMap(overloadsOf);
const title = ({ operator }: { operator: Operator }) => `${operator.name}.${operator.overload || "default"}`;

describe("every overload", () => {
  it("of the public operators is looked at", () => {
    expect(overloads.length).toBeGreaterThan(1800);
  });

  it("takes all of its arguments", () => {
    const refused = overloads.filter(({ operator, id }) => !fits(id, argumentsOf(operator, true), operator));
    expect(refused.map(title)).toEqual([]);
  });

  it("takes its required arguments alone", () => {
    const refused = overloads.filter(({ operator, id }) => !fits(id, argumentsOf(operator, false), operator));
    expect(refused.map(title)).toEqual([]);
  });
});

function fits(id: OperatorId, args: unknown[], { overload }: Operator): boolean {
  try {
    return native.resolvedOverload(id, ...args) === overload;
  } catch {
    return false;
  }
}
