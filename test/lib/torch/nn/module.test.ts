// Modules: what they own is found among their fields, under PyTorch's names; calling, moving, saving, printing.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import { native } from "../../../../lib/torch/native.ts";
import { refuses } from "../misuse.ts";

class Block extends nn.Module {
  readonly norm = new nn.LayerNorm(4);
  readonly scale = new nn.Parameter(torch.ones([1]));
  readonly steps = new nn.Buffer(torch.zeros([], { dtype: "int64" }));
  readonly scratch = new nn.Buffer(torch.zeros([2]), { persistent: false });
  readonly notMine = torch.randn([3]).requiresGrad_();

  override forward(input: Tensor): Tensor {
    return this.norm(input).mul(this.scale);
  }
}

class Model extends nn.Module {
  readonly blocks = [new Block(), new Block()];
  readonly head = new nn.Linear(4, 2, { bias: false });
  override readonly name = "a model may have a name";

  override forward(input: Tensor, times: number): Tensor {
    let hidden = input;
    for (let i = 0; i < times; i++) for (const block of this.blocks) hidden = block(hidden);
    return this.head(hidden);
  }
}

describe("a module", () => {
  it("is called like a function, with forward's types", () => {
    const model = new Model();
    const output: Tensor = model(torch.randn([3, 4]), 2);
    expect(output.shape).toEqual([3, 2]);
    expect(model.forward(torch.randn([3, 4]), 1).shape).toEqual([3, 2]);
    expect(model instanceof nn.Module).toBe(true);
    expect(model.name).toBe("a model may have a name");
    // @ts-expect-error forward takes two arguments
    expect(() => model(5)).toThrow(TypeError);
  });

  it("names parameters and buffers by their fields, parameters first", () => {
    const model = new Model();
    expect([...model.namedParameters()].map(([path]) => path)).toEqual([
      "blocks.0.scale",
      "blocks.0.norm.weight",
      "blocks.0.norm.bias",
      "blocks.1.scale",
      "blocks.1.norm.weight",
      "blocks.1.norm.bias",
      "head.weight",
    ]);
    expect([...model.namedBuffers()].map(([path]) => path)).toEqual([
      "blocks.0.steps",
      "blocks.0.scratch",
      "blocks.1.steps",
      "blocks.1.scratch",
    ]);
    expect([...model.namedModules()].map(([path, module]) => `${path}:${module.constructor.name}`)).toEqual([
      ":Model",
      "blocks.0:Block",
      "blocks.0.norm:LayerNorm",
      "blocks.1:Block",
      "blocks.1.norm:LayerNorm",
      "head:Linear",
    ]);
    expect([...model.namedChildren()].map(([name]) => name)).toEqual(["blocks.0", "blocks.1", "head"]);
    expect(model.parameters()).toHaveLength(7);
    expect(model.buffers()).toHaveLength(4);
  });

  it("counts a shared module once, and saves it under both names", () => {
    const shared = new nn.Linear(2, 2, { bias: false });
    const model = new nn.Sequential(shared, new nn.ReLU(), shared);
    expect(model.parameters()).toHaveLength(1);
    expect(model.parameters()[0]).toBe(shared.weight);
    expect(model.modules()).toHaveLength(3);
    expect(Object.keys(model.stateDict())).toEqual(["0.weight", "2.weight"]);
  });

  it("finds parameters that are set after construction, and no others", () => {
    const layer = new nn.Linear(2, 2);
    layer.bias = null;
    expect([...layer.namedParameters()].map(([name]) => name)).toEqual(["weight"]);
    layer.weight = new nn.Parameter(torch.zeros([2, 2]));
    expect(layer(torch.ones([1, 2])).tolist()).toEqual([[0, 0]]);
  });

  it("sets train and eval on everything inside", () => {
    const model = new nn.Sequential(new nn.Sequential(new nn.Dropout(0.9)), new nn.Dropout(0.9));
    expect(
      model
        .eval()
        .modules()
        .map((module) => module.training),
    ).toEqual([false, false, false, false]);
    expect(model(torch.ones([4])).tolist()).toEqual([1, 1, 1, 1]);
    expect(
      model
        .train()
        .modules()
        .every((module) => module.training),
    ).toBe(true);
  });

  it("applies a function to children before parents", () => {
    const seen: string[] = [];
    new nn.Sequential(new nn.Sequential(new nn.ReLU(), new nn.Tanh()), new nn.Linear(1, 1)).apply((module) =>
      seen.push(module.constructor.name),
    );
    expect(seen).toEqual(["ReLU", "Tanh", "Sequential", "Linear", "Sequential"]);
  });

  it("drops gradients", () => {
    const layer = new nn.Linear(2, 1);
    layer(torch.ones([1, 2]))
      .sum()
      .backward();
    expect(layer.bias!.grad!.tolist()).toEqual([1]);
    layer.zeroGrad();
    expect(layer.bias!.grad).toBeNull();
  });

  it("freezes and thaws", () => {
    const layer = new nn.Linear(2, 1);
    expect(
      layer
        .requiresGrad_(false)
        .parameters()
        .map((p) => p.requiresGrad),
    ).toEqual([false, false]);
    expect(
      layer
        .requiresGrad_()
        .parameters()
        .map((p) => p.requiresGrad),
    ).toEqual([true, true]);
  });

  it("changes dtype in place: the optimizer keeps training the same parameters, integers stay integers", () => {
    const block = new Block();
    const optimizer = new optim.SGD(block.parameters(), { lr: 1 });
    const [first] = block.parameters();
    block(torch.ones([1, 4]))
      .sum()
      .backward();
    expect(block.to("float64").parameters()[0]).toBe(first);
    expect(first!.dtype).toBe("float64");
    expect(first!.grad!.dtype).toBe("float64");
    expect(first!.requiresGrad).toBe(true);
    expect(block.steps.dtype).toBe("int64");
    optimizer.zeroGrad();
    const before = block.scale.item();
    block(torch.randn([1, 4], { dtype: "float64" }))
      .sum()
      .backward();
    const gradient = block.scale.grad!.item();
    optimizer.step();
    expect(block.scale.item()).toBeCloseTo(before - gradient, 12);
    expect(block.to({ device: "cpu", dtype: "float32" }).scale.dtype).toBe("float32");
    expect(block.to("cpu")).toBe(block);
  });

  it("takes the memory of its parameters, no more, and gives the old one back when it converts", () => {
    const allocated = () => native.memoryStats("cpu").allocatedBytes;
    const before = allocated();
    const layer = new nn.Linear(10, 20);
    expect(allocated() - before).toBe(4 * (10 * 20 + 20));
    layer.to("float64");
    expect(allocated() - before).toBe(8 * (10 * 20 + 20));
    layer.to("float32");
    expect(allocated() - before).toBe(4 * (10 * 20 + 20));
  });

  it("survives tidy: parameters made inside are the module's, not the scope's", () => {
    let model: nn.Linear | undefined;
    torch.tidy(() => {
      model = new nn.Linear(2, 2);
    });
    expect(model!.weight.isDisposed).toBe(false);
    expect(model!(torch.ones([2])).shape).toEqual([2]);
  });

  it("prints as PyTorch does, in our own words", () => {
    class Tower extends nn.Module {
      readonly layers = Array.from({ length: 3 }, () => new nn.Linear(2, 2));
      readonly out = new nn.Sequential(new nn.ReLU(), new nn.Dropout(0.1));
      override forward(input: Tensor): Tensor {
        return this.out(input);
      }
    }
    expect(String(new nn.ReLU())).toBe("ReLU()");
    expect(inspect(new nn.Linear(784, 10))).toBe("Linear(inFeatures=784, outFeatures=10, bias=true)");
    expect(String(new Tower())).toBe(`Tower(
  (layers.0-2): 3 x Linear(inFeatures=2, outFeatures=2, bias=true)
  (out): Sequential(
    (0): ReLU()
    (1): Dropout(p=0.1)
  )
)`);
  });

  it("says which module contains itself", () => {
    class Parent extends nn.Module {
      child: nn.Module | null = null;
      override forward(input: Tensor): Tensor {
        return input;
      }
    }
    const parent = new Parent();
    const child = new Parent();
    parent.child = child;
    child.child = parent;
    const message =
      'The module at "child.child" (Parent) contains itself. ' +
      "Keep a reference back to a parent in a private field (#parent), which modules do not search.";
    for (const walk of [
      () => parent.parameters(),
      () => parent.train(),
      () => parent.stateDict(),
      () => parent.apply(() => {}),
      () => String(parent),
      () => parent.to("float64"),
    ]) {
      expect(walk).toThrow(message);
    }
  });
});

describe("Sequential", () => {
  it("has its layers by number or by name, and counts and lists them", () => {
    const numbered = new nn.Sequential(new nn.Linear(2, 3), new nn.ReLU());
    expect(numbered[0]).toBeInstanceOf(nn.Linear);
    expect(numbered.length).toBe(2);
    expect([...numbered.append(new nn.Linear(3, 1))].map(String)).toEqual([
      "Linear(inFeatures=2, outFeatures=3, bias=true)",
      "ReLU()",
      "Linear(inFeatures=3, outFeatures=1, bias=true)",
    ]);
    const named = new nn.Sequential({ hidden: new nn.Linear(2, 3), length2: new nn.ReLU() });
    expect(Object.keys(named.stateDict())).toEqual(["hidden.weight", "hidden.bias"]);
    expect(named(torch.ones([1, 2])).shape).toEqual([1, 3]);
    const input = torch.ones([1]);
    expect(new nn.Sequential()(input)).toBe(input);
  });

  class Keeper extends nn.Module {
    seen: Tensor[] = [];
    override forward(input: Tensor): Tensor {
      const output = input.mul(2);
      this.seen.push(input, output);
      return output;
    }
  }

  it("frees what only its own layers saw, and nothing that anyone else could want", () => {
    const keeper = new Keeper();
    const model = new nn.Sequential(new nn.ReLU(), keeper, new nn.Sequential(new nn.Tanh()), new nn.ReLU());
    const input = torch.ones([2]);
    const output = model(input);
    expect([input, ...keeper.seen, output].map((tensor) => tensor.isDisposed)).toEqual([
      false,
      false,
      false,
      false,
    ]);

    const nested = new nn.Sequential(new nn.ReLU(), new nn.Sequential(keeper), new nn.ReLU());
    nested(input);
    expect(keeper.seen.map((tensor) => tensor.isDisposed)).toEqual([false, false, false, false]);

    class KeepingReLU extends nn.ReLU {
      seen: Tensor | null = null;
      override forward(given: Tensor): Tensor {
        this.seen = given;
        return super.forward(given);
      }
    }
    const keeping = new KeepingReLU();
    new nn.Sequential(new nn.Tanh(), keeping, new nn.Tanh())(input);
    expect(keeping.seen!.isDisposed).toBe(false);
  });

  it("leaves nothing behind but its output", () => {
    const layers = [
      new nn.Linear(50, 50),
      new nn.ReLU(),
      new nn.Identity(),
      new nn.Flatten(0),
      new nn.Unflatten(0, [1, 50]),
      new nn.Dropout(0.5),
    ];
    const model = new nn.Sequential(...layers, new nn.Sequential(new nn.Tanh(), new nn.Linear(50, 1)));
    const input = torch.ones([1, 50]);
    const allocated = () => native.memoryStats("cpu").allocatedBytes;
    torch.noGrad(() => model(input)).dispose();
    const before = allocated();
    const output = torch.noGrad(() => model(input));
    expect(allocated() - before).toBe(output.nbytes);
  });

  it("keeps what the backward pass needs", () => {
    torch.manualSeed(0);
    const model = new nn.Sequential(
      new nn.Linear(4, 4),
      new nn.Tanh(),
      new nn.Linear(4, 4),
      new nn.ReLU(),
      new nn.Linear(4, 1),
    );
    const x = torch.randn([3, 4]);
    model(x).sum().backward();
    const gradients = model.parameters().map((parameter) => parameter.grad!.tolist());
    model.zeroGrad();
    let step = x;
    for (const layer of model) step = layer(step);
    step.sum().backward();
    expect(model.parameters().map((parameter) => parameter.grad!.tolist())).toEqual(gradients);
  });
});

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
      'loadStateDict of Linear: unknown option "strickt"; it takes strict.',
    ],
  ]);
});

describe("module methods, parameters and buffers", () => {
  const model = new nn.Linear(1, 1);
  refuses([
    [
      "a mode that is no boolean",
      () => model.train(1 as never),
      "TypeError",
      "train: the mode must be true or false, got 1.",
    ],
    [
      "apply without a function",
      () => model.apply(3 as never),
      "TypeError",
      "apply: expected a function, got 3.",
    ],
    [
      "an unknown device or dtype",
      () => model.to("gpu" as never),
      "TypeError",
      'to: "gpu" is neither a device nor a floating dtype; a module\'s dtype is one of "float32", "float64", "float16", "bfloat16", "complex64", "complex128".',
    ],
    [
      "an integer dtype",
      () => model.to("int64"),
      "TypeError",
      'to: "int64" is neither a device nor a floating dtype; a module\'s dtype is one of "float32", "float64", "float16", "bfloat16", "complex64", "complex128".',
    ],
    [
      "an unknown device option",
      () => model.to({ device: "gpu" as never }),
      "TypeError",
      'to: "gpu" is not a device; use "cpu", "mps" or "cuda".',
    ],
    [
      "an empty conversion",
      () => model.to({}),
      "TypeError",
      "to: expected a device, a floating dtype or { device, dtype }, got an object.",
    ],
    [
      "a misspelt conversion",
      () => model.to({ dvice: "cpu" } as never),
      "TypeError",
      'to: unknown option "dvice"; it takes device, dtype.',
    ],
    [
      "a parameter of no tensor",
      () => new nn.Parameter(1 as never),
      "TypeError",
      "new nn.Parameter: expected a tensor, got 1.",
    ],
    [
      "a parameter of integers",
      () => new nn.Parameter(torch.ones([2], { dtype: "int64" })),
      "TypeError",
      "new nn.Parameter: a int64 tensor has no gradient; convert it to float32, or pass { requiresGrad: false }.",
    ],
    [
      "an unknown parameter option",
      () => new nn.Parameter(torch.ones([2]), { grad: true } as never),
      "TypeError",
      'new nn.Parameter: unknown option "grad"; it takes requiresGrad.',
    ],
    [
      "a buffer of no tensor",
      () => new nn.Buffer("x" as never),
      "TypeError",
      'new nn.Buffer: expected a tensor, got "x".',
    ],
    [
      "an unknown buffer option",
      () => new nn.Buffer(torch.ones([2]), { keep: true } as never),
      "TypeError",
      'new nn.Buffer: unknown option "keep"; it takes persistent.',
    ],
  ]);

  it("makes a parameter that shares memory with its tensor and is a leaf", () => {
    const data = torch.zeros([2]);
    const parameter = new nn.Parameter(data);
    expect([parameter.isLeaf, parameter.requiresGrad, data.requiresGrad]).toEqual([true, true, false]);
    data.fill_(4);
    expect(parameter.tolist()).toEqual([4, 4]);
    expect(parameter instanceof nn.Parameter).toBe(true);
    expect(data instanceof nn.Parameter).toBe(false);
    expect(new nn.Buffer(data) instanceof nn.Buffer).toBe(true);
  });
});
