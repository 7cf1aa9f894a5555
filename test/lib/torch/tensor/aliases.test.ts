// What would pass autograd by, or change nothing without a word: arrays over a tensor's memory, and assignments to what is
// a method, or to an optimizer's options.
import { describe, expect, it } from "vitest";
import { nn, optim, torch } from "../../../../lib/index.ts";

describe("the array over a tensor's memory", () => {
  it("is not given of a tensor that requires gradients, as PyTorch's numpy() is not", async () => {
    const z = torch.tensor([1, 2], { dtype: "float32", requiresGrad: true });
    const y = z.mul(z).sum();
    for (const tensor of [z, y, new nn.Linear(1, 1).weight]) {
      expect(() => tensor.data()).toThrow(
        new TypeError(
          "data() of a tensor that requires gradients: autograd would not see what is written to the array. Use x.detach().data().",
        ),
      );
      await expect(tensor.dataAsync()).rejects.toThrow("Use x.detach().dataAsync().");
    }
    expect(() => torch.noGrad(() => z.data())).toThrow(TypeError);
    y.backward();
    expect(z.grad!.tolist()).toEqual([2, 4]);
    expect([...z.detach().data()]).toEqual([1, 2]);
    expect([...z.grad!.data()]).toEqual([2, 4]);
  });
});

describe("an assignment", () => {
  const layer = new nn.Linear(2, 1);
  const x = torch.ones([1, 2]);
  it("to data, as PyTorch's, gives a tensor another one's memory, shape and dtype; its optimizer knows it still", () => {
    const own = new nn.Linear(2, 1);
    const optimizer = new optim.SGD(own.parameters(), { lr: 0.5 });
    const seen = own.weight.detach();
    own.weight.data = torch.tensor([[1, 2, 3]], { dtype: "float64" });
    expect([own.weight.dtype, own.weight.shape, own.weight.requiresGrad]).toEqual(["float64", [1, 3], true]);
    own.weight.sum().backward();
    optimizer.step();
    expect(own.weight.tolist()).toEqual([[0.5, 1.5, 2.5]]);
    expect([seen.dtype, seen.shape]).toEqual(["float32", [1, 2]]);
  });

  it("to data is seen by a graph that has saved the tensor", () => {
    const weight = torch.tensor([2], { dtype: "float32", requiresGrad: true });
    const loss = weight.mul(weight).sum();
    weight.data = torch.tensor([3], { dtype: "float32" });
    expect(() => loss.backward()).toThrow(/modified by an in-place operation|changed in place/);
  });

  it.each([[1], ["float64"], [null], [[1, 2]]])("to data takes a tensor, not %j", (given) => {
    expect(() => {
      (x as { data: unknown }).data = given;
    }).toThrow(/^data is assigned a tensor, as w\.data = w\.detach\(\)\.double\(\), got /);
    expect([...x.data()]).toEqual([1, 1]);
  });

  it("read as PyTorch's property, data tells what to write; it is a function like others", () => {
    const { data } = layer.weight as unknown as { data: Record<string, () => unknown> & (() => unknown) };
    expect(() => data["clamp_"]!()).toThrow(
      new TypeError(
        "data() is a method, which gives a typed array and has no clamp_: in place of PyTorch's x.data.clamp_ write x.detach().clamp_.",
      ),
    );
    expect(data["nothing"]).toBeUndefined();
    expect(JSON.stringify({ data })).toBe("{}");
    expect(data.call(x)).toEqual(x.data());
  });

  it.each(["add", "fill_", "mean", "to", "backward", "item", "shape", "dtype", "device", "isLeaf", "T"])(
    "to %s is refused",
    (name) => {
      const tensor = torch.ones([2]);
      expect(() => {
        (tensor as unknown as Record<string, unknown>)[name] = 1;
      }).toThrow(TypeError);
      expect(Object.hasOwn(tensor, name)).toBe(false);
    },
  );

  it("to what PyTorch lets be set sets it", () => {
    const tensor = torch.ones([2]);
    tensor.requiresGrad = true;
    tensor.grad = torch.zeros([2]);
    expect([tensor.requiresGrad, tensor.grad.tolist()]).toEqual([true, [0, 0]]);
    Object.assign(tensor, { label: "weights" });
    expect((tensor as unknown as { label: string }).label).toBe("weights");
  });

  it("to an optimizer's option, which no step reads, names the groups", () => {
    const parameter = new nn.Parameter(torch.ones([1]));
    const optimizer = new optim.SGD([parameter], { lr: 1 });
    const loose = optimizer as unknown as { lr: number };
    const message = "SGD has lr in its groups: optimizer.paramGroups[0].lr, or that of every group.";
    expect(() => (loose.lr = 0.5)).toThrow(new TypeError(message));
    expect(() => loose.lr).toThrow(new TypeError(message));
    const group = optimizer.paramGroups[0] as unknown as { weight_decay: number };
    expect(() => (group.weight_decay = 0.5)).toThrow(/Cannot add property weight_decay/);
    optimizer.paramGroups[0]!.lr = 0.5;
    parameter.grad = torch.ones([1]);
    optimizer.step();
    expect(parameter.tolist()).toEqual([0.5]);
  });
});
