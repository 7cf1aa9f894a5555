// One hook for the gradients of several tensors: when it runs, and with which of them. What PyTorch 2.15 printed of the
// same graphs.
import { expect, it } from "vitest";
import { autograd, torch, type Tensor } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

const leaf = (value = 1) => torch.full([2], value, { dtype: "float32" }).requiresGrad_();

function products() {
  const [a, b] = [leaf(2), leaf(3)];
  return { a, b, c: a.mul(b), d: a.mul(b) };
}

const keep = { retainGraph: true };

it("runs once all gradients are there, with null for what is not in the graph or not among the inputs", () => {
  const { a, b, c, d } = products();
  const seen: boolean[][] = [];
  autograd.graph.registerMultiGradHook([a, b, c, d], (gradients) => {
    seen.push(gradients.map((gradient) => gradient !== null));
  });
  c.sum().backward(null, keep);
  c.sum().backward(null, { ...keep, inputs: [a] });
  c.add(d).sum().backward(null, keep);
  expect(seen).toEqual([
    [true, true, true, false],
    [true, false, true, false],
    [true, true, true, true],
  ]);
});

it("gives each tensor's gradient at its place", () => {
  const { a, b, c } = products();
  const seen: unknown[] = [];
  autograd.graph.registerMultiGradHook([c, b, a], (gradients) => {
    seen.push(gradients.map((gradient) => gradient!.tolist()));
  });
  c.mul(10).sum().backward();
  expect(seen).toEqual([
    [
      [10, 10],
      [20, 20],
      [30, 30],
    ],
  ]);
});

it("runs once a backward with the first, where it is asked for any", () => {
  const { a, b, c } = products();
  const seen: unknown[] = [];
  const plain = torch.ones([2]);
  autograd.graph.registerMultiGradHook([a, b, c, plain], (gradient) => void seen.push(gradient.tolist()), {
    mode: "any",
  });
  c.mul(10).sum().backward(null, keep);
  c.mul(20).sum().backward();
  expect(seen).toEqual([
    [10, 10],
    [20, 20],
  ]);
});

it("runs under grad(), by leaves too", () => {
  const { a, b, c } = products();
  const seen: unknown[] = [];
  autograd.graph.registerMultiGradHook([a, b, c], (gradients) => {
    seen.push(gradients.map((gradient) => gradient && gradient.tolist()));
  });
  torch.grad(c.sum(), a, keep);
  expect(seen).toEqual([[[3, 3], null, [1, 1]]]);
});

it("runs for a tensor that nobody holds any more", () => {
  const [a, seen] = [leaf(), [] as number[]];
  const hooked = (x: Tensor) => {
    const inner = x.mul(2);
    autograd.graph.registerMultiGradHook([x, inner], ({ length }) => void seen.push(length));
    return inner.sum();
  };
  hooked(a).backward();
  expect(seen).toEqual([2]);
});

it("does not run after its handle removed it", () => {
  const { a, b, c } = products();
  let ran = 0;
  const handle = autograd.graph.registerMultiGradHook([a, b], () => void ran++);
  c.sum().backward(null, keep);
  handle.remove();
  c.sum().backward();
  expect(ran).toBe(1);
});

it("starts anew after a backward that failed", () => {
  const { a, b, c } = products();
  const seen: number[] = [];
  let fails = true;
  c.registerHook(() => {
    if (fails) throw new Error("on the way");
  });
  const total = c.sum();
  autograd.graph.registerMultiGradHook([total, a, b], (gradients) => void seen.push(gradients.length));
  expect(() => total.backward(null, keep)).toThrow("on the way");
  fails = false;
  total.backward();
  expect(seen).toEqual([3]);
});

it("a hook may run a backward of its own, in which it runs too", () => {
  const a = leaf();
  const seen: unknown[] = [];
  autograd.graph.registerMultiGradHook([a], ([gradient]) => {
    seen.push(gradient!.tolist());
    if (seen.length === 1) torch.enableGrad(() => a.mul(5).sum()).backward();
  });
  a.mul(2).sum().backward();
  expect(seen).toEqual([
    [2, 2],
    [5, 5],
  ]);
});

const register = autograd.graph.registerMultiGradHook as (...args: unknown[]) => unknown;

refuses([
  [
    "a tensor that gets no gradient",
    () => register([leaf(), torch.ones([1])], () => {}),
    "TypeError",
    "registerMultiGradHook: tensors[1] does not require gradients, so none reaches it: call requiresGrad_() first.",
  ],
  [
    "what is no tensor",
    () => register([1], () => {}),
    "TypeError",
    "registerMultiGradHook: tensors[0] must be a tensor, got 1.",
  ],
  [
    "what is no list",
    () => register(1, () => {}),
    "TypeError",
    "registerMultiGradHook: tensors must be a tensor or a list of tensors, got 1.",
  ],
  [
    "what is no function",
    () => register([leaf()], 1),
    "TypeError",
    "registerMultiGradHook: expected a function, got 1.",
  ],
  [
    "another mode",
    () => register([leaf()], () => {}, { mode: "some" }),
    "TypeError",
    "registerMultiGradHook: mode must be...",
  ],
  [
    "another option",
    () => register([leaf()], () => {}, { node: "all" }),
    "TypeError",
    'registerMultiGradHook: unknown option "node"...',
  ],
]);
