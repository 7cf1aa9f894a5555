// Reads a tensor's values without blocking the session. The copy to the CPU is queued behind the device's work, and a
// thread of libuv's pool waits for it. Cells, timers and comms run meanwhile.
import type { Tensor } from "../types/index.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import { shapeText } from "../vocabulary/arguments.ts";
import type { TypedArray } from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";
import { toTypedArray } from "./typed_arrays.ts";

type Element = ReturnType<typeof native.item>;

export function item(tensor: Tensor): Element {
  if (native.numel(tensor) === 1) return native.item(tensor);
  throw new RangeError(
    `item() reads a tensor of one element, and this one has shape ${shapeText(tensor.shape)}: use tolist(), or at(...) to choose one.`,
  );
}

/** Resolves with the value at the time of the call. The tensor may change while the caller waits. */
export async function itemAsync(tensor: Tensor): Promise<Element> {
  // Refused now, and not after a wait.
  if (native.numel(tensor) !== 1) return item(tensor);
  const host = await copyToHost(tensor);
  const value = item(host);
  if (host !== tensor) native.dispose(host);
  return value;
}

/** As PyTorch's `numpy()`: what is written to the array would change gradients behind autograd's back. */
export function requireDetached(method: string, tensor: Tensor): Tensor {
  if (!native.requiresGrad(tensor)) return tensor;
  throw new TypeError(
    `${method}() of a tensor that requires gradients: autograd would not see what is written to the array. Use x.detach().${method}().`,
  );
}

export async function dataAsync(tensor: Tensor): Promise<TypedArray> {
  return toTypedArray(await copyToHost(requireDetached("dataAsync", tensor)));
}

/** The tensor itself where it is on the CPU. */
async function copyToHost(tensor: Tensor): Promise<Tensor> {
  const device = native.device(tensor);
  if (device.startsWith("cpu")) return tensor;
  const host = tensor.detach().to("cpu", { nonBlocking: true });
  // It outlives the tidy in which it was asked for.
  native.keep(host);
  await passed(device);
  if (native.isDisposed(tensor)) {
    native.dispose(host);
    // Throws what any use of it throws.
    native.shape(tensor);
  }
  return host;
}

const lastPassed = new Map<DeviceName, Promise<void>>();

/**
 * Resolves when the device has done what is queued now. Only one of libuv's four threads waits for each device, so that
 * files and sockets keep the others. That suffices, because a queue's markers are passed in the order in which they
 * were set.
 */
function passed(device: DeviceName): Promise<void> {
  const event = native.acquireEvent(device, false);
  native.recordEvent(event);
  const before = lastPassed.get(device) ?? Promise.resolve();
  const now = before.then(
    () => native.eventPassed(event),
    () => native.eventPassed(event),
  );
  lastPassed.set(device, now);
  return now.finally(() => native.releaseEvent(event));
}
