// Modules: what they own is found among their fields, under PyTorch's names; calling, moving, printing.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import { allocatedBytes, collectedBytes } from "../../../helpers/memory.ts";
import { refuses } from "../tensor/misuse.ts";
import { Block, Model } from "./models.ts";

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

  it("names tied weights under both of their paths where that is asked", () => {
    const shared = new nn.Linear(2, 2, { bias: false });
    const model = new nn.ModuleDict({ encode: shared, decode: shared });
    const paths = (options?: { removeDuplicate: boolean }) =>
      Array.from(model.namedParameters(options), ([path]) => path);
    expect(paths()).toEqual(["encode.weight"]);
    expect(paths({ removeDuplicate: false })).toEqual(["encode.weight", "decode.weight"]);
  });

  it("says that a class has no forward, where no types are checked", () => {
    const Headless = class Headless extends (nn.Module as unknown as new () => nn.Linear) {};
    expect(() => new Headless()(torch.ones([1]))).toThrow(
      new TypeError(
        "Headless has no forward(): write what it computes, as forward(x) { return this.layer(x); }.",
      ),
    );
  });

  it("finds parameters that are set after construction, and no others", () => {
    const layer = new nn.Linear(2, 2);
    layer.bias = null;
    expect([...layer.namedParameters()].map(([name]) => name)).toEqual(["weight"]);
    layer.weight = new nn.Parameter(torch.zeros([2, 2]));
    expect(layer(torch.ones([1, 2])).tolist()).toEqual([[0, 0]]);
  });

  it("makes a parameter of what is given by place or by name", () => {
    const data = torch.ones([2]);
    const frozen = [new nn.Parameter(data, false), new nn.Parameter({ data, requiresGrad: false })];
    expect(frozen.map(({ requiresGrad }) => requiresGrad)).toEqual([false, false]);
    expect(new nn.Parameter(data, true).requiresGrad).toBe(true);
    expect(new nn.Buffer({ data, persistent: false }).tolist()).toEqual([1, 1]);
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
    const before = collectedBytes();
    const layer = new nn.Linear(10, 20);
    expect(allocatedBytes() - before).toBe(4 * (10 * 20 + 20));
    layer.to("float64");
    expect(allocatedBytes() - before).toBe(8 * (10 * 20 + 20));
    layer.to("float32");
    expect(allocatedBytes() - before).toBe(4 * (10 * 20 + 20));
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

  it("shows a module that stands in two places in both", () => {
    const shared = new nn.Linear(2, 2);
    expect(String(new nn.Sequential(shared, new nn.ReLU(), shared))).toBe(`Sequential(
  (0): Linear(inFeatures=2, outFeatures=2, bias=true)
  (1): ReLU()
  (2): Linear(inFeatures=2, outFeatures=2, bias=true)
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
      "to: expected a device, a floating dtype or { device, dtype, memoryFormat }, got an object.",
    ],
    [
      "a memory format that no module can have",
      () => model.to({ memoryFormat: "preserve_format" as never }),
      "TypeError",
      'to: memoryFormat must be one of "contiguous_format", "channels_last", "channels_last_3d", got "preserve_format".',
    ],
    [
      "a misspelt conversion",
      () => model.to({ dvice: "cpu" } as never),
      "TypeError",
      'to: unknown option "dvice"; it takes device, dtype, memoryFormat.',
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
      'new nn.Parameter: int64 tensors have no gradient; whole numbers make int64, so write { dtype: "float32" } where they become a tensor, or convert it with x.float(), or pass { requiresGrad: false }.',
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

it("to() lays weights of four dimensions with their channels last and back, under the same optimizer", () => {
  const [conv, linear] = [new nn.Conv2d(2, 4, 3), new nn.Linear(16, 1)];
  const model = new nn.Sequential(conv, new nn.Flatten(), linear);
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.1, momentum: 0.9 });
  const x = torch.randn([3, 2, 4, 4]);
  const before = model(x);
  const strides = () => [...conv.weight.stride()];
  expect(strides()).toEqual([18, 9, 3, 1]);
  model.to({ memoryFormat: "channels_last" });
  expect(strides()).toEqual([18, 1, 6, 2]);
  expect(linear.weight.isContiguous()).toBe(true);
  expect(torch.allclose(model(x), before, { atol: 1e-6 })).toBe(true);
  model(x).sum().backward();
  const weight = conv.weight.clone();
  optimizer.step();
  expect(conv.weight.sub(weight).abs().sum().item()).toBeGreaterThan(0);
  expect(strides()).toEqual([18, 1, 6, 2]);
  model.to({ memoryFormat: "contiguous_format" });
  expect(strides()).toEqual([18, 9, 3, 1]);
});
