// Arbitrary values for arbitrary operators: what the argument converter (native/call/convert.cc, resolve.cc, fast_call.cc)
// makes of them is a result, or an error in this library's words. Never a crash, never libtorch's text.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { torch, Tensor } from "../../../lib/index.ts";
import { nnFunctions } from "../../../lib/torch/tensor/operators.ts";
import { FOREIGN_WORDS } from "../../lib/torch/tensor/misuse.ts";

/** The same arguments each time; another number draws others, and fast-check's report names what failed. */
const SEED = Number(process.env["MPSLAB_FUZZ_SEED"] ?? 20261121);
const RUNS = Number(process.env["MPSLAB_FUZZ_RUNS"] ?? 1500);

const disposed = torch.ones([2]);
disposed.dispose();
const cyclic: unknown[] = [1];
cyclic.push(cyclic);
const throwing = Object.defineProperty({}, "dim", {
  enumerable: true,
  get() {
    throw new EvalError("a getter of the caller's");
  },
});

/** No size between what is small and what no machine has: those would be right to fill memory. */
const numbers = fc.constantFrom(
  ...[
    0,
    1,
    2,
    3,
    -1,
    -2,
    5,
    0.5,
    -0,
    NaN,
    Infinity,
    -Infinity,
    1e300,
    5e-324,
    2 ** 53,
    -(2 ** 63),
    2 ** 63,
    2 ** 64,
  ],
);
const bigints = fc.constantFrom(
  0n,
  1n,
  -1n,
  2n ** 53n,
  2n ** 63n - 1n,
  2n ** 63n,
  -(2n ** 63n),
  2n ** 64n,
  10n ** 30n,
);
const words = fc.oneof(
  fc.constantFrom(
    "",
    "mean",
    "float32",
    "int64",
    "cpu",
    "meta",
    "cuda:7",
    "strided",
    "ij,jk->ik",
    "reflect",
    "\0",
    "ü".repeat(100),
    "\ud800",
  ),
  fc.string({ maxLength: 12 }),
);
const tensors = fc.constantFrom<() => Tensor>(
  () => torch.ones([2, 3]),
  () => torch.tensor(2),
  () => torch.zeros([0, 3]),
  () => torch.tensor([1, 0, 1]),
  () => torch.tensor([true, false]),
  () => torch.ones([2, 2], { dtype: "complex64" }),
  () => torch.ones([3], { requiresGrad: true }),
  () => torch.eye(2).toSparse(),
  () => torch.ones([2, 3], { device: "meta" }),
  () => torch.ones([1, 2, 4, 4], { dtype: "float16" }),
  () => disposed,
);
const foreign = fc.constantFrom<() => unknown>(
  () => undefined,
  () => null,
  () => Symbol("x"),
  () => () => 1,
  () => new Date(0),
  () => new Map([[1, 2]]),
  () => new Float32Array(3),
  () => new BigInt64Array(2),
  () => new ArrayBuffer(8),
  () => new DataView(new ArrayBuffer(8)),
  () => new Proxy({}, {}),
  () => new Proxy([1, 2], {}),
  () => Object.create(null),
  () => Object.create(torch.ones([1])),
  () => new torch.Generator(),
  () => cyclic,
  () => Array(3),
  () => Array.from({ length: 200 }, () => 1),
  () => Object.assign([1], { length: 70_000 }),
  () => ({ re: 1, im: 2 }),
  () => ({ re: 1 }),
  () => ({ re: "a", im: null }),
  () => throwing,
  () => 1n,
  () => new Number(3),
  () => new String("mean"),
);

type Make = () => unknown;
const always =
  (value: unknown): Make =>
  () =>
    value;
const simple: fc.Arbitrary<Make> = fc.oneof(
  { weight: 4, arbitrary: tensors as fc.Arbitrary<Make> },
  { weight: 4, arbitrary: numbers.map(always) },
  { weight: 1, arbitrary: bigints.map(always) },
  { weight: 2, arbitrary: words.map(always) },
  { weight: 1, arbitrary: fc.boolean().map(always) },
  { weight: 2, arbitrary: foreign },
);
const lists: fc.Arbitrary<Make> = fc
  .array(simple, { maxLength: 4 })
  .map((parts) => () => parts.map((part) => part()));
const nested: fc.Arbitrary<Make> = fc
  .array(lists, { maxLength: 2 })
  .map((parts) => () => parts.map((part) => part()));
const NAMES = [
  "dim",
  "keepdim",
  "dtype",
  "device",
  "out",
  "alpha",
  "size",
  "other",
  "generator",
  "requiresGrad",
  "layout",
  "memoryFormat",
  "",
  "__proto__",
  "toString",
];
const options: fc.Arbitrary<Make> = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), fc.oneof(simple, lists)), { maxLength: 3 })
  .map((entries) => () => Object.fromEntries(entries.map(([name, make]) => [name, make()])));
const argument = fc.oneof(
  { weight: 6, arbitrary: simple },
  { weight: 3, arbitrary: lists },
  { weight: 1, arbitrary: nested },
  { weight: 2, arbitrary: options },
);

/** They change the process, or run what they are given. */
const LEFT_OUT =
  /^(set[A-Z]\w*|use[A-Z]\w*|manualSeed|seed|tidy|noGrad|enableGrad|inferenceMode|constructor|Tensor|Generator|showImages)$/;

type Call = (this: unknown, ...args: unknown[]) => unknown;
const spaces: Record<string, object> = {
  torch,
  "torch.linalg": torch.linalg,
  "torch.fft": torch.fft,
  "torch.special": torch.special,
  "torch.sparse": torch.sparse,
  nn: nnFunctions,
  "Tensor.prototype": Tensor.prototype,
};
const calls = Object.entries(spaces).flatMap(([space, owner]) =>
  Object.getOwnPropertyNames(owner)
    .filter((name) => !LEFT_OUT.test(name) || name === "setAt")
    .map((name) => ({ space, name, call: Object.getOwnPropertyDescriptor(owner, name)?.value as unknown }))
    .filter((one): one is { space: string; name: string; call: Call } => typeof one.call === "function"),
);

const CLASSES = new Set([
  "TypeError",
  "RangeError",
  "Error",
  "OutOfMemoryError",
  "UnsupportedOperatorError",
  "DeviceMismatchError",
  "UseAfterDisposeError",
  "UnavailableError",
]);

describe("any value for any operator", () => {
  it("gives a result, or an error in words for the user", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...calls),
        fc.array(argument, { maxLength: 5 }),
        ({ space, name, call }, made) => {
          const args = made.map((make) => make());
          const [self, ...rest] = space === "Tensor.prototype" ? args : [undefined, ...args];
          try {
            const result = call.apply(self, rest);
            if (typeof (result as Promise<unknown> | undefined)?.then === "function")
              (result as Promise<unknown>).then(undefined, () => {});
          } catch (error) {
            if (error instanceof EvalError) return;
            const { name: kind, message } = error as Error;
            expect(CLASSES, `${space}.${name}: ${message}`).toContain(kind);
            expect(message, `${space}.${name}`).not.toMatch(FOREIGN_WORDS);
            expect(message).not.toBe("");
          }
        },
      ),
      { seed: SEED, numRuns: RUNS },
    );
    expect(torch.ones([2]).add(1).tolist()).toEqual([2, 2]);
  });
});
