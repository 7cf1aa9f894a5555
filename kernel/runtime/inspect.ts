// What is known of a live value, for hover: shape, dtype, device and bytes of a tensor, else its type and a preview.
// Runs nothing of the user's.
import { inspect } from "node:util";
import type { Evaluator } from "./evaluate.ts";

const DOTTED_NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\.[\p{ID_Start}$_][\p{ID_Continue}$]*)*$/u;

interface TensorLike {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly device: string;
  readonly nbytes?: number;
}

/** Null where the name has no value, or where reading it would run code. */
export function describeValue(evaluator: Evaluator, expression: string): string | null {
  if (!DOTTED_NAME.test(expression)) return null;
  const found = evaluator.peek(expression, { allowSideEffects: false });
  if (found === undefined) return null;
  const { value } = found;
  if (isTensorLike(value)) return describeTensor(value);
  const kind = value === null ? "null" : typeof value === "object" ? nameOfClass(value) : typeof value;
  return `${kind}: ${inspect(value, { depth: 1, maxArrayLength: 10, maxStringLength: 200, getters: false })}`;
}

function isTensorLike(value: unknown): value is TensorLike {
  if (typeof value !== "object" || value === null) return false;
  const { shape, dtype, device } = value as Partial<TensorLike>;
  return Array.isArray(shape) && typeof dtype === "string" && typeof device === "string";
}

function describeTensor({ shape, dtype, device, nbytes }: TensorLike): string {
  const bytes = nbytes === undefined ? "" : `, ${nbytes.toLocaleString("en-US")} bytes`;
  return `Tensor [${shape.join(", ")}], ${dtype}, on ${device}${bytes}`;
}

function nameOfClass(value: object): string {
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
  return prototype?.constructor?.name ?? "Object";
}
