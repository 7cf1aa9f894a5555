// Gradients, hooks, and the modes under which operations are recorded.
import { describe, expect, it, vi } from "vitest";
import { torch } from "../../../lib/index.ts";
import { cellEnded } from "../../../lib/session.ts";

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

  it("of an async function last until it settles", async () => {
    const inside = torch.noGrad(async () => {
      await Promise.resolve();
      return torch.isGradEnabled();
    });
    expect(await inside).toBe(false);
    expect(torch.isGradEnabled()).toBe(true);
    await expect(torch.noGrad(() => Promise.reject(new Error("late")))).rejects.toThrow("late");
    expect(torch.isGradEnabled()).toBe(true);
  });

  it("of overlapping async functions are warned about, and end all the same", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const first = torch.noGrad(() => new Promise((resolve) => setTimeout(resolve, 1)));
    const second = torch.enableGrad(() => new Promise((resolve) => setTimeout(resolve, 10)));
    await Promise.all([first, second]);
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^noGrad\(async \.\.\.\) ended while/), "AutogradWarning"],
    ]);
    expect(torch.isGradEnabled()).toBe(true);
    warn.mockRestore();
  });

  it("end with the cell, whatever is still waiting", async () => {
    const waiting = torch.noGrad(() => new Promise((resolve) => setTimeout(resolve, 5)));
    cellEnded();
    expect(torch.isGradEnabled()).toBe(true);
    await waiting;
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
      /^registerHook\(\) takes a function, not number\.$/,
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
