// What a step changes in place: arguments, views, tensors from outside, and tensors that it makes of numbers.
import { describe, expect, it } from "vitest";
import { type Tensor, torch } from "../../../../lib/index.ts";

const thrown = (run: () => unknown): Error => {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
};

describe("a change in place follows the step run as ever:", () => {
  it.each<[string, (x: Tensor) => Tensor]>([
    ["of the argument", (x) => x.add_(1).mul(2)],
    ["of a view of the argument", (x) => (x.at(0).add_(1), x.mul(2))],
    ["of a view of a view", (x) => (x.t().at(1).mul_(3), x.sum())],
    ["by an index", (x) => x.indexFill_(0, torch.tensor([1]), 5).add(1)],
    ["by setting an element", (x) => (x.select(0, 1).select(0, 0).fill_(7), x.clone())],
    ["of a copy", (x) => x.clone().zero_().add(x)],
    ["of what the step made", (x) => torch.zeros([2, 3]).add_(x).mul_(2)],
  ])("%s", (_, step) => {
    const captured = torch.capture(step);
    const make = () => torch.arange(6, { dtype: "float32" }).view([2, 3]);
    const [given, expected] = [make(), make()];
    for (let call = 0; call < 6; call++) {
      expect(captured(given).tolist()).toEqual(step(expected).tolist());
      expect(given.tolist()).toEqual(expected.tolist());
    }
    expect(captured.captures).toBe(1);
  });

  it("of a tensor from outside, through a view", () => {
    const total = torch.zeros([2, 2]);
    const count = torch.capture((x: Tensor) => {
      total.at(0).add_(x);
      return total.sum();
    });
    for (let call = 1; call <= 6; call++) expect(count(torch.ones([2])).item()).toBe(2 * call);
    expect(total.tolist()).toEqual([
      [6, 6],
      [0, 0],
    ]);
  });

  it("of the shape of a tensor from outside captures anew", () => {
    const weight = torch.tensor([
      [1, 2],
      [3, 4],
    ]);
    const first = torch.capture((x: Tensor) => x.add(weight.at(0)));
    for (let call = 0; call < 4; call++) expect(first(torch.zeros([2])).tolist()).toEqual([1, 2]);
    weight.t_();
    for (let call = 0; call < 4; call++) expect(first(torch.zeros([2])).tolist()).toEqual([1, 3]);
    expect(first.captures).toBe(2);
  });

  it("of a result leaves the next replay alone", () => {
    const weight = torch.ones([2, 2]);
    const row = torch.capture((x: Tensor) => [weight.at(0), x] as const);
    const x = torch.zeros([2]);
    for (let call = 0; call < 5; call++) {
      const [found, same] = row(x);
      expect([found.shape, same.shape]).toEqual([[2], [2]]);
      found.unsqueeze_(0);
      same.unsqueeze_(0);
      x.squeeze_();
    }
  });
});

describe("refused:", () => {
  it("to change a tensor that was made of numbers", () => {
    const step = torch.capture((x: Tensor) => torch.tensor([1, 2]).add_(x));
    const x = torch.ones([2], { dtype: "int64" });
    step(x);
    const error = thrown(() => step(x));
    expect(error).toMatchObject({
      name: "TypeError",
      message:
        "torch.capture: add_ changes a tensor that the step made of numbers, and a replay would go on with what the last one left: make it with torch.zeros() or torch.full(), or clone() it in the step.",
    });
    expect(error.stack).toMatch(/in_place\.test\.ts:\d+/);
  });

  it.each<[string, (x: Tensor) => unknown]>([
    ["its argument", (x) => x.dispose()],
    [
      "a tensor from outside",
      () => {
        outside.mul(2);
        outside.dispose();
      },
    ],
  ])("to dispose of %s", (_, step) => {
    expect(thrown(() => torch.capture(step)(torch.ones([2])))).toMatchObject({
      name: "TypeError",
      message:
        "torch.capture: the step disposes of a float32 [2] that was there before it, and a replay would find it again: dispose of it outside of the step.",
    });
  });

  it("to resize a tensor", () => {
    const step = torch.capture((x: Tensor) => x.resize_([3]));
    expect(thrown(() => step(torch.ones([2]))).message).toContain(
      "resize_ gives a tensor another memory: do this outside of the step.",
    );
  });

  it("an argument that was disposed of", () => {
    const double = torch.capture((x: Tensor) => x.mul(2));
    const x = torch.ones([2]);
    for (let call = 0; call < 4; call++) double(x);
    x.dispose();
    expect(thrown(() => double(x)).name).toBe("UseAfterDisposeError");
  });
});

it("what the step itself makes may be disposed of", () => {
  const step = torch.capture((x: Tensor) => {
    const y = x.mul(2);
    const z = y.add(1);
    y.dispose();
    return z;
  });
  for (let call = 0; call < 5; call++) expect(step(torch.full([1], call)).item()).toBe(2 * call + 1);
});

const outside = torch.ones([2]);
