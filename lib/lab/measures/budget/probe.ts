// Observes one training step on the CPU: what autograd saves for backward by layer, and the peak of each part of the
// step.
import { native, replaceNative } from "../../../torch/engine/native.ts";
import { observeCalls, tensorsAmong } from "../../../torch/engine/observe.ts";
import { collectGarbage } from "../../../torch/engine/garbage.ts";
import type { Module } from "../../../torch/nn/module/module.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import { settled, type Steps } from "../../core/run_steps.ts";

export const PARTS = ["forward", "backward", "optimizer"] as const;
export type Part = (typeof PARTS)[number];

/** Smaller results may stay uncollected, because a collection takes a millisecond. */
const UNCOLLECTED_BYTES = 2 ** 15;

export interface Probe {
  /** The peak of live tensors in each part, in bytes above parameters, buffers and optimizer state. */
  readonly peakBytes: Readonly<Record<Part, number>>;
}

/**
 * Runs a step that starts without gradients, and reads the allocator between its parts. Garbage is collected after
 * every operator, because its amount would otherwise depend on the collector and spoil the linear extrapolation.
 */
export function* probePeaks(model: Module, step: () => unknown): Steps<Probe> {
  model.zeroGrad();
  collectGarbage("full");
  native.resetPeak("cpu");
  const baseBytes = native.memoryStats("cpu").allocatedBytes;
  const peakBytes: Record<Part, number> = { forward: 0, backward: 0, optimizer: 0 };
  const close = (part: Part): void => {
    peakBytes[part] = Math.max(peakBytes[part], native.memoryStats("cpu").peakBytes - baseBytes);
    native.resetPeak("cpu");
  };
  let madeBytes = 0;
  const stopCollecting = observeCalls(({ result }) => {
    for (const tensor of tensorsAmong(result))
      if (!native.isDisposed(tensor)) madeBytes += native.storage(tensor).bytes;
    if (madeBytes < UNCOLLECTED_BYTES) return;
    collectGarbage("full");
    madeBytes = 0;
  });
  const restore = replaceNative((own) => ({
    backward(...args) {
      close("forward");
      try {
        own.backward(...args);
      } finally {
        close("backward");
      }
    },
  }));
  try {
    yield* settled(step());
  } finally {
    restore();
    stopCollecting();
  }
  close("optimizer");
  return { peakBytes };
}

/**
 * Returns the bytes that a step's forward saves for backward, by the module that was running. Counts each storage once,
 * and no parameters. Sources: `torch/autograd/graph.py`, saved tensor hooks.
 */
export function* probeSaved(model: Module, step: () => unknown): Steps<Map<string, number>> {
  const names = new Map([...model.namedModules()].map(([name, module]) => [module, name]));
  const running: string[] = [];
  const handles = [...names].flatMap(([module, name]) => [
    module.registerForwardPreHook(() => void running.push(name)),
    module.registerForwardHook(() => void running.pop(), { alwaysCall: true }),
  ]);
  const address = (tensor: Tensor) => native.storage(tensor).address;
  const own = new Set([...model.parameters(), ...model.buffers()].map(address));
  const seen = new Set<bigint>();
  const byModule = new Map<string, number>();
  native.pushSavedTensorHooks(
    (tensor) => {
      const { address: at, bytes } = native.storage(tensor);
      if (!own.has(at) && !seen.has(at)) {
        seen.add(at);
        const name = running.at(-1) ?? "";
        byModule.set(name, (byModule.get(name) ?? 0) + bytes);
      }
      return { tensor };
    },
    ({ tensor }) => tensor,
  );
  try {
    yield* settled(step());
  } finally {
    native.popSavedTensorHooks();
    for (const handle of handles) handle.remove();
  }
  return byModule;
}
