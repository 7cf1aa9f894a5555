// Every function, constructor and method that a cell can import, found in the live exports: what is added to the
// library tomorrow is in this list tomorrow. Knows no argument.
import * as mpslab from "../../../lib/index.ts";

export interface PublicCall {
  /** `nn.Linear`, `nn.Linear#forward`, `nn.Embedding.fromPretrained`. */
  readonly path: string;
  /** A method takes its object as the first argument. */
  readonly call: (args: readonly unknown[]) => unknown;
}

type Callable = (...args: unknown[]) => unknown;
type Class = (new (...args: unknown[]) => object) & { readonly prototype: object };

/** Protected in TypeScript, or what one class of the library tells another. */
const NOT_FOR_CELLS = [
  /^nn\..*#(extraRepr|moreRepr|checkInput|checkShape|mergeMasks|sizesFor|windowCount|padded|copy|members)$/,
  /^nn\.(RNN|GRU|LSTM)(Cell)?#step$/,
  /^nn\.(ModuleList|Sequential)#add$/,
  /^optim\..*#(stepList|checkGroup|remember|align|remembered|decayOf|hooked|stepUnless|refuseInCapture)$/,
  /^optim\.\w+#update$/,
  /^torch\.distributed\.optim\.\w+#(checkGroup|update)$/,
  /^optim\.(lrScheduler\..*|SWALR)#(advance|given|nextRates|closedForm|factor|wholeFactor|rates|start|set|undoStart|restart)$/,
  /^data\.transforms\..*#(draw|run|runEach|sizeAfter|each|extraRepr)$/,
  /^torch\.autograd\.FunctionContext\.(take|during)$/,
  /^torch\.distributions\.(Distribution\.lawOf|transforms\.Transform\.formulasOf)$/,
  /^Comm#take$/,
  /^data\.transforms\.(RandomAffine#sample|Compose#(isKnown|drawAll|sizeAfterAll|runAll))$/,
  /^optim\.lrScheduler\.LambdaLR#factors$/,
  /^nn\.GRU#run$/,
  // What a loss tells its layer.
  /^functional\.\w+\.(rules|compute)\b/,
];

const isClass = (value: Callable): boolean => /^class\b/.test(Function.prototype.toString.call(value));
const isModule = (type: Class): boolean => type.prototype instanceof mpslab.nn.Module;

/** The public methods of a class end where JavaScript's own begin, or those of a class that was walked before. */
const isOutside = (prototype: object, seen: ReadonlySet<object>): boolean =>
  seen.has(prototype) || String(prototype.constructor).endsWith("{ [native code] }");

function* methodsOf(path: string, type: Class, seen: Set<object>): Generator<PublicCall> {
  // A layer is called like a function.
  if (isModule(type))
    yield { path: `${path}#forward`, call: ([self, ...args]) => (self as Callable)(...args) };
  for (let at = type.prototype; !isOutside(at, seen); at = Object.getPrototypeOf(at) as object) {
    seen.add(at);
    for (const name of Object.getOwnPropertyNames(at)) {
      const described = Object.getOwnPropertyDescriptor(at, name);
      // A tensor's `data` is a method that an accessor gives: the accessor tells what to write in place of `x.data = y`.
      const value: unknown = path === "Tensor" && name === "data" ? Reflect.get(at, name) : described?.value;
      // TypeScript's private methods, which types refuse.
      if (name.startsWith("_")) continue;
      if (name === "constructor" || typeof value !== "function" || (isModule(type) && name === "forward"))
        continue;
      yield { path: `${path}#${name}`, call: ([self, ...args]) => (value as Callable).apply(self, args) };
    }
  }
  for (const name of Object.getOwnPropertyNames(type)) {
    const value = Object.getOwnPropertyDescriptor(type, name)?.value as unknown;
    if (name === "prototype" || typeof value !== "function") continue;
    yield { path: `${path}.${name}`, call: (args) => (value as Callable).apply(type, [...args]) };
  }
}

function* walk(path: string, value: unknown, seen: Set<object>): Generator<PublicCall> {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
  seen.add(value);
  if (typeof value === "function") {
    const call = value as Callable;
    if (isClass(call)) {
      const type = value as unknown as Class;
      yield { path, call: (args) => new type(...args) };
      yield* methodsOf(path, type, seen);
      return;
    }
    yield { path, call: (args) => call(...args) };
    // `lab.plot` is a function, and its kinds belong to it.
    yield* walkMembers(path, value, seen, Object.keys(value));
    return;
  }
  yield* walkMembers(path, value, seen, Object.getOwnPropertyNames(value));
}

function* walkMembers(
  path: string,
  value: object,
  seen: Set<object>,
  names: readonly string[],
): Generator<PublicCall> {
  for (const name of names)
    yield* walk(path === "" ? name : `${path}.${name}`, (value as Record<string, unknown>)[name], seen);
}

/** Each under the first of its names. */
export function publicCalls(): PublicCall[] {
  const { nn, optim, functional, torch, ...rest } = mpslab;
  // A function is listed under its shortest name, a method with the class where it is written.
  const first = {
    functional,
    nn: { Module: nn.Module },
    optim: { Optimizer: optim.Optimizer, lrScheduler: { LRScheduler: optim.lrScheduler.LRScheduler } },
    torch: {
      grad: torch.grad,
      autocast: torch.autocast,
      distributions: { Distribution: torch.distributions.Distribution },
    },
  };
  const seen = new Set<object>([torch.ops]);
  const calls = [...walk("", first, seen), ...walk("", { nn, optim, torch, ...rest }, seen)];
  const tensor = methodsOf("Tensor", mpslab.Tensor as unknown as Class, new Set());
  return [...calls, ...tensor].filter(({ path }) => !NOT_FOR_CELLS.some((pattern) => pattern.test(path)));
}
