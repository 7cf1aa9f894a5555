// Walks over a module's parameters, buffers and submodules, with their paths and their keys in state dicts.
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { describe } from "../../vocabulary/arguments.ts";
import { boolean, readOptions, type Rules } from "../../vocabulary/options.ts";
import { hasSlot } from "./hooks.ts";
import type { Module } from "./base.ts";
import type { Module as AnyModule } from "./module.ts";
import { markOf, markTensor, type Mark } from "./parameter.ts";
import { snakeCase } from "../../vocabulary/spelling.ts";
import type { OwnedTensor } from "./state.ts";
import type { StateTree } from "./state_hooks.ts";

export interface MemberOptions {
  /** Whether to look into the modules inside too. Default: true. */
  readonly recurse?: boolean;
  /** Whether one that is reached by two paths (tied weights) comes once, under the first. Default: true. */
  readonly removeDuplicate?: boolean;
}

const MEMBER_RULES: Rules<MemberOptions> = { recurse: boolean(true), removeDuplicate: boolean(true) };

function isModule(value: unknown): value is AnyModule {
  return typeof value === "function" && hasSlot(value);
}

/** The position of a member: the names of the fields that lead to it, and its key in PyTorch's state dicts. */
interface Place {
  readonly path: string;
  readonly key: string;
}

/** A member that a module owns under one field: `weight`, or `layers.0` for the first of an array. */
type Member = Place &
  (
    | { readonly kind: "tensor"; readonly value: Tensor; readonly mark: Mark }
    | { readonly kind: "module"; readonly value: AnyModule }
  );

function* membersOf({ path, key }: Place, value: unknown): Generator<Member> {
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries())
      yield* membersOf({ path: `${path}.${index}`, key: `${key}.${index}` }, element);
  } else if (isModule(value)) {
    yield { kind: "module", path, key, value };
  } else {
    const mark = markOf(value);
    if (mark) yield { kind: "tensor", path, key, value: value as Tensor, mark };
  }
}

/** What the fields of a module were when they were last looked at. */
const registered = new WeakMap<Module, Map<string, Mark>>();

/**
 * As in PyTorch, a tensor that is assigned to a buffer's field is the buffer. In the place of a parameter it would go
 * untrained and unsaved without a word.
 */
function keepRegistered(module: Module, fields: readonly [string, unknown][]): void {
  const before = registered.get(module);
  const now = new Map<string, Mark>();
  for (const [name, value] of fields) {
    const was = before?.get(name);
    const mark = markOf(value) ?? was;
    if (mark === undefined) continue;
    if (mark === was && native.isTensor(value) && markOf(value) === undefined) {
      if (was.kind === "buffer") markTensor(value, was);
      else
        throw new TypeError(
          `${module.constructor.name}.${name} was a parameter and is a plain tensor now, which no optimizer trains: assign new nn.Parameter(x), or write the values with torch.noGrad(() => layer.${name}.copy_(x)).`,
        );
    }
    now.set(name, mark);
  }
  if (now.size > 0) registered.set(module, now);
  else if (before !== undefined) registered.delete(module);
}

/** Parameters, buffers and child modules among the fields of one module, in the order of the fields. */
export function* membersOfModule(module: Module): Generator<Member> {
  const literal = namesAreKeys in module;
  const fields: [string, unknown][] = Object.entries(module);
  keepRegistered(module, fields);
  for (const [path, value] of fields) {
    if (typeof value === "object" || typeof value === "function")
      yield* membersOf({ path, key: literal ? path : snakeCase(path) }, value);
  }
}

/** Marks containers whose names are the user's data, as in a ModuleDict: their keys are the names unchanged. */
export const namesAreKeys = Symbol("namesAreKeys");

const HERE: Place = { path: "", key: "" };

function below(parent: Place, { path, key }: Place): Place {
  return parent.path === "" ? { path, key } : { path: `${parent.path}.${path}`, key: `${parent.key}.${key}` };
}

/** Every module with its place, parents first; a module reached by two paths comes twice. */
export function* modulePlaces(
  module: Module,
  place: Place = HERE,
  ancestors: readonly Module[] = [],
): Generator<[Place, AnyModule]> {
  if (ancestors.includes(module)) {
    throw new TypeError(
      `The module at "${place.path}" (${module.constructor.name}) contains itself. ` +
        `Keep a reference back to a parent in a private field (#parent), which modules do not search.`,
    );
  }
  yield [place, module as AnyModule];
  const line = [...ancestors, module];
  for (const member of membersOfModule(module)) {
    if (member.kind === "module") yield* modulePlaces(member.value, below(place, member), line);
  }
}

/** Parameters and buffers with their paths; one reached by two paths comes twice. */
function* ownedTensors(module: Module, recurse = true): Generator<OwnedTensor & { readonly mark: Mark }> {
  for (const [place, owner] of recurse ? modulePlaces(module) : [[HERE, module] as const]) {
    const own = [...membersOfModule(owner)].filter((member) => member.kind === "tensor");
    const parametersFirst = [
      ...own.filter(({ mark }) => mark.kind === "parameter"),
      ...own.filter(({ mark }) => mark.kind === "buffer"),
    ];
    for (const { value, mark, ...member } of parametersFirst)
      yield { ...below(place, member), tensor: value, mark };
  }
}

/** Parameters or buffers with their paths, as their owner lists them. */
export function* namedTensors(
  module: Module,
  kind: Mark["kind"],
  options: MemberOptions | undefined,
): Generator<[string, Tensor]> {
  const { recurse, removeDuplicate } = readOptions<MemberOptions>(`${kind}s`, options, MEMBER_RULES);
  const seen = new Set<Tensor>();
  for (const { path, tensor, mark } of ownedTensors(module, recurse)) {
    if (mark.kind !== kind || (removeDuplicate && seen.has(tensor))) continue;
    seen.add(tensor);
    yield [path, tensor];
  }
}

/**
 * Returns, for each module, the part of the state that it owns itself, and the modules inside it. No module contains
 * itself.
 */
export function stateTree(module: Module, place: Place = HERE): StateTree {
  const prefix = place.key === "" ? "" : `${place.key}.`;
  const owned = [...ownedTensors(module, false)].filter(({ mark }) => mark.persistent);
  return {
    module,
    prefix,
    owned: owned.map((one) => ({ ...one, ...below(place, one) })),
    children: [...membersOfModule(module)].flatMap((member) =>
      member.kind === "module" ? [stateTree(member.value, below(place, member))] : [],
    ),
  };
}

export function persistentTensors(module: Module): OwnedTensor[] {
  return [...ownedTensors(module)].filter(({ mark }) => mark.persistent);
}

/** Returns the value at a path. */
export function found<Value>(
  module: Module,
  method: string,
  path: string,
  all: Iterable<[string, Value]>,
): Value {
  const names: string[] = [];
  for (const [name, value] of all) {
    if (name === path) return value;
    if (name !== "") names.push(name);
  }
  const shown = names.slice(0, 8).map((name) => JSON.stringify(name));
  throw new RangeError(
    `${module.constructor.name}.${method}: there is nothing at ${describe(path)}; ` +
      `there are ${shown.join(", ") || "none"}${names.length > 8 ? ", ..." : ""}.`,
  );
}

/** Sets a field whose name is only known when it runs. */
export function register(module: Module, method: string, name: string, value: unknown): void {
  const call = `${module.constructor.name}.${method}`;
  if (typeof name !== "string" || name === "" || name.includes(".")) {
    throw new TypeError(`${call}: the name must be a string without a dot, got ${describe(name)}.`);
  }
  const own = Object.getOwnPropertyDescriptor(module, name)?.value as unknown;
  const free = Object.hasOwn(module, name) && (own == null || isModule(own) || markOf(own) !== undefined);
  const taken = name in module && !free;
  if (taken)
    throw new TypeError(`${call}: "${name}" is already used for something else; choose another name.`);
  setField(module, name, value);
}

/** Defines a field as a class's own fields are: also where the class has a method or accessor of that name. */
export function setField(module: Module, name: string, value: unknown): void {
  Object.defineProperty(module, name, { value, enumerable: true, writable: true, configurable: true });
}
