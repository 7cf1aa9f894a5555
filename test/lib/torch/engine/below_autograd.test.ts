// Operators on tensors that nothing is recorded of begin below autograd (`native/call/below_autograd.h`): whoever watches,
// casts or records sees them all the same.
import { describe, expect, it } from "vitest";
import { amp, torch, type Tensor } from "../../../../lib/index.ts";

const FLOAT = { dtype: "float32" } as const;
const ROWS = [
  [1, -2],
  [3, 4],
];
const x: Tensor = torch.tensor(ROWS, FLOAT);
const weight = (): Tensor => torch.tensor([1, 2], FLOAT).requiresGrad_();

/** Returns what is recorded of a result: the name of its node. */
const nodeOf = (result: Tensor) => result.gradFn?.name ?? null;

describe("a gradient is recorded", () => {
  it.each<[string, string, () => Tensor]>([
    ["a leaf in the first place", "MulBackward0", () => weight().mul(x)],
    ["a leaf in the second place", "MulBackward0", () => x.mul(weight())],
    ["a leaf in the third place", "AddcmulBackward0", () => x.addcmul(x, weight())],
    ["a leaf in a list", "CatBackward0", () => torch.cat([x, weight().unsqueeze(0)])],
    ["a result", "ReluBackward0", () => weight().mul(x).relu()],
    ["a view of a leaf", "NegBackward0", () => weight().view([2, 1]).neg()],
    ["a tensor that became a leaf", "ExpBackward0", () => x.mul(1).requiresGrad_().exp()],
    ["a view that became a result: its base was written", "ReluBackward0", () => writtenView().relu()],
  ])("of %s", (_, node, run) => {
    const result = run();
    expect(result.requiresGrad).toBe(true);
    expect(nodeOf(result)).toBe(node);
  });

  it.each<[string, () => Tensor]>([
    ["plain tensors", () => x.mul(x)],
    ["a leaf under noGrad", () => torch.noGrad(() => weight().mul(x))],
    ["a detached leaf", () => weight().detach().mul(x)],
    ["indices", () => weight().mul(x).argmax(1)],
  ])("but not of %s", (_, run) => {
    const result = run();
    expect([result.requiresGrad, result.isLeaf, nodeOf(result)]).toEqual([false, true, null]);
  });
});

/** A view of a plain tensor into which a gradient's result is written afterwards. */
function writtenView(): Tensor {
  const base = torch.zeros([2, 2]);
  const view = base.select(0, 1);
  base.copy_(x.mul(weight()));
  return view;
}

it("a result of plain tensors counts its versions: backward notices that it was changed", () => {
  const factor = x.relu();
  const product = weight().mul(factor);
  factor.add_(1);
  expect(() => product.sum().backward()).toThrow(/changed in place after it was used/);
});

it("a view of a result of plain tensors is its view", () => {
  const base = x.mul(2);
  base.select(0, 0).mul_(weight());
  expect(base.requiresGrad).toBe(true);
  expect(base.tolist()).toEqual([
    [2, -8],
    [6, 8],
  ]);
});

it("autocast casts", () => {
  const product = amp.autocast({ deviceType: "cpu" }, () => x.mm(x));
  expect(product.dtype).toBe("bfloat16");
  expect(x.mm(x).dtype).toBe("float32");
});

it("the profiler sees the same operators as in front of autograd", () => {
  const names = (run: () => void) =>
    torch.profiler
      .profile({}, run)
      .events()
      .map(({ name }) => name);
  expect(names(() => x.relu())).toEqual(["aten::relu", "aten::clamp_min"]);
  expect(names(() => torch.cat([x, x]))).toEqual(["aten::cat"]);
});

it("inference mode makes tensors of its own, which outside of it cannot be recorded", () => {
  const made = torch.inferenceMode(() => x.mul(2));
  expect(made.mul(2).tolist()).toEqual([
    [4, -8],
    [12, 16],
  ]);
  expect(() => made.mul(weight())).toThrow(/[Ii]nference/);
});

it("what is conjugated when it is read is so", () => {
  const z: Tensor = torch.complex(x.select(1, 0), x.select(1, 1));
  expect(z.conj().mul(z).tolist()).toEqual([
    { re: 5, im: 0 },
    { re: 25, im: 0 },
  ]);
});

it("sparse tensors and others without elements of their own take their kernels", () => {
  const sparse = x.toSparse();
  expect(sparse.mul(2).toDense().tolist()).toEqual(x.mul(2).tolist());
  expect(torch.empty([2, 3], { device: "meta" }).neg().shape).toEqual([2, 3]);
});
