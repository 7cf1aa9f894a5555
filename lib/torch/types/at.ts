// Parts of a tensor by index, as `x.at(0, null, torch.slice(1, 3))` takes them. Pure types.
import type { Slice } from "../indexing.ts";
import type { Ranked } from "./known.ts";

/** `[2, 3, 4]` at `0` -> `[3, 4]`; at `(slice, null)` -> `[number, 1, 3, 4]`; at a tensor or an array: not known */
export type PartShape<S, Indices> = S extends Ranked ? Taken<S, Indices> : number[];

type Taken<S extends readonly unknown[], Indices, Done extends unknown[] = []> = Indices extends readonly [
  infer Index,
  ...infer More,
]
  ? [Index] extends [null]
    ? Taken<S, More, [...Done, 1]>
    : [Index] extends ["..."]
      ? More extends readonly []
        ? [...Done, ...S]
        : number[]
      : S extends readonly [unknown, ...infer Rest]
        ? [Index] extends [number | bigint]
          ? Taken<Rest, More, Done>
          : [Index] extends [Slice]
            ? Taken<Rest, More, [...Done, number]>
            : number[]
        : number[]
  : Indices extends readonly []
    ? [...Done, ...S]
    : number[];
