// `nn.Module` as users know it: a module is a function, and this says how each is called. Types over the class in
// `base.ts`, which says nothing of calls: a layer that knows shapes, as Linear, is called by the signature of its own only.
import type { Tensor } from "../../tensor/tensor.ts";
import { Module as Base } from "./base.ts";
import type { CalledAsForward } from "./called.ts";

/** Any module, as the type of a variable, a parameter, a field: what its forward takes is not known. */
export interface Module extends Base {
  (...inputs: any): any;
}

/**
 * Gives the type its name: messages show it for the class that a user's class extends. It needs a namespace for that.
 */
declare namespace instance {
  interface Module extends Base, CalledAsForward {}
}

type ModuleConstructor = (abstract new () => instance.Module) & { readonly prototype: Module };

/**
 * The base class of layers and models: `class Net extends nn.Module { fc = new nn.Linear(4, 2); forward(x: Tensor) {
 * return this.fc(x); } }`. Parameters, buffers and modules among the fields are found without registration, in arrays
 * too; a model is called as a function, which runs `forward` (`torch/nn/modules/module.py`).
 */
export const Module = Base as unknown as ModuleConstructor;

/** A module that maps one tensor to one tensor, as the members of a Sequential do. */
export interface Layer extends Base {
  (input: Tensor): Tensor;
  forward(input: Tensor): Tensor;
}
