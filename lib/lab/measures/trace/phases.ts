// Assigns each call of a training step to a phase, from the sequence of calls only. Phases make the batch, move it to
// the device, record gradients, run backward, change parameters, or read values on the host.
import { native } from "../../../torch/engine/native.ts";
import { type ObservedCall, tensorsAmong } from "../../../torch/engine/observe.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";

export const PHASES = [
  "batch assembly",
  "device move",
  "other operators",
  "forward pass",
  "loss read",
  "backward pass",
  "optimizer step",
  "captured step",
] as const;

export type Phase = (typeof PHASES)[number];

/** `mps:0` -> `mps` */
export const kindOf = (tensor: Tensor): string => native.device(tensor).replace(/:\d+$/, "");

/** Reads the calls of one run of the step, in their order. */
export class PhaseReader {
  #forwardBegan = false;
  #backwardDone = false;
  #leftDevice = false;
  #hasBatch = false;

  /**
   * Returns the phase of a call. What the host computes first counts as batch assembly; only at the end of the run is
   * it known whether a batch followed (`hasBatch`).
   */
  read(call: ObservedCall): Phase {
    const phase = this.#phaseOf(call);
    if (phase === "device move" || phase === "forward pass" || phase === "captured step")
      this.#hasBatch = true;
    return phase;
  }

  /** Whether any call so far could receive a batch: a copy to the device, or a forward pass. */
  get hasBatch(): boolean {
    return this.#hasBatch;
  }

  #phaseOf(call: ObservedCall): Phase {
    const { name, args, result } = call;
    // A captured step has no phases: its replay is a single call.
    if (name === "captured step") return name;
    if (name === "backward" || name === "gradients") {
      this.#backwardDone = true;
      return "backward pass";
    }
    const started = this.#forwardBegan || this.#backwardDone;
    const made = alive(result);
    const given = alive(args);
    if (name === "item" || name === "data" || name === "synchronize")
      return started || given.some((tensor) => kindOf(tensor) !== "cpu") ? "loss read" : "batch assembly";
    const moved = crossing(call);
    if (moved !== null) {
      if (moved.to !== "cpu") return "device move";
      this.#leftDevice = true;
      return "loss read";
    }
    if (this.#backwardDone)
      return native.gradEnabled() && !given.some(isParameter) ? "loss read" : "optimizer step";
    if (
      made.some((tensor) => native.requiresGrad(tensor)) ||
      given.some((tensor) => native.requiresGrad(tensor))
    )
      this.#forwardBegan = true;
    if (this.#forwardBegan) return "forward pass";
    // A batch is assembled on the host, from values that the device did not compute.
    const onHost = [...made, ...given].every((tensor) => kindOf(tensor) === "cpu");
    return onHost && !this.#leftDevice ? "batch assembly" : "other operators";
  }
}

/** The tensors among values that are not disposed. */
export function alive(values: unknown): Tensor[] {
  return tensorsAmong(values).filter((tensor) => !native.isDisposed(tensor));
}

const isParameter = (tensor: Tensor) => native.isLeaf(tensor) && native.requiresGrad(tensor);

/**
 * A copy between kinds of devices, by `x.to(device)` or `y.copy_(x)`: the tensor that is read, and the device to which
 * it goes.
 */
export function crossing({
  name,
  args,
  result,
}: ObservedCall): { readonly source: Tensor; readonly to: string } | null {
  const given = alive(args);
  const [target, sources] = name === "aten::copy_" ? [given[0], given.slice(1)] : [alive(result)[0], given];
  const [source] = sources;
  if (target === undefined || source === undefined) return null;
  const to = kindOf(target);
  return sources.every((tensor) => kindOf(tensor) !== to) ? { source, to } : null;
}
