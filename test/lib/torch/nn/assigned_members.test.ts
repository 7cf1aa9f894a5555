// A plain tensor assigned to a field that held a parameter or a buffer: PyTorch refuses the first, and keeps the second as
// the buffer that it was.
import { describe, expect, it } from "vitest";
import { nn, optim, type Tensor, torch } from "../../../../lib/index.ts";

class Average extends nn.Module {
  mean: Tensor = new nn.Buffer(torch.zeros([2]));
  scratch: Tensor = new nn.Buffer(torch.zeros([1]), { persistent: false });
  override forward(x: Tensor): Tensor {
    this.mean = this.mean.mul(0.5).add(x, { alpha: 0.5 });
    this.scratch = x.sum();
    return x.sub(this.mean);
  }
}

describe("a tensor assigned to a field that held", () => {
  it("a buffer is the buffer: saved, moved and listed", () => {
    const layer = new Average();
    expect([...layer.namedBuffers()].map(([name]) => name)).toEqual(["mean", "scratch"]);
    torch.tidy(() => {
      layer(torch.tensor([2, 4], { dtype: "float32" }));
      expect(Object.keys(layer.stateDict())).toEqual(["mean"]);
    });
    expect(layer.stateDict()["mean"]!.tolist()).toEqual([1, 2]);
    layer.to("float64");
    expect([layer.mean.dtype, layer.scratch.dtype]).toEqual(["float64", "float64"]);
  });

  it("a parameter is refused when the module is looked at next, and a parameter or null is taken", () => {
    const layer = new nn.Linear(2, 1);
    const optimizer = new optim.SGD(layer.parameters(), { lr: 1 });
    expect(optimizer.paramGroups[0]!.params).toHaveLength(2);
    layer.weight = torch.ones([1, 2]) as never;
    for (const look of [() => layer.stateDict(), () => layer.zeroGrad(), () => [...layer.parameters()]])
      expect(look).toThrow(
        new TypeError(
          "Linear.weight was a parameter and is a plain tensor now, which no optimizer trains: assign new nn.Parameter(x), or write the values with torch.noGrad(() => layer.weight.copy_(x)).",
        ),
      );
    layer.weight = new nn.Parameter(torch.ones([1, 2]));
    layer.bias = null as never;
    expect(Object.keys(layer.stateDict())).toEqual(["weight"]);
  });

  it("a parameter that was deleted before is only a tensor", () => {
    const layer = new nn.Linear(2, 1);
    layer.parameters();
    Reflect.deleteProperty(layer, "weight");
    expect(Object.keys(layer.stateDict())).toEqual(["bias"]);
    layer.weight = torch.ones([1, 2]) as never;
    expect(Object.keys(layer.stateDict())).toEqual(["bias"]);
  });
});
