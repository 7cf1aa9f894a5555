// The base class of layers and models: calling, and walking over what a module owns. It knows no layer.
//
// A module is a function object, so that a model is called as in PyTorch: `model(x)`. The constructor makes a
// function, gives it the class's prototype and returns it, and V8 installs the subclass's fields on it: no Proxy, so
// a call costs one plain function call and a field access nothing. `model.forward(x)` does the same.
import { native, type DeviceName, type DType } from "../native.ts";
import type { Tensor } from "../tensor.ts";
import { describe } from "../arguments.ts";
import { markOf, type Buffer, type Mark, type Parameter } from "./parameter.ts";
import { convertTensor, conversionTarget, type Conversion } from "./conversion.ts";
import { moduleText } from "./print.ts";
import {
  loadState,
  stateOf,
  type LoadOptions,
  type LoadResult,
  type OwnedTensor,
  type StateDict,
} from "./state.ts";

/** A module that maps one tensor to one tensor, as the members of a Sequential do. */
export interface Layer extends Module {
  forward(input: Tensor): Tensor;
}

// Merging an interface is the way to give a class's instances a call signature; the constructor makes it true.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface Module {
  (...inputs: Parameters<this["forward"]>): ReturnType<this["forward"]>;
}

/** What a module owns under one field: `weight`, or `layers.0` for the first of an array. */
type Member =
  | { readonly kind: "tensor"; readonly name: string; readonly value: Tensor; readonly mark: Mark }
  | { readonly kind: "module"; readonly name: string; readonly value: Module };

function* membersOf(name: string, value: unknown): Generator<Member> {
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) yield* membersOf(`${name}.${index}`, element);
  } else if (value instanceof Module) {
    yield { kind: "module", name, value };
  } else {
    const mark = markOf(value);
    if (mark) yield { kind: "tensor", name, value: value as Tensor, mark };
  }
}

/** Parameters, buffers and child modules among the fields of one module, in the order of the fields. */
function* membersOfModule(module: Module): Generator<Member> {
  for (const [name, value] of Object.entries(module)) {
    if (typeof value === "object" || typeof value === "function") yield* membersOf(name, value);
  }
}

function joined(prefix: string, name: string): string {
  return prefix === "" ? name : `${prefix}.${name}`;
}

/** Every module with its path, parents first; a module reached by two paths comes twice. */
function* modulePaths(
  module: Module,
  prefix = "",
  ancestors: readonly Module[] = [],
): Generator<[string, Module]> {
  if (ancestors.includes(module)) {
    throw new TypeError(
      `The module at "${prefix}" (${module.constructor.name}) contains itself. ` +
        `Keep a reference back to a parent in a private field (#parent), which modules do not search.`,
    );
  }
  yield [prefix, module];
  const path = [...ancestors, module];
  for (const member of membersOfModule(module)) {
    if (member.kind === "module") yield* modulePaths(member.value, joined(prefix, member.name), path);
  }
}

/** Parameters and buffers with their paths; one reached by two paths comes twice. */
function* ownedTensors(module: Module): Generator<OwnedTensor & { readonly mark: Mark }> {
  for (const [prefix, owner] of modulePaths(module)) {
    const own = [...membersOfModule(owner)].filter((member) => member.kind === "tensor");
    const parametersFirst = [
      ...own.filter(({ mark }) => mark.kind === "parameter"),
      ...own.filter(({ mark }) => mark.kind === "buffer"),
    ];
    for (const { name, value, mark } of parametersFirst)
      yield { path: joined(prefix, name), tensor: value, mark };
  }
}

function* eachOnce(module: Module, kind: Mark["kind"]): Generator<[string, Tensor]> {
  const seen = new Set<Tensor>();
  for (const { path, tensor, mark } of ownedTensors(module)) {
    if (mark.kind !== kind || seen.has(tensor)) continue;
    seen.add(tensor);
    yield [path, tensor];
  }
}

function persistentTensors(module: Module): OwnedTensor[] {
  return [...ownedTensors(module)].filter(({ mark }) => mark.persistent);
}

// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export abstract class Module {
  /** Whether dropout drops and batch norms gather statistics: `train()` and `eval()` set it. */
  declare training: boolean;

  constructor() {
    const self = ((...inputs: never[]) => self.forward(...inputs)) as unknown as this;
    Object.setPrototypeOf(self, new.target.prototype);
    // A function's own `length` and `name` would hide a subclass's fields and accessors of these names.
    Reflect.deleteProperty(self, "length");
    Reflect.deleteProperty(self, "name");
    self.training = true;
    return self;
  }

  abstract forward(...inputs: never[]): unknown;

  *namedParameters(): Generator<[string, Parameter]> {
    yield* eachOnce(this, "parameter") as Generator<[string, Parameter]>;
  }

  parameters(): Parameter[] {
    return Array.from(this.namedParameters(), ([, parameter]) => parameter);
  }

  *namedBuffers(): Generator<[string, Buffer]> {
    yield* eachOnce(this, "buffer") as Generator<[string, Buffer]>;
  }

  buffers(): Buffer[] {
    return Array.from(this.namedBuffers(), ([, buffer]) => buffer);
  }

  *namedChildren(): Generator<[string, Module]> {
    const seen = new Set<Module>();
    for (const member of membersOfModule(this)) {
      if (member.kind !== "module" || seen.has(member.value)) continue;
      seen.add(member.value);
      yield [member.name, member.value];
    }
  }

  children(): Module[] {
    return Array.from(this.namedChildren(), ([, child]) => child);
  }

  /** This module under the name "", then all modules inside it, each once. */
  *namedModules(): Generator<[string, Module]> {
    const seen = new Set<Module>();
    for (const [path, module] of modulePaths(this)) {
      if (seen.has(module)) continue;
      seen.add(module);
      yield [path, module];
    }
  }

  modules(): Module[] {
    return Array.from(this.namedModules(), ([, module]) => module);
  }

  /** Calls `visit` with every module, children before parents, as to initialise weights. */
  apply(visit: (module: Module) => void): this {
    if (typeof visit !== "function")
      throw new TypeError(`apply: expected a function, got ${describe(visit)}.`);
    this.modules(); // refuses a module inside itself, which the recursion below would follow for ever
    const descend = (module: Module) => {
      for (const child of module.children()) descend(child);
      visit(module);
    };
    descend(this);
    return this;
  }

  train(mode = true): this {
    if (typeof mode !== "boolean")
      throw new TypeError(`train: the mode must be true or false, got ${describe(mode)}.`);
    for (const module of this.modules()) module.training = mode;
    return this;
  }

  eval(): this {
    return this.train(false);
  }

  requiresGrad_(requiresGrad = true): this {
    for (const parameter of this.parameters()) parameter.requiresGrad_(requiresGrad);
    return this;
  }

  /** Drops every gradient, so that its memory is free until the next backward pass. */
  zeroGrad(): void {
    for (const parameter of this.parameters()) native.setGrad(parameter, null);
  }

  /**
   * Moves parameters and buffers, in place: `model.to("mps")`, `model.to("float16")`,
   * `model.to({ device: "mps", dtype: "float16" })`. Integer buffers keep their dtype.
   */
  to(target: DeviceName | DType | Conversion): this {
    const conversion = conversionTarget("to", target);
    for (const tensor of [...this.parameters(), ...this.buffers()]) convertTensor(tensor, conversion);
    return this;
  }

  /** Tensors by PyTorch's path (`0.weight`, `bn.running_mean`), sharing memory with the module's own. */
  stateDict(): StateDict {
    return stateOf(persistentTensors(this));
  }

  /** Copies a state dict's values into this module: all of them, or none if it does not fit. */
  loadStateDict(state: StateDict, options?: LoadOptions): LoadResult {
    return loadState(this.constructor.name, persistentTensors(this), state, options);
  }

  /** What stands in the parentheses when the module is printed: `inFeatures=784, outFeatures=512`. */
  extraRepr(): string {
    return "";
  }

  toString(): string {
    this.modules(); // refuses a module inside itself
    const children = Array.from(this.namedChildren(), ([name, child]): [string, string] => [
      name,
      child.toString(),
    ]);
    return moduleText(this.constructor.name, this.extraRepr(), children);
  }

  /** How `console.log` and the kernel show a module. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}
