// How collectives combine the values of the ranks.
import { checkChoice } from "../vocabulary/arguments.ts";

/** A reduction by name. */
export type ReduceOpName = "sum" | "avg" | "product" | "min" | "max" | "band" | "bor" | "bxor";

/** Reductions under PyTorch's names: `ReduceOp.SUM`. Their values are the names that calls take: `"sum"`. */
export const ReduceOp = {
  SUM: "sum",
  AVG: "avg",
  PRODUCT: "product",
  MIN: "min",
  MAX: "max",
  BAND: "band",
  BOR: "bor",
  BXOR: "bxor",
} as const satisfies Readonly<Record<string, ReduceOpName>>;

/** In the order of c10d's numbers. */
const NAMES = Object.values(ReduceOp);

/** c10d's number of a reduction. */
export function reduceOpNumber(call: string, value: unknown): number {
  return NAMES.indexOf(checkChoice(call, "op", value, NAMES));
}
