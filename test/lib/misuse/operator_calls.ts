// Calls of libtorch's operators, made from their schemas: each argument of a value of its kind. What the operator makes
// of the values is its own affair; what stands for one of them must be refused in words.
import { torch } from "../../../lib/index.ts";
import { native } from "../../../lib/torch/engine/native.ts";
import { OPERATORS } from "../../../lib/torch/tensor/ops.generated.ts";
import { type Argument, readOperator } from "../../../native/codegen/schema.ts";
import type { RightCalls } from "./right_calls/right_calls.ts";

/** A value of each kind of the schemas. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  Tensor: () => torch.ones([2, 2]),
  Scalar: () => 1.5,
  number: () => 1.5,
  int: () => 1,
  SymInt: () => 1,
  float: () => 0.5,
  bool: () => true,
  SymBool: () => true,
  str: () => "mean",
  ScalarType: () => "float32",
  Layout: () => "strided",
  Device: () => "cpu",
  MemoryFormat: () => "contiguous_format",
  Generator: () => new torch.Generator(),
};

/** `int[2]?` -> `[1, 1]` */
function valueOf(type: string): unknown {
  if (type.endsWith("?")) return valueOf(type.slice(0, -1));
  const list = /^(.*)\[(\d*)\]$/.exec(type);
  if (list === null) return VALUES[type]!();
  return Array.from({ length: Number(list[2] || 2) }, () => valueOf(list[1]!));
}

const camel = (name: string) => name.replace(/(?<=.)_+([a-z0-9])/g, (_, next: string) => next.toUpperCase());

function argumentsOf(name: string): unknown[] {
  const [schema] = native.schemas(native.operator(name));
  const all = readOperator({ func: schema!.replace(/^aten::/, "") }).arguments;
  const places = all.filter((one) => !one.keywordOnly).map(({ type }) => valueOf(type));
  // A pair of tensors to write to would resize them: that is another call.
  const isNamed = ({ keywordOnly, written, default: value }: Argument) =>
    keywordOnly && !written && value !== undefined;
  const options = all.filter(isNamed).map((one) => [camel(one.name), valueOf(one.type)] as const);
  return options.length > 0 ? [...places, Object.fromEntries(options)] : places;
}

const SPACES: Readonly<Record<string, string>> = { "": "torch", nn: "functional" };

/**
 * Returns a right call for each function and method of the generated declarations. Those that are written by hand are
 * in `right_calls/`.
 */
export function operatorCalls(): RightCalls {
  const calls: Record<string, () => readonly unknown[]> = {};
  for (const [space, table] of Object.entries(OPERATORS)) {
    for (const entry of table.split(" ")) {
      const [, given, operator] = /^(?:(.*)=)?([^:]*):/.exec(entry)!;
      const make = () => argumentsOf(operator!);
      for (const path of [SPACES[space] ?? `torch.${space}`, "torch", "functional"])
        calls[`${path}.${given ?? operator}`] ??= make;
      calls[`Tensor#${given ?? operator}`] = make;
    }
  }
  return calls;
}
