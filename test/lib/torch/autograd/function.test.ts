// Functions with a derivative of their own: what they save, what they may say of inputs and outputs, higher derivatives,
// errors, memory, and misuse.
import { describe, expect, it } from "vitest";
import { autograd, functional as F, nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import { collectedBytes } from "../../../helpers/memory.ts";
import { refuses } from "../tensor/misuse.ts";

type Context = autograd.FunctionContext;

class Exp extends autograd.Function {
  static forward(ctx: Context, x: Tensor): Tensor {
    const y = x.exp();
    ctx.saveForBackward(y);
    return y;
  }

  static backward(ctx: Context, grad: Tensor): Tensor {
    const [y] = ctx.savedTensors;
    return grad.mul(y!);
  }
}

/** `x ** power`, and the number of elements, which has no gradient. */
class Power extends torch.autograd.Function {
  static forward(ctx: Context & { power?: number }, x: Tensor, power: number): [Tensor, Tensor] {
    ctx.power = power;
    ctx.saveForBackward(x);
    const count = torch.tensor(x.numel()).float();
    ctx.markNonDifferentiable(count);
    return [x.pow(power), count];
  }

  static backward(ctx: Context & { power?: number }, grad: Tensor): [Tensor, null] {
    const [x] = ctx.savedTensors;
    return [grad.mul(x!.pow(ctx.power! - 1)).mul(ctx.power!), null];
  }
}

const leaf = (...values: number[]) => torch.tensor(values, { dtype: "float64", requiresGrad: true });

describe("a function of one's own", () => {
  it("gives the gradient that its backward says, under its class's name", () => {
    const x = leaf(0, 1);
    const y = Exp.apply(x);
    expect([y.gradFn!.name, y.requiresGrad, y.isLeaf]).toEqual(["ExpBackward", true, false]);
    y.sum().backward();
    expect(x.grad!.tolist()).toEqual(x.exp().tolist());
  });

  it("takes what is no tensor, and gives several outputs, some without a gradient", () => {
    const x = leaf(2, 3);
    const [cubes, count] = Power.apply(x, 3);
    expect([count.item(), count.requiresGrad, cubes.outputNr]).toEqual([2, false, 0]);
    cubes.sum().backward();
    expect(x.grad!.tolist()).toEqual([12, 27]);
  });

  it("can be differentiated twice, if its backward is made of what can", () => {
    const x = leaf(2);
    const [first] = torch.grad(Power.apply(x, 3)[0].sum(), x, { createGraph: true });
    const [second] = torch.grad(first!.sum(), x);
    expect([first!.item(), second!.item()]).toEqual([12, 12]);
    expect(autograd.gradcheck(Exp.apply.bind(Exp) as (x: Tensor) => Tensor, leaf(0.5, 1))).toBe(true);
    expect(autograd.gradgradcheck((y: Tensor) => Exp.apply(y), leaf(0.5, 1))).toBe(true);
  });

  it("runs unrecorded, and knows which inputs need a gradient", () => {
    const seen: unknown[] = [];
    class Product extends autograd.Function {
      static forward(ctx: Context, a: Tensor, b: Tensor): Tensor {
        seen.push(torch.isGradEnabled(), ctx.needsInputGrad);
        ctx.saveForBackward(a, b);
        return a.mul(b);
      }
      static backward(ctx: Context, grad: Tensor): (Tensor | null)[] {
        const [a, b] = ctx.savedTensors;
        seen.push(torch.isGradEnabled());
        return [ctx.needsInputGrad[0] ? grad.mul(b!) : null, ctx.needsInputGrad[1] ? grad.mul(a!) : null];
      }
    }
    const a = leaf(2);
    Product.apply(a, torch.tensor([3]).double())
      .sum()
      .backward();
    expect([seen, a.grad!.item()]).toEqual([[false, [true, false], false], 3]);
    expect(torch.noGrad(() => Product.apply(a, a).requiresGrad)).toBe(false);
  });

  it("gets zeros for an output that nobody used, or null where it asks for it", () => {
    const seen: unknown[] = [];
    class Pair extends autograd.Function {
      static forward(ctx: Context, x: Tensor, zeros: boolean): [Tensor, Tensor] {
        ctx.setMaterializeGrads(zeros);
        return [x.mul(2), x.mul(3)];
      }
      static backward(_: Context, first: Tensor | null, second: Tensor | null): [Tensor, null] {
        seen.push(first?.tolist() ?? null, second?.tolist() ?? null);
        return [second!.mul(3), null];
      }
    }
    for (const zeros of [true, false]) Pair.apply(leaf(1), zeros)[1].sum().backward();
    expect(seen).toEqual([[0], [1], null, [1]]);
  });

  it("may change an input in place, and gives it back as the same tensor", () => {
    class Double_ extends autograd.Function {
      static forward(ctx: Context, x: Tensor): Tensor {
        ctx.markDirty(x);
        return x.mul_(2);
      }
      static backward(_: Context, grad: Tensor): Tensor {
        return grad.mul(2);
      }
    }
    const x = leaf(1, 2);
    const y = x.mul(1);
    expect(Double_.apply(y)).toBe(y);
    expect(y.gradFn!.name).toBe("Double_Backward");
    y.sum().backward();
    expect(x.grad!.tolist()).toEqual([2, 2]);
  });

  it("gives an input back that it did not change as a view with a history of its own", () => {
    class Identity extends autograd.Function {
      static forward(_: Context, x: Tensor): Tensor {
        return x;
      }
      static backward(_: Context, grad: Tensor): Tensor {
        return grad.neg();
      }
    }
    const x = leaf(5);
    const y = Identity.apply(x);
    expect(y === x).toBe(false);
    y.sum().backward();
    expect(x.grad!.tolist()).toEqual([-1]);
  });

  it("throws its own error out of backward, with the line of its own backward above that of the call", () => {
    class Fails extends autograd.Function {
      static forward(_: Context, x: Tensor): Tensor {
        return x.mul(1);
      }
      static backward(): Tensor {
        throw new RangeError("not today");
      }
    }
    const loss = Fails.apply(leaf(1)).sum();
    let thrown: unknown;
    try {
      loss.backward();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toEqual(new RangeError("not today"));
    expect((thrown as Error).stack).toMatch(
      /backward \([^]*function\.test\.ts:\d+:\d+[^]*at Wrapper\.backward[^]*function\.test\.ts/,
    );
  });

  it("works in a model beside layers, and in checkpoints", () => {
    torch.manualSeed(0);
    const model = new nn.Linear(2, 1).double();
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
    const x = torch.randn([8, 2], { dtype: "float64" });
    const losses = Array.from({ length: 5 }, () => {
      optimizer.zeroGrad();
      const loss = F.mseLoss(
        torch.checkpoint((input: Tensor) => Exp.apply(model(input)), [x]),
        x.sum(1, true),
      );
      loss.backward();
      optimizer.step();
      return loss.item();
    });
    expect(losses.at(-1)!).toBeLessThan(losses[0]!);
  });

  it("is told that the graph was freed by the first backward", () => {
    const y = Exp.apply(leaf(1)).sum();
    y.backward();
    expect(() => y.backward()).toThrow("freed by the first backward()");
  });

  it("refuses what it saved and somebody changed in place", () => {
    const x = leaf(1);
    const y = Exp.apply(x.mul(1));
    y.add_(1);
    expect(() => y.sum().backward()).toThrow("changed in place");
  });
});

describe("memory", () => {
  const x = torch.randn([1000]).requiresGrad_();
  const step = () => {
    let h = x;
    for (let layer = 0; layer < 4; layer++) h = Exp.apply(h.mul(0.1));
    h.sum().backward();
    x.grad = null;
  };

  it("is as before after 2,500 steps of four functions each, though nobody disposed of anything", () => {
    for (let i = 0; i < 10; i++) step();
    const before = collectedBytes();
    let max = 0;
    for (let i = 0; i < 2_500; i++) {
      step();
      if (i % 100 === 0) max = Math.max(max, collectedBytes());
    }
    // One step's tensors are 32,000 bytes: what any of 2,500 steps left would be more.
    expect(max - before).toBeLessThan(32_000);
  });

  it("is as before after each step within tidy", () => {
    torch.tidy(step);
    const before = collectedBytes();
    for (let i = 0; i < 100; i++) torch.tidy(step);
    expect(collectedBytes()).toBeLessThanOrEqual(before);
  });
});

describe("misuse", () => {
  const returning = (gradients: unknown) =>
    class Wrong extends autograd.Function {
      static forward(_: Context, x: Tensor): Tensor {
        return x.mul(1);
      }
      static backward(): unknown {
        return gradients;
      }
    };
  const backwardOf = (gradients: unknown) => () => returning(gradients).apply(leaf(1, 2)).sum().backward();
  const giving = (output: unknown) => () => {
    class Wrong extends autograd.Function {
      static forward(): Tensor {
        return output as Tensor;
      }
      static backward(): null {
        return null;
      }
    }
    Wrong.apply();
  };

  refuses([
    [
      "apply taken off its class",
      () => torch.autograd.gradcheck(Exp.apply as never, [leaf(1).double().detach().requiresGrad_()]),
      "TypeError",
      "apply was taken off its class, which it needs: pass (x) => Exp.apply(x) in place of Exp.apply.",
    ],
    [
      "a class without a backward",
      () => {
        class Half extends autograd.Function {
          static forward(_: Context, x: Tensor): Tensor {
            return x;
          }
        }
        (Half as unknown as typeof Exp).apply(leaf(1));
      },
      "TypeError",
      "Half.apply: the class has no static backward(ctx, ...), which a function of one's own needs.",
    ],
    [
      "an output that is no tensor",
      giving(3),
      "TypeError",
      "Wrong.forward returns a tensor or an array of tensors, and output 0 is 3.",
    ],
    [
      "an asynchronous forward",
      giving(Promise.resolve()),
      "TypeError",
      "Wrong.forward is asynchronous; autograd needs its outputs at once: await what it needs before apply().",
    ],
    [
      "an asynchronous backward",
      backwardOf(Promise.resolve()),
      "TypeError",
      "Wrong.backward is asynchronous, and backward cannot wait for it.",
    ],
    [
      "too few gradients",
      backwardOf([]),
      "RangeError",
      "Wrong.backward returned 0 gradients for the 1 inputs of forward: return one for each, null where an input has none.",
    ],
    [
      "too many gradients",
      backwardOf([null, torch.ones([1])]),
      "RangeError",
      "Wrong.backward returned 2 gradients for the 1 inputs of forward: ...",
    ],
    [
      "a gradient that is no tensor",
      backwardOf([1]),
      "TypeError",
      "Wrong.backward returns a tensor or null for each input, and gradient 0 is 1.",
    ],
    [
      "a gradient of another shape",
      backwardOf(torch.ones([3], { dtype: "float64" })),
      "RangeError",
      "Function WrongBackward returned an invalid gradient at index 0 - got [3] but expected shape compatible with [2]...",
    ],
    [
      "a gradient for what is no tensor",
      () => {
        class Scaled extends autograd.Function {
          static forward(_: Context, x: Tensor, by: number): Tensor {
            return x.mul(by);
          }
          static backward(_: Context, grad: Tensor): Tensor[] {
            return [grad, grad];
          }
        }
        Scaled.apply(leaf(1), 2).sum().backward();
      },
      "TypeError",
      "Scaled.backward returned a gradient for input 1, which is no tensor: return null.",
    ],
    [
      "saving what is no tensor",
      () => new autograd.FunctionContext([]).saveForBackward(1 as never),
      "TypeError",
      "saveForBackward() keeps tensors, and argument 0 is 1: set it on ctx as a field.",
    ],
  ]);

  it("makes no function by new, and still works afterwards", () => {
    expect(Exp.apply(leaf(0)).item()).toBe(1);
  });
});
