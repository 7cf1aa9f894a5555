// Runs a function inside of one of libtorch's transforms, and leaves the transform however the function ends.
import { observeCells } from "../../session.ts";
import { native, whenLoaded } from "../engine/native.ts";
import { requireFinished } from "../vocabulary/finished.ts";
import type { Func } from "./function_types.ts";

/** Calls a function that a transform runs. */
export function called(call: string, func: Func, inputs: readonly unknown[]): unknown {
  return requireFinished(call, func(...inputs), "the transform ends when it returns: await outside of it.");
}

/** @param enter begins the transform and returns its level, by which its tensors are wrapped */
function within<Result>(enter: () => number, run: (level: number) => Result): Result {
  const before = native.transformDepth();
  const level = enter();
  try {
    return run(level);
  } finally {
    native.popTransforms(before);
  }
}

/** What a random operator does in vmap: fails, draws anew for each example, or draws once for all. */
export const RANDOMNESS = ["error", "same", "different"] as const;
export type Randomness = (typeof RANDOMNESS)[number];

/** Runs `run` for all examples at once. Its tensors lack the dimension of the batch. */
export function withinVmap<Result>(
  batchSize: number,
  randomness: Randomness,
  run: (level: number) => Result,
): Result {
  return within(() => native.pushVmap(batchSize, RANDOMNESS.indexOf(randomness)), run);
}

/** Runs `run` so that gradients of its level are recorded apart from those around it. */
export function withinGrad<Result>(run: (level: number) => Result): Result {
  return within(() => native.pushGrad(), run);
}

// No `finally` runs in a cell that Stop ended.
whenLoaded(() => observeCells({ cellEnded: () => native.popTransforms(0) }));
