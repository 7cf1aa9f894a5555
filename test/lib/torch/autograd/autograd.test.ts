// Gradients, hooks, and the modes under which operations are recorded.
import { describe, expect, it } from "vitest";
import { nn, torch, type Tensor } from "../../../../lib/index.ts";
import { cellEnded } from "../../../../lib/session.ts";
import { collectedBytes } from "../../../helpers/memory.ts";

const leaf = (...values: number[]) => torch.tensor(values, { dtype: "float64", requiresGrad: true });

describe("backward", () => {
  it("adds up in the leaves, and grad = null starts over", () => {
    const x = leaf(1, 2, 3);
    x.pow(2).sum().backward();
    expect(x.grad?.tolist()).toEqual([2, 4, 6]);
    x.pow(2).sum().backward();
    expect(x.grad?.tolist()).toEqual([4, 8, 12]);
    x.grad = null;
    expect(x.grad).toBeNull();
  });

  it("leaves one tensor as the gradient: each read gives it, until another takes its place", () => {
    const x = leaf(1, 2);
    x.sum().backward();
    const first = x.grad;
    expect(x.grad).toBe(first);
    x.sum().backward();
    expect(x.grad).toBe(first);
    const own = torch.ones([2], { dtype: "float64" });
    x.grad = own;
    expect(x.grad).toBe(own);
    own.dispose();
    expect(x.grad?.tolist()).toEqual([1, 1]);
    expect(x.grad === own).toBe(false);
  });

  it("keeps no gradient alive that nobody holds", () => {
    const x = torch.zeros([100_000], { requiresGrad: true });
    const before = collectedBytes();
    for (let step = 0; step < 3; step++) {
      x.sum().backward();
      expect(x.grad?.shape).toEqual([100_000]);
      x.grad = null;
    }
    expect(collectedBytes()).toBeLessThanOrEqual(before);
  });

  it("takes a gradient for more than one element, by position or by name", () => {
    const x = leaf(1, 2);
    x.mul(3).backward(torch.tensor([1, 10], { dtype: "float64" }));
    x.mul(3).backward({ gradient: torch.tensor([1, 0], { dtype: "float64" }) });
    expect(x.grad?.tolist()).toEqual([6, 30]);
  });

  it("runs twice when the graph is kept", () => {
    const x = leaf(3);
    const y = x.pow(2).sum();
    y.backward({ retainGraph: true });
    y.backward();
    expect(x.grad?.tolist()).toEqual([12]);
  });

  it("goes through the graph of several tensors once", () => {
    const x = leaf(1, 2);
    const [a, b] = [x.mul(3), x.square().sum()];
    torch.autograd.backward([a, b], [torch.tensor([1, 10], { dtype: "float64" }), null]);
    expect(x.grad?.tolist()).toEqual([5, 34]);
  });

  it("adds up over small batches what one large batch gives", () => {
    torch.manualSeed(0);
    const model = new nn.Sequential(new nn.Linear(4, 8), new nn.Tanh(), new nn.Linear(8, 1)).double();
    const x = torch.randn([12, 4], { dtype: "float64" });
    const loss = (input: Tensor) => model(input).square().mean();
    loss(x).backward();
    const whole = model.parameters().map((p) => p.grad!.clone());
    for (const p of model.parameters()) p.grad = null;
    for (const part of x.chunk(3)) loss(part).div(3).backward();
    for (const [i, p] of model.parameters().entries())
      expect(torch.allclose(p.grad!, whole[i]!, 1e-12, 1e-12)).toBe(true);
  });

  it("may be asked for some leaves alone", () => {
    const [a, b] = [leaf(2), leaf(3)];
    a.mul(b)
      .sum()
      .backward({ inputs: [a] });
    expect([a.grad?.tolist(), b.grad]).toEqual([[3], null]);
  });

  it("gives derivatives of higher order", () => {
    const x = leaf(2);
    const [first] = torch.grad(x.pow(3).sum(), x, { createGraph: true });
    const [second] = torch.grad(first!.sum(), x);
    expect([first!.tolist(), second!.tolist()]).toEqual([[12], [12]]);
  });

  it("leaves a tensor between leaves and result its gradient when asked to", () => {
    const x = leaf(1);
    const y = x.mul(2);
    y.retainGrad();
    y.pow(2).sum().backward();
    expect(y.grad?.tolist()).toEqual([4]);
  });
});

describe("torch.grad", () => {
  it("returns gradients and adds to nobody's", () => {
    const x = leaf(1, 2);
    expect(torch.grad(x.pow(2).sum(), [x])[0]?.tolist()).toEqual([2, 4]);
    expect(x.grad).toBeNull();
  });

  it("gives null for what the output does not depend on, when allowed", () => {
    const [x, y] = [leaf(1), leaf(1)];
    expect(torch.grad(x.sum(), [x, y], { allowUnused: true })[1]).toBeNull();
  });
});

describe("what a tensor says", () => {
  it("names the operation that made it", () => {
    const x = leaf(1);
    expect([x.isLeaf, x.gradFn, x.mul(2).isLeaf, x.mul(2).gradFn?.name]).toEqual([
      true,
      null,
      false,
      "MulBackward0",
    ]);
  });

  it("requires gradients after requiresGrad_() or an assignment", () => {
    const x = torch.zeros([2]);
    expect(x.requiresGrad_()).toBe(x);
    expect(x.requiresGrad).toBe(true);
    x.requiresGrad = false;
    expect(x.requiresGrad).toBe(false);
  });

  it("detach() has no history", () => {
    expect(leaf(1).mul(2).detach().requiresGrad).toBe(false);
  });
});

describe("hooks", () => {
  it("see the gradient and may replace it, until removed", () => {
    const x = leaf(1);
    const seen: unknown[] = [];
    const handle = x.registerHook((grad) => {
      seen.push(grad.tolist());
      return grad.mul(10);
    });
    x.mul(2).sum().backward();
    handle.remove();
    x.mul(2).sum().backward();
    expect([seen, x.grad?.tolist()]).toEqual([[[2]], [22]]);
  });

  it("pass their errors on", () => {
    const x = leaf(1);
    x.registerHook(() => {
      throw new RangeError("from the hook");
    });
    expect(() => x.sum().backward()).toThrow(new RangeError("from the hook"));
  });
});

describe("modes", () => {
  it("noGrad, enableGrad and inferenceMode hold inside and end outside", () => {
    const x = leaf(1);
    expect(torch.noGrad(() => x.mul(2).requiresGrad)).toBe(false);
    expect(torch.noGrad(() => torch.enableGrad(() => x.mul(2).requiresGrad))).toBe(true);
    expect(torch.inferenceMode(() => x.mul(2).requiresGrad)).toBe(false);
    expect(x.mul(2).requiresGrad).toBe(true);
  });

  it("end when the block throws", () => {
    expect(() =>
      torch.noGrad(() => {
        throw new Error("inside");
      }),
    ).toThrow("inside");
    expect(torch.isGradEnabled()).toBe(true);
  });

  it("are not given to an async function, which would leave them to the rest of the cell", async () => {
    const x = leaf(1);
    for (const name of ["noGrad", "enableGrad", "inferenceMode"] as const) {
      const call = () => torch[name](async () => Promise.resolve(x.mul(2)));
      expect(call).toThrow(TypeError);
      expect(call).toThrow(
        `${name}() cannot wait: its function returned a promise, and the mode ends when it returns. Call ${name}() around the synchronous parts, or torch.setGradEnabled() before and after.`,
      );
      expect(x.mul(2).requiresGrad).toBe(true);
    }
    expect(() => torch.noGrad(() => Promise.reject(new Error("late")))).toThrow(/^noGrad\(\) cannot wait/);
    await Promise.resolve();
  });

  it("setGradEnabled holds over an await, until it is put back", async () => {
    const x = leaf(1);
    const previous = torch.setGradEnabled(false);
    try {
      await Promise.resolve();
      expect([previous, x.mul(2).requiresGrad, torch.enableGrad(() => x.mul(2).requiresGrad)]).toEqual([
        true,
        false,
        true,
      ]);
      expect(torch.isGradEnabled()).toBe(false);
    } finally {
      torch.setGradEnabled(previous);
    }
    expect(x.mul(2).requiresGrad).toBe(true);
  });

  it("end with the cell, whatever is still waiting", () => {
    torch.setGradEnabled(false);
    cellEnded();
    expect(torch.isGradEnabled()).toBe(true);
    const x = torch.inferenceMode(() => {
      cellEnded();
      return leaf(1).mul(2);
    });
    expect(x.requiresGrad).toBe(true);
    expect(torch.isGradEnabled()).toBe(true);
  });
});

describe("misuse", () => {
  it.each([
    [
      "backward of several elements",
      () => leaf(1, 2).mul(2).backward(),
      RangeError,
      /^backward\(\) without a gradient needs a tensor of one element, and this one has shape \[2\]/,
    ],
    [
      "backward of what is no tensor",
      () => torch.autograd.backward(1 as never),
      TypeError,
      /^backward\(\): tensors must be a tensor or a list of tensors, got 1\.$/,
    ],
    [
      "gradients of another number",
      () => torch.autograd.backward([leaf(1).mul(1)], [null, null]),
      RangeError,
      /^backward\(\) takes a gradient for each of the 1 tensors, and got 2\.$/,
    ],
    [
      "backward without recording",
      () => torch.ones([1]).backward(),
      TypeError,
      /^backward\(\) needs a tensor that autograd recorded/,
    ],
    [
      "a gradient of another shape",
      () =>
        leaf(1, 2)
          .mul(1)
          .backward(torch.ones([3])),
      RangeError,
      /^The gradient has shape \[3\]; it must have the tensor's, \[2\]\.$/,
    ],
    [
      "whole numbers that require gradients",
      () => torch.tensor([1]).requiresGrad_(),
      TypeError,
      /^Only floating and complex tensors can require gradients, and this one is int64/,
    ],
    [
      "a result that shall not require gradients",
      () => leaf(1).mul(1).requiresGrad_(false),
      TypeError,
      /use x\.detach\(\)\.$/,
    ],
    [
      "differentiating by what has no gradient",
      () => torch.grad(leaf(1).sum(), torch.ones([1])),
      TypeError,
      /^grad\(\) cannot differentiate by inputs\[0\]/,
    ],
    [
      "a hook that is no function",
      () => leaf(1).registerHook(1 as never),
      TypeError,
      /^registerHook\(\) takes a function, not 1\.$/,
    ],
    [
      "a grad mode that is no boolean",
      () => torch.setGradEnabled(0 as never),
      TypeError,
      /^torch\.setGradEnabled: enabled must be true or false, got 0\.$/,
    ],
    [
      "a second backward",
      () => {
        const y = leaf(3).pow(2).sum();
        y.backward();
        y.backward();
      },
      Error,
      /Keep them in the first one: backward\(null, \{ retainGraph: true \}\)\.$/,
    ],
    [
      "an in-place operation on a leaf",
      () => leaf(1).add_(1),
      TypeError,
      /^add_\(\): a leaf tensor that requires gradients cannot be changed in place .* Change it inside torch\.noGrad/,
    ],
    [
      "an in-place operation on what backward needs",
      () => {
        const y = leaf(1).exp();
        y.add_(1);
        y.sum().backward();
      },
      Error,
      /^a tensor that backward\(\) needs was changed in place after it was used \(shape \[1\], output 0 of Exp\w*, at version 1, expected 0\)\. Use the operator without/,
    ],
    [
      "a change in place of a leaf that backward needs",
      () => {
        const x = leaf(2, 3);
        const y = x.mul(x);
        torch.noGrad(() => x.add_(1));
        y.sum().backward();
      },
      Error,
      /^a tensor that backward\(\) needs was changed in place after it was used \(shape \[2\], at version \d, expected \d\)\. Use/,
    ],
    [
      "requiresGrad on what inferenceMode made",
      () => torch.inferenceMode(() => torch.ones([2])).requiresGrad_(),
      TypeError,
      /^a tensor made in inferenceMode cannot require gradients outside of it\. Use a clone\(\) of it/,
    ],
    [
      "differentiating by what has no part in the output",
      () => torch.grad(leaf(1).sum(), leaf(1)),
      Error,
      /allowUnused: true/,
    ],
    [
      "noGrad without a function",
      () => torch.noGrad(1 as never),
      TypeError,
      /^noGrad\(\) takes a function and runs it/,
    ],
  ] as const)("%s is refused", (_, act, kind, message) => {
    expect(act).toThrow(kind);
    expect(act).toThrow(message);
  });
});
