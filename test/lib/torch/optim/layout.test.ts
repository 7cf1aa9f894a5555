// Parameters and gradients that do not lie alike: the kernels walk through their memory, and the values must be the same.
import { describe, expect, it } from "vitest";
import { nn, optim, torch, type Tensor } from "../../../../lib/index.ts";

const OPTIMIZERS: Readonly<Record<string, (parameters: Tensor[]) => { step(): void }>> = {
  SGD: (parameters) => new optim.SGD(parameters, { lr: 0.5, momentum: 0.9 }),
  Adam: (parameters) => new optim.Adam(parameters, { lr: 0.5 }),
  AdamW: (parameters) => new optim.AdamW(parameters, { lr: 0.5 }),
  Adagrad: (parameters) => new optim.Adagrad(parameters, { lr: 0.5 }),
  RMSprop: (parameters) => new optim.RMSprop(parameters, { lr: 0.5 }),
};

/** Three steps of a parameter of ones, with the gradients 0 to 5 in this layout. */
function trained(make: (parameters: Tensor[]) => { step(): void }, parameter: Tensor, grad: Tensor): unknown {
  const leaf = new nn.Parameter(parameter);
  const optimizer = make([leaf]);
  for (let step = 0; step < 3; step++) {
    leaf.grad = grad;
    optimizer.step();
  }
  return leaf.tolist();
}

describe.each(Object.entries(OPTIMIZERS))("%s", (_, make) => {
  const grad = torch.arange(6, { dtype: "float32" }).reshape([2, 3]);
  const transposed = grad.t().contiguous().t();
  const expected = trained(make, torch.ones([2, 3]), grad);

  it("trains by the values of a gradient that is transposed", () => {
    expect(trained(make, torch.ones([2, 3]), transposed)).toEqual(expected);
  });

  it("trains a transposed parameter, whose gradient is not", () => {
    expect(trained(make, torch.ones([3, 2]).t(), grad)).toEqual(expected);
  });

  it("refuses a parameter that is every second element of a tensor", () => {
    const part = torch.ones([4, 3]).select(1, 0).detach().requiresGrad_();
    expect(() => make([part])).toThrow(
      /parameter 0 is a part of a tensor, with strides 3 for shape \[4\], .* or a contiguous\(\) copy\.$/,
    );
  });
});
