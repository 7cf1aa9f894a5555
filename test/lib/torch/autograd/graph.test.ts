// The recorded graph: nodes and edges, hooks on tensors, leaves and nodes, how they are removed, and what they hold.
import { describe, expect, it } from "vitest";
import { autograd, nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import { collectedBytes } from "../../../helpers/memory.ts";
import { refuses } from "../tensor/misuse.ts";

const leaf = (...values: number[]) => torch.tensor(values, { dtype: "float64", requiresGrad: true });

describe("a node of the graph", () => {
  it("names its operation and those that its gradients go to", () => {
    const [a, b] = [leaf(1), leaf(2)];
    const { gradFn } = a.mul(b).add(torch.ones([1]));
    expect(gradFn!.name).toBe("AddBackward0");
    const [[product, output], [none]] = gradFn!.nextFunctions as never as [[autograd.Node, number], [null]];
    expect([product.name, output, none]).toEqual(["MulBackward0", 0, null]);
    expect(product.nextFunctions.map(([node]) => node!.name)).toEqual(["AccumulateGrad", "AccumulateGrad"]);
    expect(product.nextFunctions[1]![0]!.variable!.item()).toBe(2);
    expect([product.variable, String(product)]).toEqual([null, "<MulBackward0>"]);
  });

  it("is one object for as long as somebody holds it", () => {
    const y = leaf(1).exp();
    const { gradFn } = y;
    expect(y.gradFn).toBe(gradFn);
    expect(y.mul(2).gradFn!.nextFunctions[0]![0]).toBe(gradFn);
    expect(gradFn).toBeInstanceOf(autograd.Node);
  });

  it("runs hooks before and after itself, which may give other gradients", () => {
    const x = leaf(1);
    const y = x.mul(2);
    const seen: unknown[] = [];
    y.gradFn!.registerPrehook((gradOutputs) => {
      seen.push(["before", gradOutputs.map((grad) => grad?.tolist())]);
      return [gradOutputs[0]!.mul(10)];
    });
    const after = y.gradFn!.registerHook((gradInputs, gradOutputs) => {
      seen.push([
        "after",
        gradInputs.map((grad) => grad?.tolist()),
        gradOutputs.map((grad) => grad?.tolist()),
      ]);
      return [gradInputs[0]!.add(1), null];
    });
    y.sum().backward({ retainGraph: true });
    expect(seen).toEqual([
      ["before", [[1]]],
      ["after", [[20], undefined], [[10]]],
    ]);
    expect(x.grad!.item()).toBe(21);
    after.remove();
    x.grad = null;
    y.sum().backward();
    expect(x.grad!.item()).toBe(20);
  });
});

describe("tensor hooks", () => {
  it("run in the order of registration, each with what the one before gave", () => {
    const x = leaf(1);
    x.registerHook((grad) => grad.add(1));
    x.registerHook((grad) => grad.mul(10));
    x.sum().backward();
    expect(x.grad!.item()).toBe(20);
  });

  it("run again in a backward that the graph was kept for, and after it, if somebody holds the tensor", () => {
    const x = leaf(1);
    const y = x.mul(2);
    let ran = 0;
    y.registerHook(() => void ran++);
    y.sum().backward({ retainGraph: true });
    y.sum().backward();
    expect(ran).toBe(2);
    const z = leaf(1);
    z.registerHook(() => void ran++);
    for (let step = 0; step < 3; step++) z.mul(2).sum().backward();
    expect(ran).toBe(5);
  });

  it("may be removed twice, and after the tensor was disposed of", () => {
    const x = leaf(1);
    const handle = x.registerHook(() => {
      throw new Error("removed");
    });
    handle.remove();
    handle.remove();
    x.sum().backward();
    const other = x.registerHook(() => {});
    x.dispose();
    other.remove();
    expect(x.isDisposed).toBe(true);
  });

  it("that hold what their tensor became are collected with it", () => {
    const x = torch.randn([1000]).requiresGrad_();
    const step = () => {
      let h = x;
      for (let layer = 0; layer < 3; layer++) {
        h = h.mul(0.5);
        h.registerHook((grad) => (h.isLeaf ? undefined : grad));
      }
      h.sum().backward();
      x.grad = null;
    };
    step();
    const before = collectedBytes();
    for (let i = 0; i < 50; i++) step();
    expect(collectedBytes() - before).toBeLessThan(8_000);
  });

  it("may run a backward of their own, up to libtorch's depth", () => {
    const nested = (depth: number): number => {
      const x = leaf(1);
      let reached = depth;
      x.registerHook(() => {
        reached = torch.enableGrad(() => nested(depth + 1));
      });
      x.mul(1).sum().backward();
      return reached;
    };
    expect(() => nested(1)).toThrow(/^backward\(\): 60 calls stand inside one another/);
    expect(leaf(1).mul(2).sum().backward()).toBeUndefined();
  });
});

describe("a hook after accumulation", () => {
  it("is given the leaf with its gradient added up", () => {
    const x = leaf(1, 2);
    const seen: unknown[] = [];
    const handle = x.registerPostAccumulateGradHook((parameter) => {
      seen.push(parameter === x, parameter.grad!.tolist());
    });
    x.mul(3).sum().backward();
    handle.remove();
    x.mul(3).sum().backward();
    expect([seen, x.grad!.tolist()]).toEqual([
      [true, [3, 3]],
      [6, 6],
    ]);
  });

  it("may step an optimizer and free the gradient within backward", () => {
    const model = new nn.Sequential(new nn.Linear(4, 4), new nn.Linear(4, 1));
    const optimizers = new Map(model.parameters().map((p) => [p as Tensor, new optim.SGD([p], { lr: 0.1 })]));
    for (const parameter of model.parameters()) {
      parameter.registerPostAccumulateGradHook((p) => {
        optimizers.get(p)!.step();
        p.grad = null;
      });
    }
    const loss = () =>
      model(torch.ones([2, 4]))
        .square()
        .sum();
    const first = loss();
    first.backward();
    expect(loss().item()).not.toBe(first.item());
    expect(model.parameters().map((p) => p.grad)).toEqual([null, null, null, null]);
  });
});

describe("retainGrad", () => {
  it("is told of a tensor that is no leaf", () => {
    const x = leaf(1);
    const y = x.mul(2);
    expect([x.retainsGrad, y.retainsGrad]).toEqual([false, false]);
    y.retainGrad();
    x.retainGrad();
    expect([x.retainsGrad, y.retainsGrad]).toEqual([false, true]);
  });
});

describe("misuse", () => {
  const node = leaf(1).mul(2).gradFn!;
  refuses([
    [
      "a node's hook that is no function",
      () => node.registerHook(1 as never),
      "TypeError",
      "Node.registerHook: expected a function, got 1.",
    ],
    [
      "a node's prehook that is no function",
      () => node.registerPrehook(null as never),
      "TypeError",
      "Node.registerPrehook: expected a function, got null.",
    ],
    [
      "a node's hook that returns one gradient of two",
      () => {
        const y = leaf(1).mul(leaf(2));
        y.gradFn!.registerHook(() => [null]);
        y.sum().backward();
      },
      "TypeError",
      "A hook of a node returns an array of 2 gradients, one for each that it was given, or nothing.",
    ],
    [
      "a hook after accumulation of what is no leaf",
      () =>
        leaf(1)
          .mul(2)
          .registerPostAccumulateGradHook(() => {}),
      "TypeError",
      "registerPostAccumulateGradHook() needs a leaf that requires gradients: no other tensor's are added up. Use registerHook().",
    ],
    [
      "a hook after accumulation that is no function",
      () => leaf(1).registerPostAccumulateGradHook(1 as never),
      "TypeError",
      "registerPostAccumulateGradHook() takes a function, not 1.",
    ],
    [
      "what is no node of the graph",
      () => Object.create(autograd.Node.prototype).name,
      "TypeError",
      "Expected a node of the graph, as x.gradFn gives it.",
    ],
  ]);
});
