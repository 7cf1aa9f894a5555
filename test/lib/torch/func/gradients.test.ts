// Gradients of functions: by numbers that one can work out.
import { describe, expect, test } from "vitest";
import { autograd, functional as F, nn, type Tensor, torch } from "../../../../lib/index.ts";

const { grad, gradAndValue, hessian, jacfwd, jacrev, jvp, vjp, vmap } = torch.func;
const cubes = (x: Tensor) => x.pow(3);
const x = torch.tensor([1.5, 2]);

describe("grad", () => {
  test("is the derivative, and the derivative of that", () => {
    expect(grad((y) => cubes(y).sum())(x).tolist()).toEqual([6.75, 12]);
    expect(grad(grad((y) => cubes(y).sum()))(torch.tensor(1.5)).item()).toBe(9);
  });

  test("by several arguments, and by an object of tensors", () => {
    const by = grad((a: Tensor, b: Tensor) => a.mul(b).sum(), { argnums: [0, -1] });
    expect(by(x, x.mul(2)).map((one: Tensor) => one.tolist())).toEqual([
      [3, 4],
      [1.5, 2],
    ]);
    const found = grad((of: { w: Tensor; b: Tensor }) => of.w.mul(2).sum())({ w: x, b: x });
    expect([found.w.tolist(), found.b.tolist()]).toEqual([
      [2, 2],
      [0, 0],
    ]);
  });

  test("with the value, and with what the function returns beside", () => {
    const [gradient, value] = gradAndValue((y) => cubes(y).sum())(x);
    expect([gradient.tolist(), value.item()]).toEqual([[6.75, 12], 11.375]);
    const [, [output, more]] = gradAndValue((y: Tensor) => [y.sum(), y.mul(2)], { hasAux: true })(x);
    expect([output.item(), more.tolist()]).toEqual([3.5, [3, 4]]);
    expect(grad((y: Tensor) => [y.sum(), "seen"], 0, true)(x)).toEqual([expect.anything(), "seen"]);
  });

  test("of a function that makes a tensor of its own values", () => {
    expect(grad((y) => y.mul(torch.tensor([1.5, 2])).sum())(x).tolist()).toEqual([1.5, 2]);
    expect(jvp((y: Tensor) => y.mul(torch.tensor(3)), [x], [x])[1].tolist()).toEqual([4.5, 6]);
  });

  test("records nothing of what noGrad holds inside, and all of it outside", () => {
    expect(
      grad((y) =>
        torch
          .noGrad(() => y.pow(2))
          .add(y)
          .sum(),
      )(x).tolist(),
    ).toEqual([1, 1]);
    expect(torch.noGrad(() => grad((y) => y.pow(2).sum())(x)).tolist()).toEqual([3, 4]);
  });

  test("is recorded for a backward around it", () => {
    const w = torch.tensor([2.5], { requiresGrad: true });
    grad((y) => y.mul(w).pow(2).sum())(torch.tensor([1.5]))
      .sum()
      .backward();
    expect(w.grad!.tolist()).toEqual([15]);
  });

  test("passes through a function of one's own", () => {
    class Square extends autograd.Function {
      static forward(context: InstanceType<typeof autograd.FunctionContext>, y: Tensor) {
        context.saveForBackward(y);
        return y.mul(y);
      }
      static backward(context: InstanceType<typeof autograd.FunctionContext>, gradient: Tensor) {
        return gradient.mul((context.savedTensors[0] as Tensor).mul(2));
      }
    }
    expect(vmap(grad((y) => Square.apply(y) as Tensor))(x).tolist()).toEqual([3, 4]);
  });

  test("with vmap gives the gradient of each example", () => {
    const layer = new nn.Linear(3, 2);
    const inputs = torch.randn([4, 3]);
    const targets = torch.randn([4, 2]);
    const loss = (weight: Tensor, input: Tensor, target: Tensor) =>
      F.mseLoss(F.linear(input, weight, layer.bias!.detach()), target);
    const each = vmap(grad(loss), { inDims: [null, 0, 0] })(layer.weight.detach(), inputs, targets);
    expect(each.shape).toEqual([4, 2, 3]);
    const second = F.mseLoss(layer(inputs.at(1)), targets.at(1));
    const [wanted] = autograd.grad(second, [layer.weight]);
    expect(torch.allclose(each.at(1), wanted!, { atol: 1e-6 })).toBe(true);
  });

  test.each([
    [
      () => grad(cubes)(x),
      "the function must return a tensor of shape [], got [2]: reduce it with sum() or mean().",
    ],
    [() => grad((y) => y.sum(), { argnums: 1 })(x), "argnums is 1, and the function got 1 arguments."],
    [() => grad((n: number) => torch.tensor(n))(3), "argument 0 holds no tensor, got 3."],
    [() => grad((y) => y.sum(), { hasAux: true })(x), "with hasAux the function returns [output, more]"],
  ])("an error says what is wrong: %s", (run, message) => {
    expect(run).toThrow(`torch.func.grad: ${message}`);
  });
});

describe("Jacobians", () => {
  const wanted = [
    [6.75, 0],
    [0, 12],
  ];

  test("backward, forward, and as products with vectors", () => {
    expect(jacrev(cubes)(x).tolist()).toEqual(wanted);
    expect(jacfwd(cubes)(x).abs().tolist()).toEqual(wanted);
    const [output, pullback] = vjp(cubes, x);
    expect([output.tolist(), pullback(torch.tensor([1, 0.5]))[0].tolist()]).toEqual([
      [3.375, 8],
      [6.75, 6],
    ]);
    const [same, tangent] = jvp(cubes, [x], [torch.tensor([1, 0.5])]);
    expect([same.tolist(), tangent.tolist()]).toEqual([
      [3.375, 8],
      [6.75, 6],
    ]);
  });

  test("in chunks, and with random numbers where they are asked for", () => {
    expect(jacrev(cubes, { chunkSize: 1 })(x).tolist()).toEqual(jacrev(cubes)(x).tolist());
    expect(() => jacrev(cubes, { chunkSize: 0 })).toThrow("chunkSize");
    const noisy = (y: Tensor) => y.mul(torch.rand([2]));
    expect(() => jacfwd(noisy)(x)).toThrow("random");
    expect(jacfwd(noisy, { randomness: "same" })(x).shape).toEqual([2, 2]);
  });

  test("of several outputs and arguments agree with those of autograd", () => {
    const a = torch.randn([3]);
    const b = torch.randn([2, 3]);
    const func = (left: Tensor, right: Tensor) => [right.matmul(left), left.sum().mul(right)];
    const theirs = autograd.functional.jacobian(func, [a, b]);
    for (const ours of [jacrev(func, { argnums: [0, 1] })(a, b), jacfwd(func, { argnums: [0, 1] })(a, b)]) {
      for (const [row, blocks] of theirs.entries())
        for (const [column, block] of blocks.entries())
          expect(torch.allclose(ours[row][column], block, { atol: 1e-6 })).toBe(true);
    }
  });

  test("of a Jacobian: the Hessian", () => {
    expect(
      hessian((y) => cubes(y).sum())(x)
        .abs()
        .tolist(),
    ).toEqual([
      [9, 0],
      [0, 12],
    ]);
  });

  test("each example's", () => {
    expect(vmap(jacrev(cubes))(torch.stack([x, x.mul(2)])).shape).toEqual([2, 2, 2]);
  });

  test("a gradient of another shape than its output is refused", () => {
    const [, pullback] = vjp(cubes, x);
    expect(() => pullback(torch.ones([3]))).toThrow(
      "torch.func.vjp: tensor 0 of shape [3] belongs to one of shape [2].",
    );
  });
});
