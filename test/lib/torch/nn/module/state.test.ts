// State dicts: PyTorch's keys, and all or nothing.
import { describe, expect, it } from "vitest";
import { nn, torch } from "../../../../../lib/index.ts";
import { refuses } from "../../tensor/misuse.ts";
import { Block, Model } from "../models.ts";

describe("a state dict", () => {
  it("shares memory with the module, without history", () => {
    const layer = new nn.Linear(1, 1);
    const state = layer.stateDict();
    expect(state["weight"]!.requiresGrad).toBe(false);
    torch.noGrad(() => layer.weight.fill_(7));
    expect(state["weight"]!.item()).toBe(7);
  });

  it("leaves out buffers that are not persistent", () => {
    expect(Object.keys(new Block().stateDict())).toEqual(["scale", "steps", "norm.weight", "norm.bias"]);
  });

  it("makes another module of the same structure compute the same", () => {
    torch.manualSeed(1);
    const [one, other] = [new Model(), new Model()];
    const input = torch.randn([3, 4]);
    expect(other.loadStateDict(one.stateDict())).toEqual({ missingKeys: [], unexpectedKeys: [] });
    expect(other(input, 1).tolist()).toEqual(one(input, 1).tolist());
    expect(other.head.weight.requiresGrad).toBe(true);
  });

  it("loads what both have when not strict, and says what was left", () => {
    const layer = new nn.Linear(1, 1);
    const loaded = layer.loadStateDict(
      { weight: torch.full([1, 1], 3), scale: torch.ones([1]) },
      { strict: false },
    );
    expect(loaded).toEqual({ missingKeys: ["bias"], unexpectedKeys: ["scale"] });
    expect(layer.weight.item()).toBe(3);
  });

  it("converts to the module's dtype", () => {
    const layer = new nn.Linear(1, 1, { bias: false });
    layer.loadStateDict({ weight: torch.full([1, 1], 0.5, { dtype: "float64" }) });
    expect(layer.weight.dtype).toBe("float32");
    expect(layer.weight.item()).toBe(0.5);
  });

  it("changes nothing when it does not fit", () => {
    const layer = new nn.Linear(1, 1);
    const before = layer.weight.item();
    expect(() => layer.loadStateDict({ weight: torch.full([1, 1], 9), bias: torch.zeros([2]) })).toThrow(
      'loadStateDict of Linear: "bias" is [2] in the state and [1] in the module. Nothing was loaded. ' +
        "Build the module with the sizes that the state was saved with.",
    );
    expect(layer.weight.item()).toBe(before);
  });

  const layer = () => new nn.Linear(1, 1);
  refuses([
    [
      "a missing key",
      () => layer().loadStateDict({ weight: torch.ones([1, 1]) }),
      "RangeError",
      'loadStateDict of Linear: the state has no "bias". Nothing was loaded. Pass { strict: false } to load the keys that both have.',
    ],
    [
      "an unexpected key",
      () => layer().loadStateDict({ ...layer().stateDict(), extra: torch.ones([1]) }),
      "RangeError",
      'loadStateDict of Linear: the module has no "extra". Nothing was loaded. Pass { strict: false } to load the keys that both have.',
    ],
    [
      "a value that is no tensor",
      () => layer().loadStateDict({ weight: 1, bias: 2 } as never),
      "TypeError",
      'loadStateDict of Linear: "weight" must be a tensor, got 1.',
    ],
    [
      "no state",
      () => layer().loadStateDict(null as never),
      "TypeError",
      "loadStateDict of Linear: expected an object of tensors by path, got null.",
    ],
    [
      "a tensor for a state",
      () => layer().loadStateDict(torch.ones([1]) as never),
      "TypeError",
      "loadStateDict of Linear: expected an object of tensors by path, got a Tensor.",
    ],
    [
      "an unknown option",
      () => layer().loadStateDict({}, { strickt: false } as never),
      "TypeError",
      'loadStateDict of Linear: unknown option "strickt"; it takes strict, assign.',
    ],
  ]);
});
