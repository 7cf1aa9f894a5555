// From a Python call to the same call of ours: which public function or method it is, and where its arguments go.
import { functional, torch, type Tensor } from "../../lib/index.ts";
import { camelCase } from "../../native/codegen/names.ts";
import { reviveValue, type Sample } from "./samples.ts";

export type Callable = (...args: unknown[]) => unknown;
type Functions = Readonly<Record<string, unknown>>;

/** A public name, and how its arguments are laid out. */
export interface Target {
  readonly run: Callable;
  /** Written by hand: what Python takes by place may be an option, and the other way round. */
  readonly composed: boolean;
}

const MODULES: readonly (readonly [prefix: string, functions: Functions])[] = [
  ["torch.nn.functional.", functional as Functions],
  ["torch.linalg.", torch.linalg as unknown as Functions],
  ["torch.fft.", torch.fft as unknown as Functions],
  ["torch.functional.", torch as unknown as Functions],
  ["torch.special.", torch.special as unknown as Functions],
];

/** PyTorch writes these in Python, and we in TypeScript. */
const COMPOSED = /^torch\.(nn\.)?functional\.$/;

const prototype = Object.getPrototypeOf(torch.zeros([1])) as object;

const asMethod =
  (name: string): Callable =>
  (self, ...args) =>
    ((self as Functions)[name] as Callable).apply(self, args);

/** Calls that Python spells with operators and brackets. */
const SPELT: Readonly<Record<string, Callable>> = {
  "torch.Tensor.__getitem__": (self, index) =>
    (self as Tensor).at(...((Array.isArray(index) ? index : [index]) as number[])),
  "torch.functional.einsum": (equation, ...operands) =>
    torch.einsum(equation as string, operands.flat() as Tensor[]),
  "torch.Tensor.__rsub__": (self, other) => torch.rsub(self as Tensor, other as number),
  "torch.Tensor.to": (self, ...args) => {
    const [nonBlocking = false, copy = false] = args.filter((one) => typeof one === "boolean");
    const rest = args.filter((one) => typeof one !== "boolean") as ["float32"];
    return (self as Tensor).to(...rest, { nonBlocking, copy });
  },
};

/** The public function or method of ours under PyTorch's name, undefined where there is none. */
export function findTarget(name: string): Target | undefined {
  const spelt = SPELT[name];
  if (spelt) return { run: spelt, composed: false };
  if (name.startsWith("torch.Tensor.")) return findMethod(name.slice("torch.Tensor.".length));
  const [prefix, functions] = MODULES.find(([prefix]) => name.startsWith(prefix)) ?? [
    "torch.",
    torch as unknown as Functions,
  ];
  const own = camelCase(name.slice(prefix.length));
  const found = functions[own];
  if (typeof found === "function") return { run: found as Callable, composed: COMPOSED.test(prefix) };
  return prefix === "torch." ? findMethod(name.slice(prefix.length)) : undefined;
}

export function findMethod(name: string): Target | undefined {
  const property = /^(\w+)\.__get__$/.exec(name)?.[1];
  if (property !== undefined && property in prototype)
    return { run: (self) => (self as Functions)[property], composed: false };
  const own = camelCase(name);
  if (!name.startsWith("__") && own in prototype) return { run: asMethod(own), composed: false };
  return undefined;
}

export function findInPlace(name: string): Target | undefined {
  return findMethod(`${name.split(".").at(-1)}_`);
}

/** Arguments that say how Python is to run something, not what; `out` where nothing is given for it. */
const PYTHON_ONLY = new Set([
  "_stacklevel",
  "inplace",
  "out",
  "size_average",
  "reduce",
  "pin_memory",
  "options",
]);
const saysNothing = ([name, value]: readonly [string, unknown]) =>
  name === "_stacklevel" ||
  name === "return_indices" ||
  (PYTHON_ONLY.has(name) && (value === null || value === false));

export interface Arguments {
  readonly places: unknown[];
  readonly options: Record<string, unknown>;
}

/** Ways in which the arguments may be laid out; the first that is accepted counts. */
export function layouts(sample: Sample, tensors: readonly Tensor[], composed: boolean): Arguments[] {
  const revive = (value: Parameters<typeof reviveValue>[0]) => reviveValue(value, tensors);
  const places = sample.args.map(revive);
  const named = Object.entries(sample.kwargs)
    // PyTorch's samples were made on the CPU.
    .map(([name, value]) => [name, name === "device" ? torch.getDefaultDevice() : revive(value)] as const)
    .filter((one) => !saysNothing(one));
  const options = (entries: readonly (readonly [string, unknown])[]) =>
    Object.fromEntries(entries.map(([name, value]) => [camelCase(name.replace(/^_/, "")), value]));
  const variadic = sample.variadic;
  // `meshgrid(*tensors)` takes an array.
  if (variadic !== undefined && SPELT[sample.name] === undefined && !Array.isArray(places[variadic])) {
    const gathered = [...places.slice(0, variadic), places.slice(variadic)];
    // One tensor only: `atleast_1d(x)` is not `atleast_1d(x, y)` with one tensor, while `meshgrid(x)` is.
    const alone = places.length === variadic + 1 && !Array.isArray(sample.expected) ? [places] : [];
    return [...alone, gathered].map((places) => ({ places, options: options(named) }));
  }
  const plain = { places, options: options(named) };
  // `x.view(2, 3)` is `x.view([2, 3])`.
  if (sample.name.startsWith("torch.Tensor.") && places.length > 1 && places.slice(1).every(Number.isInteger))
    return [plain, { places: [places[0], places.slice(1)], options: plain.options }];
  // None stands for a default that JavaScript leaves out.
  const undefinedFor = (value: unknown) => (value === null ? undefined : value);
  const spared = {
    places: places.map(undefinedFor),
    options: Object.fromEntries(
      Object.entries(plain.options).map(([name, value]) => [name, undefinedFor(value)]),
    ),
  };
  if (!composed) return [plain];
  if (sample.names === undefined) return [plain, spared];
  const byName = [...sample.args.map((_, at) => [sample.names![at]!, places[at]] as const), ...named].filter(
    (one) => !saysNothing(one),
  );
  const all: Arguments[] = [plain, spared];
  const given = new Map(byName);
  const leading = sample.names.findIndex((name) => !given.has(name));
  const max = leading < 0 ? sample.names.length : leading;
  for (let count = max; count >= 1; count--) {
    const first = sample.names.slice(0, count);
    all.push({
      places: first.map((name) => given.get(name)),
      options: options(byName.filter(([name]) => !first.includes(name))),
    });
  }
  return all;
}

export function call(
  { run }: Target,
  { places, options }: Arguments,
  more: Record<string, unknown> = {},
): unknown {
  const all = { ...options, ...more };
  return Object.keys(all).length > 0 ? run(...places, all) : run(...places);
}
