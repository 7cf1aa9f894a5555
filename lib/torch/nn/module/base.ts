// The base class of layers and models: calling, and walking over what a module owns.
//
// A module is a function object, so that a model is called as in PyTorch: `model(x)`. The constructor makes a
// function, gives it the class's prototype and returns it, and V8 installs the subclass's fields on it: no Proxy, so
// a call costs one plain function call and a field access nothing. `model.forward(x)` does the same.
import { zeroGradients, type ZeroGradOptions } from "../../autograd/zero_gradients.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceName, DeviceText } from "../../vocabulary/device_name.ts";
import { isCapturing } from "../../engine/captured_effects.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Module as AnyModule } from "./module.ts";
import { describe, requireFunction } from "../../vocabulary/arguments.ts";
import { requireFinished } from "../../vocabulary/finished.ts";
import type { HookHandle } from "../../autograd/autograd.ts";
// Puts grad and requiresGrad_() on tensors, which tensor.ts alone does not.
import "../../autograd/tensor_members.ts";
import { convertTensor, conversionTarget, type Conversion } from "./conversion.ts";
import type { TargetProblem, UnlessAt } from "../../types/index.ts";
import {
  addHook,
  installSlot,
  runHooked,
  type BackwardHook,
  type BackwardPreHook,
  type ForwardHook,
  type ForwardHookOptions,
  type ForwardPreHook,
  type HookOptions,
} from "./hooks.ts";
import {
  namedTensors,
  found,
  membersOfModule,
  modulePlaces,
  persistentTensors,
  stateTree,
  register,
  type MemberOptions,
} from "./members.ts";
import { copyModule } from "./copy.ts";
import { Buffer, type BufferOptions, Parameter } from "./parameter.ts";
import { guardModule } from "./captured.ts";
import { moduleText } from "./print.ts";
import { loadState, stateOf, type LoadOptions, type LoadResult, type StateDict } from "./state.ts";
import type {
  LoadStateDictPostHook,
  LoadStateDictPreHook,
  StateDictPostHook,
  StateDictPreHook,
} from "./state_hook_types.ts";
import { addStateHook, hasStateHooks, hookedState, loadHooked } from "./state_hooks.ts";

/** A module's function, of the class whose prototype it gets; its fields are yet to come. */
function makeModule(prototype: object): Module {
  const self = ((...inputs: never[]) => {
    if (isCapturing()) guardModule(self, slot);
    return slot.hooks === null
      ? self.forward(...inputs)
      : runHooked(self, slot.hooks, (...given) => self.forward(...(given as never[])), inputs);
  }) as unknown as Module;
  const slot = installSlot(self);
  Object.setPrototypeOf(self, prototype);
  // A function's own `length` and `name` would hide a subclass's fields and accessors of these names.
  Reflect.deleteProperty(self, "length");
  Reflect.deleteProperty(self, "name");
  return self;
}

/**
 * The base class of layers and models: `class Net extends nn.Module { fc = new nn.Linear(4, 2); forward(x: Tensor) {
 * return this.fc(x); } }`. Parameters, buffers and modules among the fields are found without registration, in arrays
 * too; a model is called as a function, which runs `forward` (`torch/nn/modules/module.py`).
 */
export abstract class Module {
  /** Whether dropout drops and batch norms gather statistics: `train()` and `eval()` set it. */
  declare training: boolean;

  constructor() {
    const self = makeModule(new.target.prototype) as this;
    self.training = true;
    return self;
  }

  abstract forward(...inputs: any): any;

  static {
    // Reports a class without `forward` where no types are checked.
    Object.defineProperty(Module.prototype, "forward", {
      value(this: Module) {
        throw new TypeError(
          `${this.constructor.name} has no forward(): write what it computes, as forward(x) { return this.layer(x); }.`,
        );
      },
      writable: true,
      configurable: true,
    });
  }

  /**
   * Trained tensors with their paths (`0.weight`), those of modules inside too; one that is reached twice comes once.
   */
  *namedParameters(options?: MemberOptions): Generator<[string, Parameter]> {
    yield* namedTensors(this, "parameter", options) as Generator<[string, Parameter]>;
  }

  /** Trained tensors, as an optimizer takes them: `new optim.Adam(model.parameters())`. */
  parameters(options?: MemberOptions): Parameter[] {
    return Array.from(this.namedParameters(options), ([, parameter]) => parameter);
  }

  /** Tensors that are saved and moved but not trained, with their paths: a norm's `runningMean`. */
  *namedBuffers(options?: MemberOptions): Generator<[string, Buffer]> {
    yield* namedTensors(this, "buffer", options) as Generator<[string, Buffer]>;
  }

  /** Tensors that are saved and moved but not trained. */
  buffers(options?: MemberOptions): Buffer[] {
    return Array.from(this.namedBuffers(options), ([, buffer]) => buffer);
  }

  /** Modules among this module's own fields, with their names, each once. */
  *namedChildren(): Generator<[string, AnyModule]> {
    const seen = new Set<AnyModule>();
    for (const member of membersOfModule(this)) {
      if (member.kind !== "module" || seen.has(member.value)) continue;
      seen.add(member.value);
      yield [member.path, member.value];
    }
  }

  /** Modules among this module's own fields. */
  children(): AnyModule[] {
    return Array.from(this.namedChildren(), ([, child]) => child);
  }

  /** This module under the name "", then all modules inside it, each once. */
  *namedModules(): Generator<[string, AnyModule]> {
    const seen = new Set<AnyModule>();
    for (const [{ path }, module] of modulePlaces(this)) {
      if (seen.has(module)) continue;
      seen.add(module);
      yield [path, module];
    }
  }

  /** This module and all modules inside it, parents first, each once. */
  modules(): AnyModule[] {
    return Array.from(this.namedModules(), ([, module]) => module);
  }

  /** The module at a path: `model.getSubmodule("encoder.layers.0")`. */
  getSubmodule(path: string): AnyModule {
    return found(this, "getSubmodule", path, this.namedModules());
  }

  /** The parameter at a path: `model.getParameter("encoder.layers.0.linear1.weight")`. */
  getParameter(path: string): Parameter {
    return found(this, "getParameter", path, this.namedParameters());
  }

  /** The buffer at a path: `model.getBuffer("norm.runningMean")`. */
  getBuffer(path: string): Buffer {
    return found(this, "getBuffer", path, this.namedBuffers());
  }

  /** Adds state under a name that is only known when it runs; `null` keeps the name free. */
  registerBuffer(name: string, tensor: Tensor | null, options?: BufferOptions): void {
    register(this, "registerBuffer", name, tensor && new Buffer(tensor, options));
  }

  /** Adds a parameter under a name that is only known when it runs; `null` keeps the name free. */
  registerParameter(name: string, parameter: Parameter | null): void {
    if (parameter !== null && !(parameter instanceof Parameter)) {
      throw new TypeError(
        `${this.constructor.name}.registerParameter: expected a Parameter or null, got ${describe(parameter)}; wrap it in new nn.Parameter(...).`,
      );
    }
    register(this, "registerParameter", name, parameter);
  }

  /** Adds a child under a name that is only known when it runs. */
  registerModule(name: string, module: AnyModule | null): void {
    if (module !== null && !(module instanceof Module)) {
      throw new TypeError(
        `${this.constructor.name}.registerModule: expected a module or null, got ${describe(module)}.`,
      );
    }
    register(this, "registerModule", name, module);
  }

  /** Calls `visit` with every module, children before parents, as to initialise weights. */
  apply(visit: (module: AnyModule) => void): this {
    requireFunction("apply", visit);
    this.modules(); // refuses a module inside itself, which the recursion below would follow for ever
    const descend = (module: Module) => {
      for (const child of module.children()) descend(child);
      const visited: unknown = visit(module as AnyModule);
      requireFinished("apply", visited, "the next module follows when it returns: await outside of it.");
    };
    descend(this);
    return this;
  }

  /** Calls `hook` before every forward, which may give other inputs. */
  registerForwardPreHook(hook: ForwardPreHook<this>, options?: HookOptions): HookHandle {
    return addHook(this, "forwardPre", "registerForwardPreHook", hook, options);
  }

  /** Calls `hook` after every forward, which may give another output. */
  registerForwardHook(hook: ForwardHook<this>, options?: ForwardHookOptions): HookHandle {
    return addHook(this, "forward", "registerForwardHook", hook, options);
  }

  /** Calls `hook` with the gradients by the outputs, before those by the inputs are computed. */
  registerFullBackwardPreHook(hook: BackwardPreHook<this>, options?: HookOptions): HookHandle {
    return addHook(this, "backwardPre", "registerFullBackwardPreHook", hook, options);
  }

  /** Calls `hook` with the gradients by the inputs and the outputs, once all are computed. */
  registerFullBackwardHook(hook: BackwardHook<this>, options?: HookOptions): HookHandle {
    return addHook(this, "backward", "registerFullBackwardHook", hook, options);
  }

  /** Calls `hook` before this module's tensors go into a state dict. */
  registerStateDictPreHook(hook: StateDictPreHook<this>): HookHandle {
    return addStateHook(this, "save", "registerStateDictPreHook", hook);
  }

  /** Calls `hook` when this module and all inside it are in the state dict, which it may change. */
  registerStateDictPostHook(hook: StateDictPostHook<this>): HookHandle {
    return addStateHook(this, "saved", "registerStateDictPostHook", hook);
  }

  /**
   * Calls `hook` before this module takes its values from a state dict, as to rename keys of an older version:
   *
   *     layer.registerLoadStateDictPreHook((_, state, prefix) => {
   *       if (`${prefix}gamma` in state) state[`${prefix}weight`] = state[`${prefix}gamma`];
   *       delete state[`${prefix}gamma`];
   *     });
   */
  registerLoadStateDictPreHook(hook: LoadStateDictPreHook<this>): HookHandle {
    return addStateHook(this, "load", "registerLoadStateDictPreHook", hook);
  }

  /** Calls `hook` when this module and all inside it took their values; what it clears of the keys is no error. */
  registerLoadStateDictPostHook(hook: LoadStateDictPostHook<this>): HookHandle {
    return addStateHook(this, "loaded", "registerLoadStateDictPostHook", hook);
  }

  /**
   * Training mode for this module and all inside it: dropout drops, batch norms gather statistics. Returns the module.
   */
  train(mode = true): this {
    if (typeof mode !== "boolean")
      throw new TypeError(`train: the mode must be true or false, got ${describe(mode)}.`);
    for (const module of this.modules()) module.training = mode;
    return this;
  }

  /** Evaluation mode: dropout passes everything on, batch norms use what they gathered. Returns the module. */
  eval(): this {
    return this.train(false);
  }

  /** Whether autograd records operations on the parameters: `false` freezes them. Returns the module. */
  requiresGrad_(requiresGrad = true): this {
    for (const parameter of this.parameters()) parameter.requiresGrad_(requiresGrad);
    return this;
  }

  /** Drops every gradient, so that its memory is free until the next backward pass; with false fills it with zeros. */
  zeroGrad(setToNone?: boolean | ZeroGradOptions): void;
  zeroGrad(...given: unknown[]): void {
    zeroGradients(`${this.constructor.name}.zeroGrad`, this.parameters(), given);
  }

  /**
   * Moves parameters and buffers, in place: `model.to("mps")`, `model.to("float16")`,
   * `model.to("mps", "float16")`, `model.to({ memoryFormat: "channels_last" })`. Integer buffers keep their dtype.
   */
  to<Target extends DeviceText | DType | Conversion, Problem = TargetProblem<Target>>(
    target: Target & UnlessAt<Problem>,
    dtype?: DType,
  ): this {
    const conversion = conversionTarget(
      "to",
      dtype === undefined ? target : { device: target as DeviceName, dtype },
    );
    for (const tensor of [...this.parameters(), ...this.buffers()]) convertTensor(tensor, conversion);
    return this;
  }

  /** Floating parameters and buffers as float32, in place. Returns the module. */
  float(): this {
    return this.to("float32");
  }

  /** Floating parameters and buffers as float64, in place. Returns the module. */
  double(): this {
    return this.to("float64");
  }

  /** Floating parameters and buffers as float16, in place. Returns the module. */
  half(): this {
    return this.to("float16");
  }

  /** Floating parameters and buffers as bfloat16, in place. Returns the module. */
  bfloat16(): this {
    return this.to("bfloat16");
  }

  /** Parameters and buffers on an NVIDIA GPU, in place. Returns the module. */
  cuda(): this {
    return this.to("cuda");
  }

  /** Parameters and buffers on the CPU, in place. Returns the module. */
  cpu(): this {
    return this.to("cpu");
  }

  /** Tensors by PyTorch's path (`0.weight`, `bn.running_mean`), sharing memory with the module's own. */
  stateDict(): StateDict {
    const hooked = this.modules().some(hasStateHooks);
    return hooked ? hookedState(stateTree(this)) : stateOf(persistentTensors(this));
  }

  /**
   * Copies a state dict's values into this module: all of them, or none if it does not fit. Where modules have hooks on
   * their state it goes from module to module, and what fits is loaded before an error is told.
   */
  loadStateDict(state: StateDict, options?: LoadOptions): LoadResult {
    const { name } = this.constructor;
    return this.modules().some(hasStateHooks)
      ? loadHooked(name, stateTree(this), state, options)
      : loadState(name, persistentTensors(this), state, options);
  }

  /**
   * Returns a copy, as Python's `copy.deepcopy(model)`: modules, parameters, buffers, lists and plain objects among its
   * fields are copied, and what is there twice is copied once; gradients are not. Objects of other classes are copied by
   * their own `clone()`, and shared without one.
   *
   * @throws TypeError for a class with private fields (`#name`), for a field that holds a function with a `this` of its own,
   * a recorded result, or an object without `clone()` that has tensors, and for a lazy layer that did not run yet
   */
  clone(): this {
    return copyModule(this, { make: makeModule, clone: Module.prototype.clone }) as this;
  }

  /** Returns the text in the parentheses when the module is printed: `inFeatures=784, outFeatures=512`. */
  extraRepr(): string {
    return "";
  }

  /** Returns the text that PyTorch prints: the class with its settings, and below it the modules inside. */
  toString(): string {
    this.modules(); // refuses a module inside itself
    const children: [string, string][] = [];
    // A module that stands in two places is shown in both.
    for (const { kind, path, value } of membersOfModule(this))
      if (kind === "module") children.push([path, value.toString()]);
    return moduleText(this.constructor.name, this.extraRepr(), children);
  }

  /** Returns the text with which `console.log` and the kernel show a module. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}
