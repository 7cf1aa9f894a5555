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
    const moved = crossing(name, given, made);
    if (moved === "cpu") return started ? "loss read" : "batch assembly";
    if (moved !== null) return "device move";
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

/** The kind of device that a copy went to, null for what is none. */
function crossing(name: string, given: readonly Tensor[], made: readonly Tensor[]): string | null {
  const [target, source] = given;
  if (name === "aten::copy_" && target && source)
    return kindOf(target) === kindOf(source) ? null : kindOf(target);
  const [first] = made;
  if (first === undefined || given.length === 0) return null;
  const to = kindOf(first);
  return given.every((tensor) => kindOf(tensor) !== to) ? to : null;
}
