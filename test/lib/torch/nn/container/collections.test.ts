// Lists and dictionaries of modules and parameters; members that are registered and looked up by name.
import { describe, expect, it } from "vitest";
import { nn, torch } from "../../../../../lib/index.ts";
import { refuses } from "../../tensor/misuse.ts";

const linear = () => new nn.Linear(2, 2, { bias: false });

describe("a ModuleList", () => {
  it("has its members under numbers, and their parameters under PyTorch's keys", () => {
    const list = new nn.ModuleList([linear(), linear()]);
    list.append(linear());
    expect(list.length).toBe(3);
    expect(Object.keys(list.stateDict())).toEqual(["0.weight", "1.weight", "2.weight"]);
    expect(list.at(-1)).toBe(list[2]);
    expect([...list].length).toBe(3);
  });

  it("takes members in and out, and numbers them anew", () => {
    const [a, b, c] = [linear(), linear(), linear()];
    const list = new nn.ModuleList([a, c]).insert(1, b);
    expect([...list]).toEqual([a, b, c]);
    expect(list.pop(0)).toBe(a);
    expect([list[0], list[1], list.length]).toEqual([b, c, 2]);
    expect(new nn.Sequential(a, b).insert(0, c)[2]).toBe(b);
  });

  refuses([
    [
      "to be called",
      () => (new nn.ModuleList([linear()]) as unknown as () => void)(),
      "TypeError",
      "A ModuleList is no layer and cannot be called; call its members.",
    ],
    [
      "what is no module",
      () => new nn.ModuleList([3 as never]),
      "TypeError",
      "ModuleList: layer 0 must be a module, got 3.",
    ],
    [
      "no list",
      () => new nn.ModuleList(3 as never),
      "TypeError",
      "new nn.ModuleList: expected a list of modules, got 3.",
    ],
    [
      "an index out of range",
      () => new nn.ModuleList([linear()]).pop(1),
      "RangeError",
      "ModuleList.pop: index 1 is out of range for 1 modules.",
    ],
  ]);
});

describe("a ModuleDict", () => {
  it("keeps names as they are, in state dicts too", () => {
    const heads = new nn.ModuleDict({ enFr: linear(), en_de: linear() });
    expect(heads.keys()).toEqual(["enFr", "en_de"]);
    expect(Object.keys(heads.stateDict())).toEqual(["enFr.weight", "en_de.weight"]);
    expect(heads.has("enFr")).toBe(true);
    expect(heads.delete("enFr")).toBe(true);
    expect(heads.size).toBe(1);
    expect(heads.get("en_de")(torch.ones([2])).shape).toEqual([2]);
    heads.clear();
    expect(heads.size).toBe(0);
  });

  refuses([
    [
      "a name that is not there",
      () => new nn.ModuleDict({ a: linear() }).get("b"),
      "RangeError",
      'ModuleDict: there is no "b"; there are "a".',
    ],
    [
      "a name of its own",
      () => new nn.ModuleDict({ forward: linear() }),
      "TypeError",
      'ModuleDict: a member cannot be named "forward", which ModuleDict itself uses.',
    ],
    [
      "a name with a dot",
      () => new nn.ModuleDict({ "a.b": linear() }),
      "TypeError",
      'ModuleDict: a name must be a string without a dot, got "a.b".',
    ],
    [
      "what is no module",
      () => new nn.ModuleDict({ a: torch.ones([1]) as never }),
      "TypeError",
      'ModuleDict: "a" must be a module, got a Tensor.',
    ],
  ]);
});

describe("lists and dictionaries of parameters", () => {
  it("make parameters of tensors, print and save them", () => {
    const list = new nn.ParameterList([torch.zeros([2]), new nn.Parameter(torch.zeros([3]))]);
    expect(list[0]).toBeInstanceOf(nn.Parameter);
    expect(list.length).toBe(2);
    expect(Object.keys(list.stateDict())).toEqual(["0", "1"]);
    expect(String(list)).toBe(
      "ParameterList(\n  (0): Parameter(float32 [2])\n  (1): Parameter(float32 [3])\n)",
    );
    const dict = new nn.ParameterDict({ wX: torch.zeros([2]) });
    expect(Object.keys(dict.stateDict())).toEqual(["wX"]);
    expect(dict.get("wX").requiresGrad).toBe(true);
  });

  refuses([
    [
      "what is no tensor",
      () => new nn.ParameterDict({ a: 1 as never }),
      "TypeError",
      'ParameterDict: "a" must be a tensor, got 1.',
    ],
    [
      "one tensor for a list",
      () => new nn.ParameterList(torch.ones([2]) as never),
      "TypeError",
      "new nn.ParameterList: expected a list of tensors, got a Tensor.",
    ],
  ]);
});

class Named extends nn.Module {
  readonly inner = linear();
  readonly stats = new nn.Buffer(torch.zeros([1]));

  override forward(): void {}
}

describe("members by name", () => {
  it("are found by their paths", () => {
    const module = new Named();
    expect(module.getSubmodule("inner")).toBe(module.inner);
    expect(module.getSubmodule("")).toBe(module);
    expect(module.getParameter("inner.weight")).toBe(module.inner.weight);
    expect(module.getBuffer("stats")).toBe(module.stats);
    expect(module.parameters({ recurse: false })).toEqual([]);
    expect(module.buffers({ recurse: false })[0]).toBe(module.stats);
  });

  it("are registered where the name is only known when it runs", () => {
    const module = new Named();
    module.registerBuffer("mean", torch.zeros([2]));
    module.registerBuffer("scratch", torch.zeros([2]), { persistent: false });
    module.registerParameter("bias", new nn.Parameter(torch.zeros([2])));
    module.registerParameter("none", null);
    module.registerModule("head", linear());
    expect(Object.keys(module.stateDict())).toEqual(["bias", "stats", "mean", "inner.weight", "head.weight"]);
    module.registerBuffer("mean", null);
    expect(Object.keys(module.stateDict())).not.toContain("mean");
  });

  it("change dtype together", () => {
    const module = new Named().double();
    expect([module.inner.weight.dtype, module.stats.dtype]).toEqual(["float64", "float64"]);
    expect(module.half().inner.weight.dtype).toBe("float16");
    expect(module.bfloat16().inner.weight.dtype).toBe("bfloat16");
    expect(module.float().cpu().inner.weight.dtype).toBe("float32");
  });

  it("take a state's own tensors where they are assigned", () => {
    const module = new Named();
    const state = { "inner.weight": torch.ones([2, 2], { dtype: "float64" }), stats: torch.ones([1]) };
    module.loadStateDict(state, { assign: true });
    expect(module.inner.weight.dtype).toBe("float64");
    expect(module.inner.weight.tolist()).toEqual(state["inner.weight"].tolist());
  });

  it("lose the gradient of what they were where a state is assigned, whatever its dtype", () => {
    const module = new nn.Linear(2, 1, { bias: false });
    module(torch.ones([1, 2]))
      .sum()
      .backward();
    module.loadStateDict({ weight: torch.ones([1, 2], { dtype: "float64" }) }, { assign: true });
    expect([module.weight.dtype, module.weight.grad]).toEqual(["float64", null]);
  });

  it.each<[string, (module: nn.Linear) => void]>([
    ["loaded", (module) => module.loadStateDict({ weight: torch.ones([1, 2]) })],
    ["assigned", (module) => module.loadStateDict({ weight: torch.ones([1, 2]) }, { assign: true })],
    ["read from a vector", (module) => nn.utils.vectorToParameters(torch.ones([2]), module.parameters())],
  ])("refuse a backward between whose forward and itself they were %s", (_, replace) => {
    const module = new nn.Linear(2, 1, { bias: false });
    const x = torch.ones([1, 2], { requiresGrad: true });
    const loss = module(x).sum();
    replace(module);
    expect(() => loss.backward()).toThrow(/changed in place after it was used/);
  });

  refuses([
    [
      "a path to nothing",
      () => new Named().getParameter("inner.bias"),
      "RangeError",
      'Named.getParameter: there is nothing at "inner.bias"; there are "inner.weight".',
    ],
    [
      "a name with a dot",
      () => new Named().registerBuffer("a.b", null),
      "TypeError",
      'Named.registerBuffer: the name must be a string without a dot, got "a.b".',
    ],
    [
      "a method's name",
      () => new Named().registerBuffer("forward", torch.zeros([1])),
      "TypeError",
      'Named.registerBuffer: "forward" is already used for something else; choose another name.',
    ],
    [
      "a tensor that is no parameter",
      () => new Named().registerParameter("w", torch.zeros([1]) as never),
      "TypeError",
      "Named.registerParameter: expected a Parameter or null, got a Tensor; wrap it in new nn.Parameter(...).",
    ],
    [
      "what is no module",
      () => new Named().registerModule("m", 4 as never),
      "TypeError",
      "Named.registerModule: expected a module or null, got 4.",
    ],
  ]);
});
