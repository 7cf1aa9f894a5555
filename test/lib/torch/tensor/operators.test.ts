// Generated operators: the numbers and gradients are PyTorch's, and every way of calling them works.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { nn, Tensor, torch } from "../../../../lib/index.ts";
import { nnFunctions } from "../../../../lib/torch/tensor/operators.ts";
import {
  type OperatorCase,
  readFixture,
  reviveArgument,
  reviveTensor,
  type StoredTensor,
} from "../fixtures.ts";

const { operators } = readFixture<{ operators: OperatorCase[] }>("numbers.json");

type Callables = Record<string, (...args: unknown[]) => unknown>;

function expectClose(actual: Tensor, stored: StoredTensor): void {
  const expected = reviveTensor(stored);
  expect(actual.shape).toEqual(stored.shape);
  expect(actual.dtype).toBe(stored.dtype);
  if (!torch.allclose(actual.detach(), expected, 1e-9, 1e-11))
    expect(actual.tolist()).toEqual(expected.tolist());
}

function expectResult(actual: unknown, stored: OperatorCase["result"]): void {
  if (!Array.isArray(stored)) {
    expectClose(actual as Tensor, stored as StoredTensor);
    return;
  }
  const parts = actual as Tensor[];
  expect(parts).toHaveLength(stored.length);
  for (const [at, part] of parts.entries()) expectClose(part, stored[at] as StoredTensor);
}

const title = ({ name, arguments: given }: OperatorCase) =>
  `${name}(${given.map((one) => JSON.stringify(one).slice(0, 30)).join(", ")})`;

describe("numbers and gradients are PyTorch's", () => {
  it.each(operators.map((one) => [title(one), one] as const))("%s", (_, one) => {
    const given = one.arguments.map(reviveArgument);
    if (one.self === undefined) {
      expectResult((torch as unknown as Callables)[one.name]?.(...given), one.result);
      return;
    }
    const self = reviveTensor(one.self).requiresGrad_(one.grad !== undefined);
    const asMethod = (self as unknown as Callables)[one.name];
    const result = asMethod
      ? asMethod.apply(self, given)
      : (torch as unknown as Callables)[one.name]?.(self, ...given);
    expectResult(result, one.result);
    if (one.grad === undefined) return;
    ((Array.isArray(result) ? result[0] : result) as Tensor).sum().backward();
    expectClose(self.grad as Tensor, one.grad);
  });
});

describe("ways of calling", () => {
  const x = torch.tensor(
    [
      [1, 2],
      [3, 4],
    ],
    { dtype: "float32" },
  );

  it("a method and a function are the same operator", () => {
    expect(x.softmax(1).equal(torch.softmax(x, 1))).toBe(true);
  });

  it("what has a default goes by position or by name", () => {
    expect(x.sum(1, true).tolist()).toEqual([[3], [7]]);
    expect(x.sum(1, { keepdim: true }).tolist()).toEqual([[3], [7]]);
    expect(x.argmax({ dim: 0 }).tolist()).toEqual([1, 1]);
    expect(x.sum(null, false, { dtype: "int64" }).item()).toBe(10);
  });

  it("`out` writes into a tensor and returns it", () => {
    const out = torch.empty([2, 2]);
    expect(torch.add(x, 1, { out })).toBe(out);
    expect(out.tolist()).toEqual([
      [2, 3],
      [4, 5],
    ]);
  });

  it("an operator in place returns the tensor that it was called on", () => {
    const y = x.clone();
    expect(y.add_(1)).toBe(y);
    expect(y.tolist()).toEqual([
      [2, 3],
      [4, 5],
    ]);
  });

  it("where() as a method takes the condition first", () => {
    expect(x.where(x.gt(2), 0).tolist()).toEqual([
      [0, 0],
      [3, 4],
    ]);
  });

  it("several results are an array", () => {
    const [values, indices] = x.max(1);
    expect([values.tolist(), indices.tolist()]).toEqual([
      [2, 4],
      [1, 1],
    ]);
  });

  it("scalars may be bigints, booleans and complex numbers", () => {
    expect(torch.tensor([1, 2]).mul(3n).tolist()).toEqual([3, 6]);
    expect(torch.tensor([1, 2]).eq(true).tolist()).toEqual([true, false]);
    expect(torch.tensor([1]).mul({ re: 0, im: 2 }).tolist()).toEqual([{ re: 0, im: 2 }]);
  });

  it("modules of torch have theirs", () => {
    expect(torch.linalg.norm(torch.tensor([3, 4], { dtype: "float32" })).item()).toBe(5);
    expect(torch.fft.fft(torch.tensor([1, 0], { dtype: "float32" })).tolist()).toEqual([
      { re: 1, im: 0 },
      { re: 1, im: 0 },
    ]);
    expect(torch.special.expit(torch.zeros([1])).tolist()).toEqual([0.5]);
    expect(nnFunctions.silu(torch.zeros([1])).tolist()).toEqual([0]);
  });

  it("an operator of one tensor is given one by an array's map, and so is a layer", () => {
    const pair = [torch.tensor([-1, 2]), torch.tensor([3, -4])];
    const lists = (tensors: readonly Tensor[]) => tensors.map((one) => one.tolist());
    expect(lists(pair.map(torch.relu as (one: Tensor) => Tensor))).toEqual([
      [0, 2],
      [3, 0],
    ]);
    expect(lists(pair.map(new nn.ReLU()))).toEqual([
      [0, 2],
      [3, 0],
    ]);
    expect(lists(pair.map(new nn.Sequential(new nn.ReLU(), new nn.Identity())))).toEqual([
      [0, 2],
      [3, 0],
    ]);
    expect(pair.map(torch.isTensor)).toEqual([true, true]);
    expect(() => pair.map(torch.add as unknown as (one: Tensor) => Tensor)).toThrow(TypeError);
  });

  it("more arguments than any overload takes are refused", () => {
    expect(() => torch.relu(...([x, {}, 3] as unknown as [Tensor]))).toThrow(
      new TypeError("torch.relu takes at most 2 arguments, its options included; 3 were given."),
    );
  });
});

describe("torch.ops", () => {
  const x = torch.tensor([1, 2], { dtype: "float32" });

  it("reaches one overload by its name, private operators too", () => {
    expect(torch.ops.aten.add.Tensor(x, x, { alpha: 2 }).tolist()).toEqual([3, 6]);
    expect(torch.ops.aten.relu.default(x).tolist()).toEqual([1, 2]);
    expect(torch.ops.aten._to_copy.default(x, { dtype: "int64" }).dtype).toBe("int64");
    expect(torch.ops.aten.sort.stable<Tensor[]>(x, { stable: true, descending: true })).toHaveLength(2);
  });

  it("gives the same function each time", () => {
    expect(torch.ops.aten.mul.Tensor).toBe(torch.ops.aten.mul.Tensor);
  });

  it("says which overloads there are", () => {
    // @ts-expect-error: relu has no such overload
    expect(() => torch.ops.aten.relu.Tensr).toThrow(/^aten::relu has no overload Tensr; it has .*default/);
    // @ts-expect-error: there is no such operator
    expect(() => torch.ops.aten.reluu.default).toThrow(
      /^libtorch \d+\.\d+\.\d+ has no operator aten::reluu\.$/,
    );
  });
});

describe("declarations and functions are the same names", () => {
  const source = readFileSync(
    path.join(import.meta.dirname, "../../../../lib/torch/tensor/ops.generated.ts"),
    "utf8",
  );
  const spaces: [string, object][] = [
    ["Tensor", Tensor.prototype],
    ["torch", torch],
    ["nn", nnFunctions],
    ["linalg", torch.linalg],
    ["fft", torch.fft],
    ["special", torch.special],
  ];

  it.each(spaces)("in %s", (name, space) => {
    const body = source.split(`export interface ${name} {`)[1]?.split("\n}\n")[0] ?? "";
    const declared = new Set([...body.matchAll(/^ {2}(\w+)[<(]/gm)].map((match) => match[1] ?? ""));
    expect(declared.size).toBeGreaterThan(20);
    expect([...declared].filter((member) => typeof Reflect.get(space, member) !== "function")).toEqual([]);
    if (space === torch || space === Tensor.prototype) return; // They hold our own names too.
    expect(Object.keys(space).filter((member) => !declared.has(member))).toEqual([]);
  });
});

describe("functions that PyTorch writes in Python", () => {
  const x = torch.tensor([3, 1, 1, 3, 2]);

  it("give the different elements, alone or with their places and counts", () => {
    expect(x.unique().tolist()).toEqual([1, 2, 3]);
    const [elements, inverse, counts] = torch.unique(x, {
      returnInverse: true,
      returnCounts: true,
    }) as Tensor[];
    expect(elements?.at(inverse!).tolist()).toEqual([3, 1, 1, 3, 2]);
    expect(counts?.tolist()).toEqual([2, 1, 2]);
    expect(x.uniqueConsecutive().tolist()).toEqual([3, 1, 3, 2]);
    expect(
      torch
        .unique(
          torch.tensor([
            [1, 2],
            [1, 2],
          ]),
          { dim: 0 },
        )
        .tolist(),
    ).toEqual([[1, 2]]);
  });

  it("find what is not zero, by rows or by dimensions", () => {
    const mask = torch.tensor([
      [0, 1],
      [1, 0],
    ]);
    expect(mask.nonzero().tolist()).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect((mask.nonzero({ asTuple: true }) as Tensor[]).map((one) => one.tolist())).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });

  it("tell the shape that others have together, and count elements", () => {
    expect(torch.broadcastShapes([2, 1], [3], [])).toEqual([2, 3]);
    expect(torch.broadcastShapes()).toEqual([]);
    expect(torch.broadcastShapes([0, 2], [1, 1])).toEqual([0, 2]);
    expect(torch.numel(torch.ones([2, 3]))).toBe(6);
  });

  it("sum over as many dimensions as asked, or over those named", () => {
    const [a, b] = [torch.ones([2, 3, 4]), torch.ones([3, 4, 5])];
    expect(torch.tensordot(a, b).shape).toEqual([2, 5]);
    expect(
      torch.tensordot(a, b, [
        [1, 2],
        [0, 1],
      ]).shape,
    ).toEqual([2, 5]);
    expect(torch.tensordot(a, b, [1], [0]).shape).toEqual([2, 4, 4, 5]);
    expect(torch.unravelIndex(torch.tensor(5), [1, 2n ** 63n - 1n]).map((one) => one.item())).toEqual([0, 5]);
    expect(torch.unravelIndex(torch.tensor([5, 7]), [2, 4]).map((one) => one.tolist())).toEqual([
      [1, 1],
      [1, 3],
    ]);
  });

  it.each<[() => unknown, new (text: string) => Error, string]>([
    [() => torch.unique([1] as never), TypeError, "unique: input must be a tensor, got [1]."],
    [() => x.unique({ counts: true } as never), TypeError, 'unique: unknown option "counts"'],
    [
      () => torch.broadcastShapes([2, 3], [4]),
      RangeError,
      "broadcastShapes: [2, 3] and [4] do not broadcast: 3 and 4 differ, and neither is 1.",
    ],
    [
      () => torch.tensordot(x, x),
      RangeError,
      "tensordot: tensors of 1 and 1 dimensions have no 2 to sum over.",
    ],
    [() => torch.cdist(x, x, 2, "fast" as never), TypeError, "cdist: computeMode must be one of"],
    [
      () => torch.unravelIndex(x, [2, 2n ** 40n, 2n ** 40n]),
      RangeError,
      "unravelIndex: a tensor of shape [2, 1099511627776n, 1099511627776n] has more elements than an int64",
    ],
    [
      () => torch.unravelIndex(x, {} as never),
      TypeError,
      "unravelIndex: shape must be an array of sizes, got",
    ],
    [() => x.nonzero({ asTuple: true, out: x }), TypeError, "nonzero: asTuple gives new tensors"],
    [
      () => torch.zeros([2], { dtype: "int64", out: torch.zeros([2]) } as never),
      TypeError,
      'torch.zeros: dtype is "int64", but the tensor given as out is of dtype "float32": leave dtype out.',
    ],
    [
      () => torch.sort(x, 0, { stable: true } as never),
      TypeError,
      "sort(): option 'stable' does not go together with the other arguments.",
    ],
  ])("refuse with a way out: %s", (call, kind, text) => {
    expect(call).toThrow(kind);
    expect(call).toThrow(text);
  });
});
