// Computes parameters from others: a weight as a direction times a length, or with a bounded norm. The tensor's field
// becomes an accessor that runs modules over the underlying parameters.
// Source: torch/nn/utils/parametrize.py.
import { checkTensor } from "../../tensor/tensor_arguments.ts";
import { checkText, describe } from "../../vocabulary/arguments.ts";
import { boolean, readOptions, type Rules } from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { ModuleDict } from "../container/collections.ts";
import { setField } from "../module/members.ts";
import { Module } from "../module/module.ts";
import { Buffer, Parameter } from "../module/parameter.ts";
import { snakeCase } from "../../vocabulary/spelling.ts";
import { type Marked, markedOf } from "./marked.ts";
import { requireModule } from "../module/require_module.ts";

/** A module that makes a parameter of others, and, where it can, those of a parameter. */
export interface Parametrization extends Module {
  forward(...originals: Tensor[]): Tensor;
  /**
   * Returns the originals of which `forward` makes `value`. Without this method, the parameter cannot be assigned to.
   */
  rightInverse?(value: Tensor): Tensor | readonly Tensor[];
}

/** The parametrizations of one tensor, one after the other, and the tensors that the first is run on. */
export class ParametrizationList extends Module {
  constructor(first: Parametrization, tensor: Marked) {
    super();
    const call = "new nn.utils.parametrize.ParametrizationList";
    requireModule(call, first);
    if (!(tensor instanceof Parameter || tensor instanceof Buffer))
      throw new TypeError(`${call}: expected a parameter or a buffer, got ${describe(tensor)}.`);
    const given = noGrad(() => (first.rightInverse ? first.rightInverse(tensor) : tensor));
    const isBuffer = !(tensor instanceof Parameter);
    const own = (value: Tensor): Marked =>
      isBuffer ? new Buffer(value) : new Parameter(value, { requiresGrad: tensor.requiresGrad });
    if (native.isTensor(given)) {
      // The same parameter where nothing changed, so that an optimizer made before goes on training it.
      setField(this, "original", given === tensor ? tensor : own(given));
    } else {
      for (const [i, original] of given.entries()) setField(this, `original${i}`, own(original));
    }
    this.add(first);
  }

  /** The parametrizations in the order in which they run. */
  get steps(): readonly Parametrization[] {
    return this.children() as Parametrization[];
  }

  /** The tensors that the first parametrization runs on. */
  get originals(): readonly Tensor[] {
    const tensors = [...this.namedParameters({ recurse: false }), ...this.namedBuffers({ recurse: false })];
    return tensors.map(([, tensor]) => tensor);
  }

  /** A further step behind those that there are: its input is what they make. */
  add(step: Parametrization): void {
    requireModule("ParametrizationList.add", step);
    setField(this, String(this.steps.length), step);
  }

  override forward(): Tensor {
    const [first, ...others] = this.steps as [Parametrization, ...Parametrization[]];
    return others.reduce((value, step) => step(value), first(...this.originals));
  }

  /** Gives the originals the values from which `forward` makes `value`. */
  rightInverse(value: Tensor): void {
    checkTensor("ParametrizationList.rightInverse", "the value", value);
    noGrad(() => {
      let current: Tensor | readonly Tensor[] = value;
      for (const step of this.steps.toReversed()) {
        if (!step.rightInverse)
          throw new TypeError(
            `${step.constructor.name} has no rightInverse, so its tensor cannot be assigned to.`,
          );
        current = step.rightInverse(current as Tensor);
      }
      const values = native.isTensor(current) ? [current] : current;
      for (const [i, original] of this.originals.entries()) original.copy_(values[i]!);
    });
  }
}

interface Parametrized extends Module {
  parametrizations?: ModuleDict<ParametrizationList>;
}

function listOf(call: string, module: Module, name: string): ParametrizationList | undefined {
  requireModule(call, module);
  checkText(call, "name", name);
  const { parametrizations } = module as Parametrized;
  const key = snakeCase(name);
  return parametrizations?.has(key) ? parametrizations.get(key) : undefined;
}

/** Whether a tensor of the module is computed; any of them without a name. */
export function isParametrized(module: Module, name?: string): boolean {
  const call = "isParametrized";
  if (name !== undefined) return listOf(call, module, name) !== undefined;
  requireModule(call, module);
  return ((module as Parametrized).parametrizations?.size ?? 0) > 0;
}

/**
 * `utils.parametrize.registerParametrization(layer, "weight", new Symmetric())`: from now on `layer.weight` is what the
 * module makes of `layer.parametrizations.weight.original`. Another one is run on what the last one gave.
 *
 * @throws TypeError where the module has no such parameter or buffer, RangeError where the shape would change
 */
export function registerParametrization(
  module: Module,
  name: string,
  parametrization: Parametrization,
): Module {
  const call = "registerParametrization";
  if (!(parametrization instanceof Module))
    throw new TypeError(`${call}: the parametrization must be a module, got ${describe(parametrization)}.`);
  const known = listOf(call, module, name);
  if (known) {
    known.add(parametrization);
    return module;
  }
  const tensor = markedOf(call, module, name);
  const list = new ParametrizationList(parametrization, tensor);
  const made = noGrad(() => list());
  if (made.shape.join() !== tensor.shape.join()) {
    throw new RangeError(
      `${call}: ${parametrization.constructor.name} makes [${made.shape.join(", ")}] of "${name}", which is [${tensor.shape.join(", ")}]; the shape must stay.`,
    );
  }
  const owner = module as Parametrized;
  Reflect.deleteProperty(module, name);
  if (!owner.parametrizations) setField(module, "parametrizations", new ModuleDict<ParametrizationList>());
  owner.parametrizations!.set(snakeCase(name), list);
  Object.defineProperty(module, name, {
    // They ask the module that they stand on, so that a copy of it has its own.
    get(this: Module) {
      return listOf(call, this, name)!();
    },
    set(this: Module, value: Tensor) {
      listOf(call, this, name)!.rightInverse(value);
    },
    enumerable: false,
    configurable: true,
  });
  return module;
}

export interface RemovalOptions {
  /** Keeps the value that the parametrization gave; otherwise the original one. Default: true. */
  readonly leaveParametrized?: boolean;
}

const REMOVAL_RULES: Rules<RemovalOptions> = { leaveParametrized: boolean(true) };

/** The tensor is a parameter again: with the values that it was computed to be, or with those of the original. */
export function removeParametrizations(module: Module, name: string, options?: RemovalOptions): Module {
  const call = "removeParametrizations";
  const list = listOf(call, module, name);
  if (!list) throw new TypeError(`${call}: ${module.constructor.name}.${name} is not parametrized.`);
  const { leaveParametrized } = readOptions<RemovalOptions>(call, options, REMOVAL_RULES);
  const { originals } = list;
  if (!leaveParametrized && originals.length > 1) {
    throw new TypeError(
      `${call}: ${module.constructor.name}.${name} is made of ${originals.length} tensors; leave out leaveParametrized: false.`,
    );
  }
  const [original] = originals as [Tensor];
  const isBuffer = original instanceof Buffer;
  const value = leaveParametrized ? noGrad(() => list().clone()) : original;
  const owner = module as Parametrized;
  owner.parametrizations!.delete(snakeCase(name));
  if (owner.parametrizations!.size === 0) Reflect.deleteProperty(module, "parametrizations");
  const settled = value === original ? original : isBuffer ? new Buffer(value) : new Parameter(value);
  setField(module, name, settled);
  return module;
}
