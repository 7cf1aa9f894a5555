// Lists and dictionaries of modules and of parameters. A plain array or field works too; these are for members that
// are added and removed, and for names that are data.
import { checkTensors } from "../../tensor/tensor_arguments.ts";
import { describe, isRecord, shapeText } from "../../vocabulary/arguments.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { namesAreKeys, setField } from "../module/members.ts";
import type { Module as AnyModule } from "../module/base.ts";
import { Module } from "../module/module.ts";
import { Parameter } from "../module/parameter.ts";
import { moduleText } from "../module/print.ts";
import { NumberedModules } from "./numbered.ts";

function notCalled(collection: AnyModule): TypeError {
  return new TypeError(
    `A ${collection.constructor.name} is no layer and cannot be called; call its members.`,
  );
}

// Merged declarations have the same type parameters.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging, no-unused-vars
export interface ModuleList<Member extends Module = Module> {
  /** A list is a module, and no layer: this throws. */
  (...inputs: never[]): never;
}

/** Modules under the numbers 0, 1, 2...: `for (const layer of this.layers) x = layer(x)`. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export class ModuleList<Member extends Module = Module> extends NumberedModules<Member> {
  constructor(modules: Iterable<Member> = []) {
    super();
    if (typeof modules?.[Symbol.iterator] !== "function")
      throw new TypeError(`new nn.ModuleList: expected a list of modules, got ${describe(modules)}.`);
    this.extend(modules);
  }

  override forward(): never {
    throw notCalled(this);
  }
}

/** Members under names that are data, kept in the order in which they came. */
abstract class Dictionary<Value extends object> extends Module implements Iterable<[string, Value]> {
  private readonly _isValue: (value: unknown) => value is Value;
  private readonly _make: (value: unknown, key: string) => Value;

  protected constructor(
    isValue: (value: unknown) => value is Value,
    make: (value: unknown, key: string) => Value,
    entries: Readonly<Record<string, unknown>>,
  ) {
    super();
    this._isValue = isValue;
    this._make = make;
    this.update(entries as Record<string, Value>);
  }

  override forward(): never {
    throw notCalled(this);
  }

  get size(): number {
    return this.keys().length;
  }

  /** Names of the members, in the order in which they came. */
  keys(): string[] {
    return Array.from(this, ([key]) => key);
  }

  /** The members, in the order in which they came. */
  values(): Value[] {
    return Array.from(this, ([, value]) => value);
  }

  /** Whether there is a member of this name. */
  has(key: string): boolean {
    return Object.hasOwn(this, key) && this._isValue((this as Record<string, unknown>)[key]);
  }

  /**
   * The member of this name.
   *
   * @throws RangeError where there is none
   */
  get(key: string): Value {
    if (this.has(key)) return (this as unknown as Record<string, Value>)[key]!;
    const keys = this.keys().map((name) => JSON.stringify(name));
    throw new RangeError(
      `${this.constructor.name}: there is no ${describe(key)}; there are ${keys.join(", ") || "none"}.`,
    );
  }

  /**
   * Adds a member, or puts another one in its place. Returns the dictionary.
   *
   * @throws TypeError for a name with a dot, or one that the class uses itself
   */
  set(key: string, value: Value): this {
    const call = this.constructor.name;
    if (typeof key !== "string" || key === "" || key.includes("."))
      throw new TypeError(`${call}: a name must be a string without a dot, got ${describe(key)}.`);
    if (key in this && !this.has(key))
      throw new TypeError(`${call}: a member cannot be named "${key}", which ${call} itself uses.`);
    setField(this, key, this._make(value, key));
    return this;
  }

  /** Takes a member out; false if there was none. */
  delete(key: string): boolean {
    return this.has(key) && Reflect.deleteProperty(this, key);
  }

  /** Takes all members out. */
  clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  /** Sets several members. */
  update(entries: Readonly<Record<string, Value>>): this {
    if (!isRecord(entries))
      throw new TypeError(
        `${this.constructor.name}: expected an object of members by name, got ${describe(entries)}.`,
      );
    for (const [key, value] of Object.entries(entries)) this.set(key, value);
    return this;
  }

  *[Symbol.iterator](): IterableIterator<[string, Value]> {
    for (const [key, value] of Object.entries(this)) if (this._isValue(value)) yield [key, value];
  }
}

Object.defineProperty(Dictionary.prototype, namesAreKeys, { value: true });

/** Modules by name: `this.heads.get("english")(x)`. */
export class ModuleDict<Member extends Module = Module> extends Dictionary<Member> {
  constructor(modules: Readonly<Record<string, Member>> = {}) {
    const isMember = (value: unknown): value is Member => value instanceof Module;
    super(
      isMember,
      (value, key) => {
        if (isMember(value)) return value;
        throw new TypeError(`ModuleDict: "${key}" must be a module, got ${describe(value)}.`);
      },
      modules,
    );
  }
}

const isParameter = (value: unknown): value is Parameter => value instanceof Parameter;

/** A parameter as it is, and one of any other floating tensor. */
function asParameter(owner: string, value: unknown, key: string): Parameter {
  if (isParameter(value)) return value;
  if (native.isTensor(value)) return new Parameter(value);
  throw new TypeError(`${owner}: "${key}" must be a tensor, got ${describe(value)}.`);
}

/** Each parameter on a line, as modules of a list have theirs. */
function parametersText(className: string, named: Iterable<[string, Parameter]>): string {
  const children = Array.from(named, ([name, { dtype, shape }]): [string, string] => [
    name,
    `Parameter(${dtype} ${shapeText(shape)})`,
  ]);
  return moduleText(className, "", children);
}

/** Parameters by name. */
export class ParameterDict extends Dictionary<Parameter> {
  constructor(parameters: Readonly<Record<string, Tensor>> = {}) {
    super(isParameter, (value, key) => asParameter("ParameterDict", value, key), parameters);
  }

  override toString(): string {
    return parametersText(this.constructor.name, this);
  }
}

/** Parameters under the numbers 0, 1, 2... */
export class ParameterList extends Module implements Iterable<Parameter> {
  readonly [index: number]: Parameter;

  constructor(parameters: Iterable<Tensor> = []) {
    super();
    if (native.isTensor(parameters) || typeof parameters?.[Symbol.iterator] !== "function")
      throw new TypeError(`new nn.ParameterList: expected a list of tensors, got ${describe(parameters)}.`);
    this.extend(parameters);
  }

  override forward(): never {
    throw notCalled(this);
  }

  override get length(): number {
    return this.parameters().length;
  }

  /** Adds a parameter at the end. */
  append(parameter: Tensor): this {
    const key = String(this.length);
    setField(this, key, asParameter("ParameterList", parameter, key));
    return this;
  }

  /** Adds parameters at the end. */
  extend(parameters: Iterable<Tensor>): this {
    const call = `${this.constructor.name}.extend`;
    for (const parameter of checkTensors(call, "the parameters", parameters)) this.append(parameter);
    return this;
  }

  [Symbol.iterator](): IterableIterator<Parameter> {
    return this.parameters().values();
  }

  override toString(): string {
    return parametersText(
      this.constructor.name,
      Array.from(this, (parameter, i) => [String(i), parameter]),
    );
  }
}
