// Lets users replace how the graph keeps tensors for backward: packed, compressed, or on the CPU. Checkpoints use the
// same hooks (`../nn/utilities/checkpoint.ts`). torch/autograd/graph.py
import { requireFunction } from "../vocabulary/arguments.ts";
import { requireFinished } from "../vocabulary/finished.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";

export { type MultiGradHookOptions, registerMultiGradHook } from "./multi_grad_hook.ts";

/**
 * Runs `run`; in place of each tensor that its operations save for backward, the graph keeps what `pack` makes of it,
 * and backward gets what `unpack` makes of that: a tensor of the same shape, dtype and device. In nested blocks the
 * innermost one applies. Refuses an async function.
 *
 *     const pack = (x: Tensor) => x.to("float16");
 *     const loss = autograd.graph.savedTensorsHooks(pack, (half) => half.float(), () => model(x).sum());
 */
export function savedTensorsHooks<Packed, Result>(
  pack: (tensor: Tensor) => Packed,
  unpack: (packed: Packed) => Tensor,
  run: () => Result,
): Result {
  for (const hook of [pack, unpack, run]) requireFunction("savedTensorsHooks", hook);
  return within("savedTensorsHooks", pack, unpack, run);
}

/**
 * Runs `run`. What its operations save for backward is kept in the host's memory, and is copied back to its device when
 * backward needs it: this saves memory on the device but takes time. Refuses an async function.
 */
export function saveOnCpu<Result>(run: () => Result): Result {
  requireFunction("saveOnCpu", run);
  const pack = (tensor: Tensor) => ({ device: native.device(tensor), onCpu: tensor.cpu() });
  return within("saveOnCpu", pack, ({ device, onCpu }) => onCpu.to(device) as Tensor, run);
}

function within<Packed, Result>(
  call: string,
  pack: (tensor: Tensor) => Packed,
  unpack: (packed: Packed) => Tensor,
  run: () => Result,
): Result {
  native.pushSavedTensorHooks(
    (tensor) => ({ packed: pack(tensor) }),
    ({ packed }) => unpack(packed),
  );
  try {
    return requireFinished(
      `${call}()`,
      run(),
      "the hooks end when it returns. Call it around the synchronous parts.",
    );
  } finally {
    native.popSavedTensorHooks();
  }
}
