// Lists the layers that keep neither their input nor their output. Between two of them only the layers see a result,
// so Sequential and composed layers free it at once; autograd keeps what it needs in the graph until the backward
// pass. A loop that waits for the collector instead holds 300 MB more on MNIST and finds its memory cold.
import { hasHooks } from "./hooks.ts";
import type { Module } from "./base.ts";

const forwards = new WeakSet<object>();

/** Marks classes whose layers keep nothing. The files of such layers call it. */
export function keepNothing(...classes: readonly { readonly prototype: Module }[]): void {
  for (const { prototype } of classes) forwards.add(prototype.forward);
}

export function keepsNothing(layer: Module): boolean {
  return forwards.has(layer.forward) && !hasHooks([layer]);
}
