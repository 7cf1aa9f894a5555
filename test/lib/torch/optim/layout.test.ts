// Parameters, gradients and state that do not lie alike: fused kernels walk through their memory side by side, and the values
// must be what PyTorch's optimizers compute by default, whatever lies where.
import { describe, expect, it } from "vitest";
import { nn, optim, torch, type Tensor } from "../../../../lib/index.ts";

type Make = (parameters: Tensor[]) => {
  step(): unknown;
  stateDict(): optim.OptimizerStateDict;
  loadStateDict(state: optim.OptimizerStateDict): void;
};

const OPTIMIZERS: Readonly<Record<string, Make>> = {
  "SGD with momentum": (parameters) => new optim.SGD(parameters, { lr: 0.5, momentum: 0.9 }),
  "SGD with nesterov": (parameters) => new optim.SGD(parameters, { lr: 0.5, momentum: 0.9, nesterov: true }),
  Adam: (parameters) => new optim.Adam(parameters, { lr: 0.5 }),
  "Adam with amsgrad": (parameters) => new optim.Adam(parameters, { lr: 0.5, amsgrad: true }),
  AdamW: (parameters) => new optim.AdamW(parameters, { lr: 0.5 }),
  Adagrad: (parameters) => new optim.Adagrad(parameters, { lr: 0.5 }),
  RMSprop: (parameters) => new optim.RMSprop(parameters, { lr: 0.5, momentum: 0.9 }),
};

/** Three steps of a parameter of ones, with the gradients 0 to 5 in this layout. */
function trained(make: Make, parameter: Tensor, grad: Tensor): unknown {
  const leaf = new nn.Parameter(parameter);
  const optimizer = make([leaf]);
  for (let step = 0; step < 3; step++) {
    leaf.grad = grad;
    optimizer.step();
  }
  return leaf.tolist();
}

/** A gradient of one step: other values in each, the same in each run. */
const gradientOf = (step: number) => {
  const values = torch.arange(24, { dtype: "float32" }).mul(0.1).add(step).sin();
  return values.reshape([2, 3, 2, 2]);
};

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

  /** Two steps, `between`, two steps: what the weight of a convolution is then. */
  function twice(
    between: (layer: nn.Conv2d, optimizer: ReturnType<Make>) => ReturnType<Make> | void,
  ): unknown {
    torch.manualSeed(0);
    const layer = new nn.Conv2d(3, 2, 2, { bias: false });
    let optimizer = make([layer.weight]);
    for (let step = 0; step < 4; step++) {
      if (step === 2) optimizer = between(layer, optimizer) ?? optimizer;
      layer.weight.grad = gradientOf(step);
      optimizer.step();
    }
    return layer.weight.tolist();
  }

  const untouched = twice(() => undefined);

  it("goes on after the model went to channels_last", () => {
    expect(twice((layer) => void layer.to({ memoryFormat: "channels_last" }))).toEqual(untouched);
  });

  it("goes on in a model of channels_last from a contiguous checkpoint", () => {
    const resumed = twice((layer, optimizer) => {
      layer.to({ memoryFormat: "channels_last" });
      const other = make([layer.weight]);
      other.loadStateDict(optimizer.stateDict());
      return other;
    });
    expect(resumed).toEqual(untouched);
  });

  it("goes on in a contiguous model from a checkpoint of channels_last", () => {
    const resumed = twice((layer, optimizer) => {
      layer.to({ memoryFormat: "channels_last" });
      layer.weight.grad = torch.zeros([2, 3, 2, 2]);
      const saved = optimizer.stateDict();
      const laid = Object.fromEntries(
        Object.entries(saved.state[0]!).map(([name, value]) => [
          name,
          (value as Tensor).dim() === 4
            ? (value as Tensor).contiguous({ memoryFormat: "channels_last" })
            : value,
        ]),
      );
      layer.to({ memoryFormat: "contiguous_format" });
      const other = make([layer.weight]);
      other.loadStateDict({ ...saved, state: { 0: laid } } as typeof saved);
      return other;
    });
    expect(resumed).toEqual(untouched);
  });

  it("goes on with a weight of other strides that loadStateDict assigned", () => {
    const assigned = twice((layer, optimizer) => {
      const weight = layer.weight.detach().clone().contiguous({ memoryFormat: "channels_last" });
      layer.loadStateDict({ weight }, { assign: true });
      const other = make([layer.weight]);
      other.loadStateDict(optimizer.stateDict());
      return other;
    });
    expect(assigned).toEqual(untouched);
  });
});

describe("a parameter that was resized", () => {
  const KINDS: Readonly<Record<string, Make>> = {
    ...OPTIMIZERS,
    SGD: (parameters) => new optim.SGD(parameters, { lr: 0.5 }),
  };

  /** A parameter of 64 elements after one step, and 300 tensors beside it, which nothing may write. */
  function stepped(make: Make) {
    const parameter = torch.ones([64]).requiresGrad_();
    const optimizer = make([parameter]);
    parameter.grad = torch.ones([64]);
    optimizer.step();
    const beside = Array.from({ length: 300 }, () => torch.zeros([64]));
    return { parameter, optimizer, beside };
  }
  const written = (beside: readonly Tensor[]) =>
    beside.filter((tensor) => Boolean(tensor.any().item())).length;
  const resized = (parameter: Tensor) => {
    parameter.requiresGrad_(false).resize_([256]);
    parameter.requiresGrad_(true);
  };

  it.each(Object.entries(KINDS))("is refused with its old gradient by %s", (_, make) => {
    const { parameter, optimizer, beside } = stepped(make);
    resized(parameter);
    expect(() => optimizer.step()).toThrow(
      /parameter 0 is float32 \[256\] on cpu, and its gradient is float32 \[64\] on cpu: it was resized since that was made\. Call zeroGrad\(\) and backward\(\) once more before step\(\)\.$/,
    );
    expect(written(beside)).toBe(0);
  });

  it.each(Object.entries(OPTIMIZERS).filter(([name]) => /SGD|Adam/.test(name)))(
    "is refused with its old state by %s",
    (_, make) => {
      const { parameter, optimizer, beside } = stepped(make);
      resized(parameter);
      parameter.grad = torch.ones([256]);
      expect(() => optimizer.step()).toThrow(
        /parameter 0 is float32 \[256\] on cpu, and its \w+ is float32 \[64\] on cpu: .* Make a new optimizer of it\.$/,
      );
      expect(written(beside)).toBe(0);
    },
  );

  it("is refused where out= resized it", () => {
    const { parameter, optimizer } = stepped(KINDS["SGD with momentum"]!);
    torch.noGrad(() => torch.add(torch.ones([256]), 1, { out: parameter }));
    parameter.grad = torch.ones([256]);
    expect(() => optimizer.step()).toThrow(/its momentumBuffer is float32 \[64\] on cpu/);
  });

  it("is refused where its gradient was resized", () => {
    const { parameter, optimizer } = stepped(KINDS["SGD"]!);
    parameter.grad!.resize_([16]);
    expect(() => optimizer.step()).toThrow(/its gradient is float32 \[16\] on cpu/);
  });

  it("is refused where its dtype is another than its state's", () => {
    const layer = new nn.Linear(2, 2, { bias: false });
    const optimizer = new optim.Adam(layer.parameters());
    layer.weight.grad = torch.ones([2, 2]);
    optimizer.step();
    layer.to("float64");
    layer.weight.grad = torch.ones([2, 2], { dtype: "float64" });
    expect(() => optimizer.step()).toThrow(
      /parameter 0 is float64 \[2, 2\] on cpu, and its expAvg is float32 \[2, 2\] on cpu: it was converted since that was made\./,
    );
    optimizer.loadStateDict(optimizer.stateDict());
    expect(() => optimizer.step()).not.toThrow();
  });
});

describe("fused kernels by their own names", () => {
  const { aten } = torch.ops;
  const numbers = {
    lr: 0.1,
    beta1: 0.9,
    beta2: 0.99,
    weight_decay: 0,
    eps: 1e-8,
    amsgrad: false,
    maximize: false,
  };
  const [p, small] = [torch.ones([256]), torch.ones([64])];
  const steps = [torch.zeros([])];

  it("refuse tensors that do not lie alike", () => {
    expect(() => aten._fused_adam_!.default!([p], [small], [p], [p], [], steps, numbers)).toThrow(
      /argument 1 must lie in memory as the parameters do, but tensor 0 is float32 \[64\] with strides \[1\] and its parameter is float32 \[256\]/i,
    );
    expect(() => aten._fused_adam_!.default!([p], [p], [p], [small], [], steps, numbers)).toThrow(
      /argument 3/,
    );
  });

  it("refuse lists that are shorter than that of the parameters", () => {
    expect(() => aten._fused_adam_!.default!([p], [p], [], [p], [], steps, numbers)).toThrow(
      /argument 2 must be a list of 1 tensors, one for each parameter, but it has 0/,
    );
    expect(() =>
      aten._fused_adam_!.default!([p], [p], [p], [p], [], steps, { ...numbers, amsgrad: true }),
    ).toThrow(/argument 4/);
    const sgd = { weight_decay: 0, momentum: 0.9, lr: 0.1, dampening: 0, nesterov: false, maximize: false };
    expect(() => aten._fused_sgd_!.default!([p], [p], [], { ...sgd, is_first_step: true })).toThrow(
      /argument 2/,
    );
  });
});
