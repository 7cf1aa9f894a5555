// tidy() frees what is made inside, but for what it returns.
import { describe, expect, it } from "vitest";
import { type Tensor, torch } from "../../../../lib/index.ts";
import { cellEnded } from "../../../../lib/session.ts";

describe("tidy", () => {
  it("frees what was made inside and keeps what is returned", () => {
    let inner: Tensor | undefined;
    const kept = torch.tidy(() => {
      inner = torch.ones([2]);
      return inner.add(1);
    });
    expect([inner?.isDisposed, kept.tolist()]).toEqual([true, [2, 2]]);
  });

  it("keeps tensors in arrays, objects, Maps and Sets", () => {
    const kept = torch.tidy(() => ({
      list: [torch.ones([1])],
      map: new Map([["x", torch.ones([1])]]),
      set: new Set([torch.ones([1])]),
    }));
    const tensors = [...kept.list, ...kept.map.values(), ...kept.set];
    expect(tensors.map((x) => x.isDisposed)).toEqual([false, false, false]);
  });

  it("keeps a view alive though what it views is freed", () => {
    expect(torch.tidy(() => torch.arange(4).at(torch.slice(2, 4))).tolist()).toEqual([2, 3]);
  });

  it("leaves tensors from outside alone", () => {
    const outside = torch.ones([1]);
    torch.tidy(() => outside.add(1));
    expect(outside.isDisposed).toBe(false);
  });

  it("nests: what an inner block returns belongs to the outer one", () => {
    let middle: Tensor | undefined;
    torch.tidy(() => {
      middle = torch.tidy(() => torch.ones([1]));
      expect(middle.isDisposed).toBe(false);
    });
    expect(middle?.isDisposed).toBe(true);
  });

  it("frees when the block throws, and passes the error on", () => {
    let inner: Tensor | undefined;
    expect(() =>
      torch.tidy(() => {
        inner = torch.ones([1]);
        throw new RangeError("inside");
      }),
    ).toThrow(new RangeError("inside"));
    expect(inner?.isDisposed).toBe(true);
  });

  it("refuses a promise, and frees what was made before it", () => {
    let inner: Tensor | undefined;
    expect(() =>
      torch.tidy(async () => {
        inner = torch.ones([1]);
        await Promise.resolve();
      }),
    ).toThrow(/^tidy\(\) cannot wait: its function returned a promise/);
    expect(inner?.isDisposed).toBe(true);
  });

  it("keeps gradients of parameters that a step inside made", () => {
    const weight = torch.ones([2], { requiresGrad: true });
    torch.tidy(() => weight.mul(3).sum().backward());
    expect(weight.grad?.tolist()).toEqual([3, 3]);
  });

  it("takes a function", () => {
    expect(() => torch.tidy(1 as never)).toThrow(/^tidy\(\) takes a function and runs it/);
  });
});

it("a cell that ends leaves no scope open", () => {
  const kept = torch.tidy(() => {
    cellEnded();
    return torch.ones([1]);
  });
  expect(kept.isDisposed).toBe(false);
});
