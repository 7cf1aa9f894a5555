// A function that is written for one example runs for all of them at once.
import { describe, expect, test } from "vitest";
import { nn, type Tensor, torch } from "../../../../lib/index.ts";

const { vmap } = torch.func;

describe("vmap", () => {
  const a = torch.tensor([
    [1.5, 2, 3],
    [4, 5, 6.5],
  ]);

  test("gives what a loop over the examples gives", () => {
    const dot = vmap((x, y) => x.dot(y));
    expect(dot(a, a).tolist()).toEqual([15.25, 83.25]);
    expect(
      torch
        .vmap((x) => x.flip([0]))(a)
        .tolist(),
    ).toEqual([
      [3, 2, 1.5],
      [6.5, 5, 4],
    ]);
  });

  test("maps over other dimensions, and over none of an argument", () => {
    const columns = vmap((x) => x.sum(), { inDims: 1 });
    expect(columns(a).tolist()).toEqual([5.5, 7, 9.5]);
    const scaled = vmap((x: Tensor, by: Tensor, more: number) => x.mul(by).add(more), {
      inDims: [0, null, null],
      outDims: 1,
    });
    expect(scaled(a, torch.tensor([2, 0, 1]), 0.5).tolist()).toEqual([
      [3.5, 8.5],
      [0.5, 0.5],
      [3.5, 7],
    ]);
  });

  test("takes and gives objects and lists of tensors", () => {
    const both = vmap((of: { x: Tensor; b: Tensor }) => ({ sum: of.x.add(of.b), parts: [of.x, of.b] }), {
      inDims: [{ x: 0, b: null }],
      outDims: { sum: 0, parts: [0, null] },
    });
    const { sum, parts } = both({ x: a, b: torch.tensor([1, 1, 1]) });
    expect(sum.shape).toEqual([2, 3]);
    expect(parts.map(({ shape }) => shape)).toEqual([[2, 3], [3]]);
  });

  test("stands inside of itself: the products of all pairs", () => {
    const pairs = vmap(
      vmap((x: Tensor, y: Tensor) => x.mul(y), { inDims: [0, null] }),
      { inDims: [null, 0] },
    );
    expect(pairs(torch.tensor([1, 2]), torch.tensor([10, 20, 30])).tolist()).toEqual([
      [10, 20],
      [20, 40],
      [30, 60],
    ]);
  });

  test("repeats a result that no example changes", () => {
    expect(vmap((_) => torch.tensor([1, 2]))(a).tolist()).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  test("in chunks gives the same", () => {
    const x = torch.arange(10).reshape([5, 2]);
    const twice = (chunkSize: number | null) => vmap((row) => row.mul(2), { chunkSize })(x);
    expect(twice(2).tolist()).toEqual(twice(null).tolist());
    expect(twice(7).tolist()).toEqual(twice(null).tolist());
  });

  test("draws for each example anew, or once for all, as it is told", () => {
    const noise = (randomness: "same" | "different") => {
      torch.manualSeed(1);
      return vmap((x) => x.mul(0).add(torch.randn([3])), { randomness })(a);
    };
    const [same, different] = [noise("same"), noise("different")];
    expect(same.at(0).tolist()).toEqual(same.at(1).tolist());
    expect(different.at(0).tolist()).not.toEqual(different.at(1).tolist());
    expect(() => vmap((x) => x.add(torch.randn([3])))(a)).toThrow(
      'randn(): torch.func.vmap refuses random operators unless it is told what they do (got size [3]). { randomness: "different" } draws for each example, "same" once for all.',
    );
  });

  test("is differentiated through", () => {
    const w = torch.ones([3], { requiresGrad: true });
    vmap((x) => x.dot(w))(a)
      .sum()
      .backward();
    expect(w.grad!.tolist()).toEqual([5.5, 7, 9.5]);
  });

  test("shows a tensor in it as what it is", () => {
    let shown = "";
    vmap((x) => {
      shown = String(x);
      return x;
    })(torch.tensor([1, 2]));
    expect(shown).toBe("BatchedTensor(lvl=1, bdim=0, value=\n    tensor([1, 2])\n)");
  });

  test("runs operators without a rule in a loop, and says so", () => {
    const log = torch.randn([4, 3]).logSoftmax(1);
    const target = torch.tensor([0, 2, 1, 0]);
    const losses = vmap((x, y) => nn.functional.nllLoss(x, y))(log, target);
    const wanted = nn.functional.nllLoss(log, target, { reduction: "none" });
    expect(torch.allclose(losses, wanted)).toBe(true);
  });
});

describe("what one example cannot decide for all", () => {
  const each = (run: (x: Tensor) => Tensor) => () => vmap(run)(torch.tensor([[1.5, 2]]));

  test.each([
    [
      "a number",
      each((x) => x.mul(x.sum().item())),
      "inside of torch.func.vmap a tensor stands for all examples, and has no one number. Compute with operators: torch.where(condition, a, b) chooses for each example.",
    ],
    [
      "its values",
      each((x) => torch.tensor(x.tolist() as number[])),
      "inside of torch.func.vmap a tensor stands for all examples, and has no values of its own to read. Return it, and read what vmap gives.",
    ],
    [
      "running statistics",
      () => vmap((x) => new nn.BatchNorm1d(2)(x))(torch.randn([3, 4, 2])),
      "Make it with { trackRunningStats: false }, or call model.eval() before.",
    ],
    [
      "later",
      () => vmap(async (x) => x)(torch.ones([2])),
      "torch.func.vmap cannot wait: its function returned a promise, and the transform ends when it returns: await outside of it.",
    ],
  ])("%s", (_, run, message) => {
    expect(run).toThrow(message);
    expect(torch.ones([2]).add(1).tolist()).toEqual([2, 2]);
  });

  test("a tensor that left the function stands for nothing", () => {
    let left: Tensor | undefined;
    vmap((x) => (left = x.mul(2)))(torch.tensor([[1.5, 2]]));
    expect(() => left!.add(1)).toThrow(
      "this tensor was made inside of a function that torch.func.vmap ran, and stands for nothing outside of it",
    );
  });

  test("a captured step", () => {
    const step = torch.capture((x: Tensor) => vmap((y) => y.mul(2))(x));
    expect(() => {
      for (let call = 0; call < 3; call++) step(torch.ones([2, 2]));
    }).toThrow("the step calls a function of torch.func, whose operators work on wrapped tensors");
  });
});

test.each([
  [
    () => vmap((x) => x, { inDims: 2 })(torch.ones([2, 3])),
    "inputs[0] has shape [2, 3], and no dimension 2 to map over",
  ],
  [
    () => vmap((x, y) => x.add(y))(torch.ones([2]), torch.ones([3])),
    "all examples come at once, but inputs[0] has 2 of them and inputs[1] 3",
  ],
  [() => vmap((x) => x, { inDims: null })(torch.ones([2])), "there is no tensor to map over"],
  [
    () => vmap((x: Tensor, by: number) => x.mul(by))(torch.ones([2]), 3),
    "inputs[1] is 3, and only tensors are mapped: give it null as its dimension",
  ],
  [
    () => vmap((x) => x, { inDims: [0, 0] })(torch.ones([2])),
    "inputs has 1 parts, and its dimensions are [0, 0]",
  ],
  [
    () => vmap((x) => x, { outDims: null })(torch.ones([2])),
    "the result differs from example to example, and outDims says null for it",
  ],
  [
    () => vmap((x) => x.shape as never)(torch.ones([2, 2])),
    "the result[0] is 2, and only tensors are mapped",
  ],
])("an error says which tensor it is about: %s", (run, message) => {
  expect(run).toThrow(`torch.func.vmap: ${message}`);
});
