// Derivatives of functions (`torch.autograd.functional`) and their check by differences, against values worked by hand.
import { describe, expect, it } from "vitest";
import { autograd, torch, type Tensor } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

const { gradcheck, gradgradcheck } = autograd;
const { hessian, hvp, jacobian, jvp, vhp, vjp } = autograd.functional;
const vector = (...values: number[]) => torch.tensor(values, { dtype: "float64" });
const leaf = (...values: number[]) => vector(...values).requiresGrad_();

describe("jacobian", () => {
  it("has the output's dimensions, then the input's", () => {
    const square = (x: Tensor) => x.mul(x);
    expect(jacobian(square, vector(1, 2)).tolist()).toEqual([
      [2, 0],
      [0, 4],
    ]);
    expect(jacobian((x) => x.sum(), torch.ones([2, 3])).shape).toEqual([2, 3]);
    expect(jacobian((x) => x.outer(x), vector(1, 2)).shape).toEqual([2, 2, 2]);
  });

  it("is an array for several inputs, and an array of arrays for several outputs", () => {
    const [byA, byB] = jacobian((a, b) => a.mul(b), [vector(2, 3), vector(5, 7)]);
    expect([byA!.tolist(), byB!.tolist()]).toEqual([
      [
        [5, 0],
        [0, 7],
      ],
      [
        [2, 0],
        [0, 3],
      ],
    ]);
    const blocks = jacobian((a: Tensor, b: Tensor) => [a.sum(), b.mul(2)], [
      vector(1),
      vector(1),
    ] as Tensor[]);
    expect(blocks.map((row) => row.map((block) => block.tolist()))).toEqual([
      [[1], [0]],
      [[[0]], [[2]]],
    ]);
  });

  it("can be differentiated again where its graph is recorded, and is detached where not", () => {
    const x = leaf(3);
    jacobian((y) => y.pow(3), x, { createGraph: true })
      .sum()
      .backward();
    expect(x.grad!.item()).toBe(18);
    expect(jacobian((y) => y.pow(3), x).requiresGrad).toBe(false);
  });

  it("leaves the graph and the gradients of its input alone, and works within noGrad", () => {
    const x = leaf(3);
    expect(torch.noGrad(() => jacobian((y) => y.square(), x)).item()).toBe(6);
    expect(x.grad).toBeNull();
  });
});

describe("hessian", () => {
  it("is the second derivative, in blocks for several inputs", () => {
    expect(hessian((x) => x.pow(3).sum(), vector(1, 2)).tolist()).toEqual([
      [6, 0],
      [0, 12],
    ]);
    const blocks = hessian((a, b) => a.mul(b).sum(), [vector(1), vector(2)]);
    expect(blocks.map((row) => row.map((block) => block.item()))).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });
});

describe("products", () => {
  const f = (x: Tensor) => x.square();

  it("vjp and jvp give the outputs and the product with the Jacobian from either side", () => {
    const [y, back] = vjp(f, vector(1, 2), vector(1, 10)) as [Tensor, Tensor];
    expect([y.tolist(), back.tolist()]).toEqual([
      [1, 4],
      [2, 40],
    ]);
    const [, forth] = jvp((x: Tensor) => [x.square(), x.sum()], vector(1, 2), vector(1, 10)) as [
      Tensor[],
      Tensor[],
    ];
    expect(forth.map((one) => one.tolist())).toEqual([[2, 40], 11]);
  });

  it("vhp and hvp give the product with the Hessian", () => {
    const cubic = (x: Tensor) => x.pow(3).sum();
    for (const product of [vhp, hvp]) {
      const [y, by] = product(cubic, vector(1, 2), vector(1, 1)) as [Tensor, Tensor];
      expect([y.item(), by.tolist()]).toEqual([9, [6, 12]]);
    }
  });

  it("give zero for what the function does not depend on, and refuse it where they are strict", () => {
    const [, by] = vjp((a: Tensor, _b: Tensor) => a.sum(), [vector(1), vector(2)]) as [Tensor, Tensor[]];
    expect(by.map((one) => one.tolist())).toEqual([[1], [0]]);
    expect(() =>
      vjp((a: Tensor, _b: Tensor) => a.sum(), [vector(1), vector(2)], null, { strict: true }),
    ).toThrow(new RangeError("vjp: the result does not depend on input 1 (strict)."));
  });
});

describe("gradcheck", () => {
  class WrongSquare extends autograd.Function {
    static forward(ctx: autograd.FunctionContext, a: Tensor, x: Tensor): Tensor {
      ctx.saveForBackward(x);
      return x.square().add(a);
    }
    static backward(ctx: autograd.FunctionContext, grad: Tensor): Tensor[] {
      return [grad, grad.mul(ctx.savedTensors[0]!).mul(3)];
    }
  }
  const wrong = (a: Tensor, x: Tensor) => WrongSquare.apply(a, x);

  it("passes what is right: several inputs, shapes, views, complex numbers", () => {
    expect(gradcheck((a, b) => [a.mul(b), a.exp()], [leaf(1, 2), leaf(3, 4)])).toBe(true);
    const matrix = torch.randn([3, 2], { dtype: "float64" }).requiresGrad_();
    expect(gradcheck((x) => x.matmul(x.T).sum(0), matrix)).toBe(true);
    expect(gradcheck((x) => x.square(), torch.randn([2, 3], { dtype: "float64" }).T.requiresGrad_())).toBe(
      true,
    );
    const z = torch.randn([3], { dtype: "complex128" }).requiresGrad_();
    expect(gradcheck((x) => x.mul(x).conj(), z)).toBe(true);
    expect(gradgradcheck((x) => x.pow(3), leaf(1, 2))).toBe(true);
  });

  it("says which input is wrong, with both Jacobians", () => {
    expect(() => gradcheck(wrong, [leaf(1), leaf(2)])).toThrow(
      /^Jacobian mismatch for output 0 with respect to input 1,\nnumerical:tensor\(\[\[4\.0000\]\], dtype=torch\.float64\)\nanalytical:tensor\(\[\[6\.\]\], dtype=torch\.float64\)$/,
    );
    expect(gradcheck(wrong, [leaf(1), leaf(2)], { raiseException: false })).toBe(false);
  });

  it("leaves the inputs as they were", () => {
    const x = leaf(0.1, 0.2);
    gradcheck((y) => y.exp(), x);
    expect([x.tolist(), x.grad]).toEqual([[0.1, 0.2], null]);
  });

  it("finds a first derivative that is right and a second that is not", () => {
    class Detached extends autograd.Function {
      static forward(ctx: autograd.FunctionContext, x: Tensor): Tensor {
        ctx.saveForBackward(x);
        return x.pow(3);
      }
      static backward(ctx: autograd.FunctionContext, grad: Tensor): Tensor {
        return grad.mul(ctx.savedTensors[0]!.detach().square().mul(3));
      }
    }
    const f = (x: Tensor) => Detached.apply(x);
    expect(gradcheck(f, leaf(1, 2))).toBe(true);
    expect(gradgradcheck(f, leaf(1, 2), null, { raiseException: false })).toBe(false);
  });

  it("finds a backward that is another each time", () => {
    class Noisy extends autograd.Function {
      static forward(_: autograd.FunctionContext, x: Tensor): Tensor {
        return x.mul(1);
      }
      static backward(_: autograd.FunctionContext, grad: Tensor): Tensor {
        return grad.add(torch.randLike(grad));
      }
    }
    expect(() => gradcheck((x: Tensor) => Noisy.apply(x), leaf(1))).toThrow(
      /^Backward is not reentrant: for output 0 with respect to input 0/,
    );
  });
});

describe("misuse", () => {
  refuses([
    [
      "what is no function",
      () => jacobian(1 as never, vector(1)),
      "TypeError",
      "jacobian: expected a function, got 1.",
    ],
    [
      "inputs that are no tensors",
      () => jacobian((x) => x, [1] as never),
      "TypeError",
      "jacobian: inputs must be a tensor or an array of tensors, got [1].",
    ],
    [
      "a function that returns no tensor",
      () => vjp((() => 1) as never, vector(1)),
      "TypeError",
      "vjp: what the function returns must be a tensor or an array of tensors, got 1.",
    ],
    [
      "an unknown option",
      () => hessian((x) => x.sum(), vector(1), { vectorize: true } as never),
      "TypeError",
      'hessian: unknown option "vectorize"; it takes createGraph, strict.',
    ],
    [
      "a Hessian of several elements",
      () => hessian((x) => x, vector(1, 2)),
      "RangeError",
      "hessian: the function must return a tensor of one element, got one of shape [2].",
    ],
    [
      "a product without its vector",
      () => vjp((x) => x, vector(1, 2)),
      "RangeError",
      "vjp: v may be left out where there is one output of one element; give a tensor of its shape.",
    ],
    [
      "a vector of another shape",
      () => jvp((x) => x, vector(1, 2), vector(1)),
      "RangeError",
      "jvp: v[0] has shape [1], and the input [2].",
    ],
    [
      "a check without an input to differentiate by",
      () => gradcheck((x) => x, vector(1)),
      "TypeError",
      "gradcheck needs an input that requires gradients, and none of the 1 does.",
    ],
    [
      "a check of float32",
      () => gradcheck((x) => x, torch.ones([1]).requiresGrad_()),
      "TypeError",
      "gradcheck: input 0 is float32, whose last digits are larger than the differences that are compared: use float64, or complex128.",
    ],
    [
      "a tolerance that is no number",
      () => gradcheck((x) => x, leaf(1), { atol: "1" as never }),
      "TypeError",
      'gradcheck: atol must be a number, got "1".',
    ],
  ]);
});
