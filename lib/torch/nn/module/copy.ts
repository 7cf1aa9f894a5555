// Copies modules, as `copy.deepcopy` does in Python: a module of the same class with tensors of its own.
import { noGrad } from "../../autograd/autograd.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { copyHooks, hasSlot } from "./hooks.ts";
import { Buffer, markOf, Parameter } from "./parameter.ts";
import { isUninitialized } from "./uninitialized.ts";

/** What is read of a module here: `base.ts` imports this file, and its class is not named. */
type Module = object & { clone(): unknown };

/** A parameter or buffer with the values of another, without its gradient. */
export function copyOwned(call: string, tensor: Tensor): Tensor {
  if (isUninitialized(tensor)) {
    throw new TypeError(
      `${call}: the model has a lazy layer whose tensors have no shape yet; run the model once before.`,
    );
  }
  const copy = noGrad(() => tensor.clone());
  if (tensor instanceof Parameter) return new Parameter(copy, { requiresGrad: tensor.requiresGrad });
  return new Buffer(copy, { persistent: markOf(tensor)!.persistent });
}

function copyTensor(call: string, tensor: Tensor): Tensor {
  if (markOf(tensor) !== undefined) return copyOwned(call, tensor);
  if (!native.isLeaf(tensor))
    throw new TypeError(
      `${call}: a field holds a result that autograd recorded, which belongs to a graph: keep it as detach() gives it.`,
    );
  const copy = noGrad(() => tensor.clone());
  return native.requiresGrad(tensor) ? copy.requiresGrad_() : copy;
}

/** The use of a private name in the text of a class: `this.#scale`. */
const PRIVATE_NAME = /\.(#[\w$]+)/;

/** A private field belongs to what the class's own constructor made, and a copy is made without it. */
function refusePrivateFields(call: string, module: Module): void {
  for (let { constructor } = module; constructor !== Function.prototype;) {
    const name = PRIVATE_NAME.exec(Function.prototype.toString.call(constructor))?.[1];
    if (name !== undefined)
      throw new TypeError(
        `${call}: ${constructor.name} has a private field ${name}, which a copy cannot have: write it as private ${name.slice(1)}, or give the class a clone() of its own.`,
      );
    constructor = Object.getPrototypeOf(constructor) as typeof constructor;
  }
}

/** An arrow function or a bound one among the fields has the original for `this`, also on a copy. */
function refuseBoundFunction(call: string, module: Module, name: string): void {
  const value: unknown = Object.getOwnPropertyDescriptor(module, name)?.value;
  if (typeof value !== "function" || hasSlot(value) || Object.hasOwn(value, "prototype")) return;
  if (!value.name.startsWith("bound ") && !/\bthis\b/.test(Function.prototype.toString.call(value))) return;
  throw new TypeError(
    `${call}: the function in the field ${name} of ${module.constructor.name} has the original for this, and would have it in a copy: write it as a method.`,
  );
}

/** An object of a class that the library does not know: one with tensors would share them with the copy. */
function sharedObject(call: string, value: object): unknown {
  if (ArrayBuffer.isView(value)) return structuredClone(value);
  const { clone } = value as { readonly clone?: unknown };
  if (typeof clone === "function") return clone.call(value) as unknown;
  const holds = Object.entries(value).find(
    ([, field]) => native.isTensor(field) || (typeof field === "function" && hasSlot(field)),
  );
  if (holds === undefined) return value;
  throw new TypeError(
    `${call}: a field holds an object of ${value.constructor.name}, whose ${holds[0]} the copy would share with the original: give ${value.constructor.name} a clone().`,
  );
}

const isPlain = (value: object) => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** What a copy needs of the base class, which imports this file. */
export interface Making {
  /** Makes a module without fields, of a class's prototype. */
  readonly make: (prototype: object) => Module;
  /** The method that a class may have in a version of its own. */
  readonly clone: () => unknown;
}

/** A copy of a module with all modules and tensors inside; what is there twice is copied once. */
export function copyModule(original: Module, { make, clone }: Making): Module {
  const call = `${original.constructor.name}.clone`;
  const copies = new Map<unknown, unknown>();
  const noted = <Copy>(value: unknown, copy: Copy): Copy => {
    copies.set(value, copy);
    return copy;
  };
  const copied = (value: unknown): unknown => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return value;
    if (copies.has(value)) return copies.get(value);
    if (typeof value === "function") {
      if (!hasSlot(value)) return value;
      const module = value as unknown as Module;
      return module.clone === clone ? moduleCopied(module) : noted(value, module.clone());
    }
    if (native.isTensor(value)) return noted(value, copyTensor(call, value));
    if (Array.isArray(value)) {
      const list: unknown[] = noted(value, []);
      for (const one of value) list.push(copied(one));
      return list;
    }
    if (value instanceof Map) {
      const map = noted(value, new Map());
      for (const [key, one] of value) map.set(key, copied(one));
      return map;
    }
    if (value instanceof Set) {
      const set = noted(value, new Set());
      for (const one of value) set.add(copied(one));
      return set;
    }
    return isPlain(value)
      ? fieldsCopied(value, noted(value, Object.create(Object.getPrototypeOf(value))))
      : noted(value, sharedObject(call, value));
  };
  const fieldsCopied = <Copy extends object>(from: object, to: Copy): Copy => {
    for (const name of Reflect.ownKeys(from)) {
      if (Object.hasOwn(to, name)) continue;
      const field = Object.getOwnPropertyDescriptor(from, name)!;
      Object.defineProperty(to, name, "value" in field ? { ...field, value: copied(field.value) } : field);
    }
    return to;
  };
  const moduleCopied = (module: Module): Module => {
    refusePrivateFields(call, module);
    const copy = noted(module, make(Object.getPrototypeOf(module) as object));
    copyHooks(module, copy);
    for (const name of Object.keys(module)) refuseBoundFunction(call, module, name);
    return fieldsCopied(module, copy);
  };
  return moduleCopied(original);
}
