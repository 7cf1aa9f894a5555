// Wrong shapes, dtypes, devices, sizes and objects: each public function answers with an error of the right class, in
// words for the user, and the session goes on.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mps, Tensor, torch } from "../../../../lib/index.ts";
import { nnFunctions } from "../../../../lib/torch/tensor/operators.ts";
import { FOREIGN_WORDS } from "./misuse.ts";

/** `torch.save(x, "a")` writes its file here. */
const folder = mkdtempSync(path.join(tmpdir(), "mpslab-misuse-"));
const before = process.cwd();
beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

const x: Tensor = torch.tensor(
  [
    [1, 2, 3],
    [4, 5, 6],
  ],
  { dtype: "float32" },
);
const disposed = torch.ones([2]);
disposed.dispose();

function errorOf(act: () => unknown): Error | null {
  try {
    act();
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return error as Error;
  }
}

/** The same of what may give a promise, as `itemAsync`: it fails later. */
async function errorOfAwaited(act: () => unknown): Promise<Error | null> {
  try {
    await act();
    return null;
  } catch (error) {
    return errorOf(() => {
      throw error;
    });
  }
}

describe("each mistake has its class and names its values", () => {
  it.each<[string, () => unknown, string, RegExp]>([
    ["shapes that do not broadcast", () => x.add(torch.ones([4])), "RangeError", /3.*4/s],
    ["a product of shapes that do not fit", () => x.matmul(x), "RangeError", /2x3|\[2, 3\]/],
    ["a view of another size", () => x.view([4, 2]), "RangeError", /\[4, 2\].*6|6.*\[4, 2\]/],
    ["a dimension that is not there", () => x.sum(5), "RangeError", /5/],
    ["a dimension that is NaN", () => x.sum(NaN), "RangeError", /NaN/],
    ["a dimension that is a fraction", () => x.sum(0.5), "RangeError", /0\.5/],
    ["a size that is NaN", () => torch.zeros([NaN, 2]), "RangeError", /NaN/],
    ["a size that is negative", () => torch.zeros([-1]), "RangeError", /0 or more.*\[-1\]/],
    [
      "a size that libtorch would take for a pointer",
      () => x.view([-(2n ** 63n)] as never),
      "RangeError",
      /-2\^62/,
    ],
    ["a size that is a word", () => torch.zeros(["a"] as never), "TypeError", /"a"/],
    ["a size beyond all memory", () => torch.zeros([2 ** 40, 2 ** 10]), "OutOfMemoryError", /\d/],
    ["a size beyond 64 bits", () => torch.zeros([2 ** 50, 2 ** 50]), "RangeError", /\d/],
    ["an index of the wrong dtype", () => x.indexSelect(0, torch.ones([1])), "TypeError", /int/i],
    [
      "cross-entropy with floating classes of a wrong shape",
      () => nnFunctions.crossEntropyLoss(x, torch.ones([5])),
      "RangeError",
      /5/,
    ],
    [
      "matrices of two dtypes",
      () => x.matmul(torch.ones([3, 2], { dtype: "float64" })),
      "TypeError",
      /float|Float|double|Double/,
    ],
    [
      "a tensor on another device",
      () => x.add(torch.ones([2, 3], { device: "meta" })),
      "DeviceMismatchError",
      /cpu.*meta|meta.*cpu/,
    ],
    [
      "values of a tensor elsewhere",
      () => torch.ones([2], { device: "meta" }).data(),
      "DeviceMismatchError",
      /\.cpu\(\)/,
    ],
    ["a device that is not here", () => x.to("cuda:7"), "RangeError", /cuda:7/],
    ["a device that nobody knows", () => torch.zeros([1], { device: "gpu" as never }), "TypeError", /gpu/],
    [
      "a dtype that nobody knows",
      () => torch.zeros([1], { dtype: "float33" as never }),
      "TypeError",
      /float33/,
    ],
    ["an unknown option", () => torch.zeros([1], { dtipe: "int8" } as never), "TypeError", /dtipe/],
    ["an unknown option of a method", () => x.sum(1, { keepdin: true } as never), "TypeError", /keepdin/],
    [
      "an unknown option of tensor()",
      () => torch.tensor([1], { dtyp: "int8" } as never),
      "TypeError",
      /dtyp/,
    ],
    ["a disposed tensor", () => disposed.add(1), "UseAfterDisposeError", /./],
    ["a disposed tensor as an argument", () => x.add(disposed), "UseAfterDisposeError", /./],
    ["a disposed tensor in a list", () => torch.cat([x, disposed]), "UseAfterDisposeError", /./],
    ["a disposed tensor's values", () => disposed.tolist(), "UseAfterDisposeError", /./],
    ["a word for a tensor", () => torch.relu("a" as never), "TypeError", /"a"/],
    [
      "an object that looks like a tensor",
      () => torch.relu({ shape: [1], dtype: "float32" } as never),
      "TypeError",
      /./,
    ],
    ["an object that was made from a tensor", () => torch.relu(Object.create(x) as never), "TypeError", /./],
    ["a method on something else", () => x.relu.call({} as never), "TypeError", /./],
    ["a property of something else", () => Reflect.get(Tensor.prototype, "shape", {}), "TypeError", /./],
    ["a missing argument", () => (torch.add as () => unknown)(), "TypeError", /./],
    ["no tensors to join", () => torch.cat([]), "RangeError", /./],
    ["random whole numbers from an empty range", () => torch.randint(5, 5, [1]), "RangeError", /5/],
    ["threads", () => torch.setNumThreads(0), "RangeError", /0/],
    ["a default device that is not here", () => torch.setDefaultDevice("cuda:7"), "RangeError", /cuda:7/],
    ["a matrix without an inverse", () => torch.linalg.inv(torch.zeros([2, 2])), "RangeError", /singular/],
    [
      "singular values that do not exist",
      () => torch.linalg.svd(torch.full([3, 3], NaN)),
      "RangeError",
      /non-finite/,
    ],
    [
      "values that do not exist",
      () => torch.empty([2], { device: "meta" }).cpu(),
      "DeviceMismatchError",
      /no values to copy/,
    ],
    ["a mean of whole numbers", () => torch.tensor([1]).mean(), "UnsupportedOperatorError", /floating point/],
    ["in place with a wider dtype", () => torch.tensor([1]).add_(0.5), "TypeError", /./],
    ["in place on a leaf", () => torch.ones([1], { requiresGrad: true }).add_(1), "TypeError", /leaf/],
    ["a complex number for a real operator", () => x.clamp({ re: 1, im: 1 }), "RangeError", /float64/],
  ])("%s", (_, act, name, message) => {
    const error = errorOf(act);
    expect(error).not.toBeNull();
    expect([error?.name, error?.message]).toEqual([name, expect.stringMatching(message)]);
    expect(error?.message).not.toMatch(FOREIGN_WORDS);
  });
});

const float = torch.ones([2, 2]);
const long: Tensor = torch.ones([2, 2], { dtype: "int64" });

describe("a message is in this library's words, and names the way out", () => {
  it.each<[() => unknown, string]>([
    [
      () => float.mm(long),
      'mm(): the matrices must have the same dtype (got self float32 [2, 2], mat2 int64 [2, 2]). Whole numbers make int64: write { dtype: "float32" } where they become a tensor, or convert it with x.float().',
    ],
    [
      () => torch.ones([1, 2, 2]).bmm(long.unsqueeze(0)),
      'bmm(): expected scalar type float32 but found int64 (got self float32 [1, 2, 2], mat2 int64 [1, 2, 2]). Whole numbers make int64: write { dtype: "float32" } where they become a tensor, or convert it with x.float().',
    ],
    [() => torch.cat([]), "cat(): expected a non-empty list of Tensors (got tensors [])."],
    [
      () => float.indexSelect(0, float.long()),
      "indexSelect(): Index is supposed to be a vector (got self float32 [2, 2], dim 0, index int64 [2, 2]).",
    ],
    [
      () => x.half().clamp_(1e300),
      "clamp_(): value cannot be converted to type float16 without overflow (got self float16 [2, 3], min 1e+300).",
    ],
    [
      () => torch.zeros([2], { dtype: "uint8" }).fill_(300),
      "fill_(): value cannot be converted to type uint8 without overflow (got self uint8 [2], value 300).",
    ],
    [() => torch.zeros([-1, 2]), "zeros(): sizes must be 0 or more (got size [-1, 2])."],
    [
      () => torch.zeros([2, 2]).inverse(),
      "inverse(): The diagonal element 1 is zero, the inversion could not be completed because the input matrix is singular (got self float32 [2, 2]). linalg.pinv() and linalg.lstsq() take singular matrices; a small multiple of torch.eye() makes one regular.",
    ],
    [
      () => torch.linalg.inv(torch.ones([2, 3])),
      "linalg.inv(): the matrices must be square, but they are 2 by 3 (got A float32 [2, 3]).",
    ],
    [
      () => torch.ones([1], { requiresGrad: true }).add_(1),
      "add_(): a leaf tensor that requires gradients cannot be changed in place (got self float32 [1], other 1). Change it inside torch.noGrad(() => ...), or use the operator without the underscore.",
    ],
    [
      () => torch.inferenceMode(() => torch.ones([1])).add_(1),
      "add_(): a tensor made in inferenceMode cannot be changed in place outside of it (got self float32 [1], other 1). Change a clone() of it.",
    ],
  ])("%s", (act, message) => {
    expect(errorOf(act)?.message).toBe(message);
  });

  it("where a tensor is to be made like another, on a device that is not here", () => {
    const absent = mps.isAvailable() ? "cuda" : "mps";
    for (const [name, act] of Object.entries({
      zerosLike: () => torch.zerosLike(x, { device: absent }),
      newZeros: () => x.newZeros([2], { device: absent }),
    })) {
      expect(errorOf(act)).toBeInstanceOf(RangeError);
      expect(errorOf(act)?.message).toMatch(
        new RegExp(`^${name}\\(\\): the device ${absent} is not available here; cpu.* (is|are)\\.$`),
      );
    }
  });
});

// Every public name meets every wrong thing. What a name makes of it is its own affair, but no error speaks of
// libtorch's insides, and the session is whole afterwards.
const WRONG: Record<string, (self: Tensor) => unknown[]> = {
  "no argument": () => [],
  "a foreign object": (self) => [self, new Date(0), new Date(0)],
  "an unknown option": (self) => [self, { noSuchOption: 1 }],
  "a disposed tensor": () => [disposed, disposed, disposed],
  NaN: (self) => [self, NaN, NaN],
  "a huge size": (self) => [self, 2 ** 52, 2 ** 52],
  "a negative number": (self) => [self, -9],
  words: (self) => [self, "a", "b"],
  "an empty list": (self) => [self, [], []],
  "a tensor of another shape and dtype": (self) => [self, torch.zeros([7], { dtype: "int64" })],
  "a tensor on another device": (self) => [self, torch.ones([2, 3], { device: "meta" })],
};

/** They take what they are given for a size, and would be right to fill memory; or they change the process. */
const LEFT_OUT = new Set([
  "setNumThreads",
  "setPrintoptions",
  "setDefaultDevice",
  "setDefaultDtype",
  "manualSeed",
  "seed",
  "setRngState",
  "tidy",
  "noGrad",
  "enableGrad",
  "inferenceMode",
]);

const SPACES: Record<string, object> = {
  torch,
  "torch.linalg": torch.linalg,
  "torch.fft": torch.fft,
  "torch.special": torch.special,
  nn: nnFunctions,
  "Tensor.prototype": Tensor.prototype,
};

function callables(space: object): string[] {
  return Object.getOwnPropertyNames(space).filter((name) => {
    const value = Object.getOwnPropertyDescriptor(space, name)?.value as unknown;
    return typeof value === "function" && name !== "constructor" && name !== "Tensor" && !LEFT_OUT.has(name);
  });
}

describe.each(Object.keys(SPACES))("every name of %s", (spaceName) => {
  const space = SPACES[spaceName] as Record<string, (...args: unknown[]) => unknown>;
  it.each(Object.keys(WRONG))("given %s answers in words for the user", async (wrong) => {
    const foreign: string[] = [];
    for (const name of callables(space)) {
      const self = x.clone();
      const given = WRONG[wrong]?.(self) ?? [];
      const error = await errorOfAwaited(() =>
        spaceName === "Tensor.prototype"
          ? space[name]?.apply(given[0], given.slice(1))
          : space[name]?.(...given),
      );
      if (error !== null && FOREIGN_WORDS.test(error.message)) foreign.push(`${name}: ${error.message}`);
      if (error !== null && error.message === "") foreign.push(`${name}: ${error.name} without a message`);
    }
    expect(foreign).toEqual([]);
    expect(x.sum().item()).toBe(21);
  });
});
