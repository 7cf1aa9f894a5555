// Which part of a training step a call belongs to, told from the calls alone: what moves to the device, what records
// gradients, what runs backward, what changes parameters, what the host reads. Times nothing.
import { native } from "../../torch/native.ts";
import { type ObservedCall, tensorsAmong } from "../../torch/observe.ts";
import type { Tensor } from "../../torch/tensor.ts";

export const PHASES = [
  "batch assembly",
  "device move",
  "forward pass",
  "loss read",
  "backward pass",
  "optimizer step",
] as const;

export type Phase = (typeof PHASES)[number];

/** `mps:0` -> `mps` */
export const kindOf = (tensor: Tensor): string => native.device(tensor).replace(/:\d+$/, "");

/** A reading of the step's calls in order; it remembers how far the step has come. */
export class PhaseReader {
  #forwardBegan = false;
  #backwardDone = false;

  read(call: ObservedCall): Phase {
    const { name, args, result } = call;
    if (name === "backward" || name === "gradients") {
      this.#backwardDone = true;
      return "backward pass";
    }
    const started = this.#forwardBegan || this.#backwardDone;
    if (name === "item" || name === "data" || name === "synchronize")
      return started ? "loss read" : "batch assembly";
    const made = alive(result);
    const given = alive(args);
    const moved = crossing(call);
    if (moved !== null) return moved.to !== "cpu" ? "device move" : started ? "loss read" : "batch assembly";
    if (this.#backwardDone)
      return native.gradEnabled() && !given.some(isParameter) ? "loss read" : "optimizer step";
    if (
      made.some((tensor) => native.requiresGrad(tensor)) ||
      given.some((tensor) => native.requiresGrad(tensor))
    )
      this.#forwardBegan = true;
    return this.#forwardBegan ? "forward pass" : "batch assembly";
  }
}

function alive(values: unknown): Tensor[] {
  return tensorsAmong(values).filter((tensor) => !native.isDisposed(tensor));
}

const isParameter = (tensor: Tensor) => native.isLeaf(tensor) && native.requiresGrad(tensor);

/** A copy between kinds of devices, `x.to(device)` or `y.copy_(x)`: what is read, and where it goes. */
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
