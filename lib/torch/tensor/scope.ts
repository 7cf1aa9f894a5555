// Implements `tidy`: frees the tensors made inside a function at its end, except those that it returns.
import type { Tensor } from "../types/index.ts";
import { observeCells } from "../../session.ts";
import { describe } from "../vocabulary/arguments.ts";
import { requireFinished } from "../vocabulary/finished.ts";
import { native } from "../engine/native.ts";

const open: number[] = [];

/**
 * Runs `run`, then frees every tensor that it made, but for those in its result (in arrays, objects and Maps too).
 * Tensors that were there before are left alone. Blocks may be nested.
 */
export function tidy<Result>(run: () => Result): Result {
  if (typeof run !== "function")
    throw new TypeError(
      `tidy() takes a function and runs it, as tidy(() => x.mul(2).sum()); it was given ${describe(run)}.`,
    );
  const scope = native.beginScope();
  open.push(scope);
  let kept: Tensor[] = [];
  try {
    const result = requireFinished(
      "tidy()",
      run(),
      "its tensors are freed when it returns. Call tidy() around the synchronous parts, or use `using x = ...`.",
    );
    kept = tensorsIn(result);
    return result;
  } finally {
    if (open.at(-1) === scope) {
      open.pop();
      native.endScope(scope, kept);
    }
  }
}

function tensorsIn(value: unknown): Tensor[] {
  const found: Tensor[] = [];
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null || seen.has(part)) return;
    seen.add(part);
    if (native.isTensor(part)) found.push(part);
    else if (ArrayBuffer.isView(part)) return;
    else if (part instanceof Map) for (const entry of part) visit(entry);
    else if (part instanceof Set) for (const member of part) visit(member);
    else for (const member of Object.values(part)) visit(member);
  };
  visit(value);
  return found;
}

// A cell that was interrupted between the lines above leaves no scope behind.
observeCells({
  cellEnded() {
    for (let scope = open.pop(); scope !== undefined; scope = open.pop()) native.endScope(scope, []);
  },
});
