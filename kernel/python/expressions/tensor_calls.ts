// Converts calls of tensors' methods that have another name here, and tensors that are made of tensors. It does not know the
// methods that are only written in camelCase.
import type { Arguments } from "./arguments.ts";
import { type Code, code, receiver } from "../code.ts";
import { type Context, library, mark } from "../context.ts";
import { elementOf, type Kind } from "../kinds.ts";
import { camelCase } from "../names/names.ts";
import { callTexts } from "./own_calls.ts";
import type { Node } from "../source/syntax.ts";

/** A call of a tensor's method that is something else here, or null. */
export function tensorMethod(
  of: Code,
  name: string,
  given: Arguments,
  context: Context,
  node: Node,
): Code | null {
  const otherwise = WRITTEN_OTHERWISE[name];
  if (otherwise !== undefined) return code(`${receiver(of)}.${otherwise[0]}`, otherwise[1]);
  const count = given.positional.length;
  const texts = (): string => callTexts(given, context, node, of.text, name);
  switch (name) {
    case "numpy":
      mark(
        context,
        node,
        "there is no numpy here: the array is the tensor itself, and std and var divide by n - 1",
      );
      return of;
    case "size":
      return count + given.keywords.length === 0 ? code(`${receiver(of)}.shape`, "list number") : null;
    // Methods of numpy's arrays.
    case "astype":
      return code(`${receiver(of)}.to(${texts()})`, "tensor");
    case "copy":
      return code(`${receiver(of)}.clone()`, of.kind);
    case "transpose":
      return count > 2 ? code(`${receiver(of)}.permute([${texts()}])`, of.kind) : null;
    case "new_tensor":
      return newTensorCode(of, given, context);
    case "type":
      return count === 1 ? code(`${receiver(of)}.to(${given.positional[0]!.value.text})`, "tensor") : null;
    default:
      return null;
  }
}

/** Members of tensors that are something else here. */
const WRITTEN_OTHERWISE: Readonly<Record<string, readonly [text: string, kind: Kind]>> = {
  element_size: ["itemsize", "int"],
  _nnz: ["values().length", "int"],
  to_sparse_coo: ["toSparse()", "tensor"],
  nelement: ["numel()", "int"],
  ndimension: ["dim()", "int"],
};

/** `set_to_none=False`; without it gradients are dropped in both languages. */
export function zeroGradText({ positional, keywords }: Arguments): string {
  const value = positional[0] ?? keywords.find(({ name }) => name === "set_to_none");
  return value === undefined ? "" : value.value.text;
}

/** `torch.tensor([a, b])` of tensors with one element each, of which it takes the numbers. */
export function ofScalars(values: Code, given: Arguments, context: Context): Code {
  const stacked = `${library(context, "torch")}.stack(${receiver(values)}.map((one) => one.reshape([]))).detach()`;
  const options = given.keywords.map((one) => `.to(${one.value.text})`);
  return code([stacked, ...options].join(""), elementOf(values.kind));
}

/** `torch.tensor(x, dtype=torch.float)` of a tensor copies it, `torch.as_tensor(x)` does not. */
export function ofTensor(of: Code, { keywords }: Arguments, isShared: boolean): Code {
  const needs = keywords.find(({ name }) => name === "requires_grad");
  const moves = keywords.filter((one) => one !== needs).map(({ value }) => `.to(${value.text})`);
  const copied = isShared ? "" : ".detach().clone()";
  const asked = needs === undefined ? "" : `.requiresGrad_(${needs.value.text})`;
  return code([receiver(of), copied, ...moves, asked].join(""), moves.length > 0 ? "tensor" : of.kind);
}

/** `x.new_tensor([1, 2])` -> `torch.tensor([1, 2], { dtype: x.dtype, device: x.device })` */
function newTensorCode(of: Code, given: Arguments, context: Context): Code {
  // What is more than a name is computed once.
  const like = /^[\w.]+$/.test(of.text) ? of.text : "like";
  const named = given.keywords.map((one) => [camelCase(one.name), one.value.text] as const);
  const options = { dtype: `${like}.dtype`, device: `${like}.device`, ...Object.fromEntries(named) };
  const written = Object.entries(options).map(([key, value]) => `${key}: ${value}`);
  const values = given.positional[0]?.value.text ?? "[]";
  const text = `${library(context, "torch")}.tensor(${values}, { ${written.join(", ")} })`;
  return code(like === of.text ? text : `((like) => ${text})(${of.text})`, "tensor");
}
