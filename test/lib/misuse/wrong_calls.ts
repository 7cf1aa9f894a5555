// From a call that works to all the calls like it that do not: each argument, and each option, replaced by each wrong
// thing. Knows no function.
import { Tensor, torch } from "../../../lib/index.ts";
import { anything, isData } from "./right_calls/right_calls.ts";

export interface WrongCall {
  /** `argument 1: option lr: Symbol(wrong)` */
  readonly what: string;
  readonly args: readonly unknown[];
  /** The text that the refusal must show. Null if the call may well be right, as with a negative number. */
  readonly shown: RegExp | null;
}

interface Wrong {
  readonly what: string;
  readonly make: () => unknown;
  readonly shown: RegExp | null;
}

const disposed = torch.ones([2]);
disposed.dispose();
const cyclic: unknown[] = [];
cyclic.push(cyclic);

/** If a text or nothing is right, another text may be right too. */
const A_WORD: Wrong = { what: "a word", make: () => "a wrong word", shown: null };

/** Nobody takes these. */
const FOREIGN: readonly Wrong[] = [
  { what: "a symbol", make: () => Symbol("wrong"), shown: /symbol/i },
  { what: "a date", make: () => new Date(0), shown: /date|1970|object/i },
  { what: "a word", make: () => "a wrong word", shown: /a wrong word/ },
];

const EMPTY: readonly Wrong[] = [
  { what: "null", make: () => null, shown: null },
  { what: "undefined", make: () => undefined, shown: null },
  { what: "an empty object", make: () => ({}), shown: null },
  { what: "an empty list", make: () => [], shown: null },
  { what: "a function", make: () => () => 1, shown: null },
  { what: "a bigint", make: () => 10n, shown: null },
  { what: "a bigint beyond 64 bits", make: () => 2n ** 70n, shown: null },
];

const NUMBERS: readonly Wrong[] = [NaN, Infinity, -Infinity, -7, 0.5, 2 ** 53, 1e300].map((value) => ({
  what: String(value),
  make: () => value,
  shown: null,
}));

const TENSORS: readonly Wrong[] = [
  { what: "a disposed tensor", make: () => disposed, shown: /disposed|arameter/ },
  { what: "a tensor on another device", make: () => torch.ones([2, 3], { device: "meta" }), shown: null },
  { what: "an empty tensor", make: () => torch.zeros([0, 3]), shown: null },
  { what: "a tensor of another dtype", make: () => torch.ones([2, 3], { dtype: "bool" }), shown: null },
  { what: "a complex tensor", make: () => torch.ones([2, 3], { dtype: "complex64" }), shown: null },
  { what: "a sparse tensor", make: () => torch.eye(2).toSparse(), shown: null },
  {
    what: "an object made from a tensor",
    make: () => Object.create(torch.ones([1])) as unknown,
    shown: null,
  },
];

const LISTS: readonly Wrong[] = [
  { what: "a list that holds itself", make: () => cyclic, shown: null },
  { what: "a list of nothing", make: () => Array(3), shown: null },
  { what: "a list of NaN", make: () => [NaN, NaN], shown: null },
  { what: "a list of negative numbers", make: () => [-7, -7], shown: null },
  { what: "a list of a symbol", make: () => [Symbol("wrong")], shown: null },
];

const isOptions = (value: unknown): value is Record<string, unknown> =>
  !isData(value) &&
  typeof value === "object" &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype;

/** Wrong things in place of a right one; a mistake of kind is none where the right one is of that kind. */
function wrongFor(right: unknown): readonly Wrong[] {
  if (right === anything) return [];
  if (typeof right === "string" || right === null)
    return [...FOREIGN.slice(0, 2), A_WORD, ...EMPTY, NUMBERS[0]!];
  const kinds = [...FOREIGN, ...EMPTY, ...NUMBERS];
  if (right instanceof Tensor) return [...kinds, ...TENSORS];
  if (typeof right === "function") return [...FOREIGN, ...EMPTY, NUMBERS[0]!];
  if (typeof right === "object" || typeof right === "number")
    return [...kinds, ...LISTS, { ...TENSORS[0]!, shown: null }, TENSORS[1]!];
  return kinds;
}

const replaced = (args: readonly unknown[], at: number, value: unknown) =>
  args.map((one, i) => (i === at ? value : one));

/** The right call has `args`, made anew by `make`. */
export function* wrongCalls(make: () => readonly unknown[], first = 0): Generator<WrongCall> {
  const right = make();
  for (let count = first; count < right.length; count++)
    yield { what: `only ${count} arguments`, args: make().slice(0, count), shown: null };
  for (const [at, value] of right.entries()) {
    if (at < first) continue;
    for (const wrong of wrongFor(value))
      yield { ...wrong, what: `argument ${at} is ${wrong.what}`, args: replaced(make(), at, wrong.make()) };
    if (!isOptions(value)) continue;
    for (const name of Object.keys(value))
      for (const wrong of wrongFor(value[name])) {
        const args = make();
        const options = { ...(args[at] as object), [name]: wrong.make() };
        yield { ...wrong, what: `${name} is ${wrong.what}`, args: replaced(args, at, options) };
      }
  }
}

/**
 * Yields wrong calls of libtorch's operators: wrong kinds and wrong tensors only, because overloads may differ in what
 * stands at a place.
 */
export function* wrongKinds(make: () => readonly unknown[]): Generator<WrongCall> {
  for (const at of make().keys())
    for (const wrong of [...FOREIGN, EMPTY[0]!, NUMBERS[0]!, TENSORS[0]!, TENSORS[1]!])
      yield {
        what: `argument ${at} is ${wrong.what}`,
        args: replaced(make(), at, wrong.make()),
        shown: wrong.shown && /./,
      };
}

/** Returns the arguments with a key that no options have. */
export function withUnknownOption(args: readonly unknown[]): readonly unknown[] | null {
  const at = args.findLastIndex(isOptions);
  return at < 0 ? null : replaced(args, at, { ...(args[at] as object), noSuchOption: 1 });
}
