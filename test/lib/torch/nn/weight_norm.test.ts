// PyTorch's older weight normalization: the numbers of the newer one, which has fixtures, under the names that older
// checkpoints have.
import { describe, expect, it } from "vitest";
import { nn, optim, torch } from "../../../../lib/index.ts";

const made = () => {
  torch.manualSeed(1);
  return new nn.Conv1d(2, 3, 2);
};
const input = torch.arange(8).float().view(1, 2, 4);

/** Three steps, and what the layer then gives. */
function trained(layer: nn.Conv1d): unknown {
  const optimizer = new optim.SGD(layer.parameters(), { lr: 0.01 });
  for (let step = 0; step < 3; step++) {
    optimizer.zeroGrad();
    layer(input).square().mean().backward();
    optimizer.step();
  }
  return layer(input).tolist();
}

describe("nn.utils.weightNorm", () => {
  it("trains as the newer one does", () => {
    const expected = trained(nn.utils.parametrizations.weightNorm(made()));
    expect(trained(nn.utils.weightNorm(made()))).toEqual(expected);
    const overAll = trained(nn.utils.parametrizations.weightNorm(made(), "weight", null));
    expect(trained(nn.utils.weightNorm(made(), { dim: null }))).toEqual(overAll);
  });

  it("has PyTorch's names, and loads them", () => {
    const layer = nn.utils.weightNorm(made());
    const state = layer.stateDict();
    expect(Object.entries(state).map(([name, { shape }]) => [name, shape])).toEqual([
      ["bias", [3]],
      ["weight_g", [3, 1, 1]],
      ["weight_v", [3, 2, 2]],
    ]);
    const other = nn.utils.weightNorm(new nn.Conv1d(2, 3, 2));
    other.loadStateDict(state);
    expect(other.weight.tolist()).toEqual(layer.weight.tolist());
  });

  it("of a copy is the copy's own", () => {
    const layer = nn.utils.weightNorm(made());
    const before = layer.weight.tolist();
    const copy = layer.clone();
    torch.noGrad(() => (copy as unknown as { weightG: nn.Parameter }).weightG.mul_(2));
    expect(layer.weight.tolist()).toEqual(before);
    expect(copy.weight.tolist()).toEqual(layer.weight.mul(2).tolist());
  });

  it("leaves the value behind as a parameter when it is removed", () => {
    const layer = nn.utils.weightNorm(made());
    const value = layer.weight.tolist();
    nn.utils.removeWeightNorm(layer);
    expect(Object.keys(layer.stateDict())).toEqual(["bias", "weight"]);
    expect(layer.weight).toBeInstanceOf(nn.Parameter);
    expect(layer.weight.tolist()).toEqual(value);
  });

  it("refuses a layer that has no such parameter", () => {
    expect(() => nn.utils.weightNorm(new nn.ReLU())).toThrow(
      'weightNorm: ReLU has no parameter or buffer "weight".',
    );
    expect(() => nn.utils.removeWeightNorm(made())).toThrow(
      "removeWeightNorm: Conv1d.weight has no weight normalization.",
    );
  });
});
