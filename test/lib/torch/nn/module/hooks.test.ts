// Hooks of modules: what they see, what they may change, in which order they run, and how they are removed.
import { describe, expect, it } from "vitest";
import { nn, torch, type Tensor } from "../../../../../lib/index.ts";
import { refuses } from "../../tensor/misuse.ts";

class Pair extends nn.Module {
  readonly factor = new nn.Parameter(torch.tensor([3]).float());

  override forward(a: Tensor, b: Tensor): [Tensor, Tensor] {
    return [a.mul(this.factor), a.mul(b)];
  }
}

const ones = () => torch.ones([2]).requiresGrad_();

describe("a forward hook", () => {
  it("sees module, inputs and output, and may give another output", () => {
    const layer = new nn.ReLU();
    const seen: unknown[] = [];
    const handle = layer.registerForwardHook((module, inputs, output) => {
      seen.push(module, inputs, output);
      return (output as Tensor).mul(10);
    });
    const x = torch.tensor([-1, 2]);
    expect(layer(x).tolist()).toEqual([0, 20]);
    expect(seen[0]).toBe(layer);
    expect((seen[1] as Tensor[])[0]).toBe(x);
    handle.remove();
    expect(layer(x).tolist()).toEqual([0, 2]);
  });

  it("may give other inputs before, one or all in an array", () => {
    const layer = new nn.Bilinear(1, 1, 1, { bias: false });
    nn.init.ones_(layer.weight);
    const handle = layer.registerForwardPreHook((_, inputs) => inputs.map((x) => (x as Tensor).add(1)));
    expect(layer(torch.ones([1]), torch.ones([1])).item()).toBe(4);
    handle.remove();
    const relu = new nn.ReLU();
    relu.registerForwardPreHook(() => torch.tensor([7]));
    expect(relu(torch.zeros([1])).tolist()).toEqual([7]);
  });

  it("runs in the order of registration, before the others where it is prepended", () => {
    const layer = new nn.Identity();
    const order: number[] = [];
    layer.registerForwardHook(() => void order.push(1));
    layer.registerForwardHook(() => void order.push(2));
    layer.registerForwardHook(() => void order.push(0), { prepend: true });
    layer(ones());
    expect(order).toEqual([0, 1, 2]);
  });

  it("runs after an error too, where it says so", () => {
    const layer = new nn.Linear(2, 2);
    const outputs: unknown[] = [];
    layer.registerForwardHook((_, __, output) => void outputs.push(output), { alwaysCall: true });
    expect(() => layer(torch.ones([3]) as Tensor)).toThrow("last dimension must be 2");
    expect(outputs).toEqual([undefined]);
  });

  it("keeps what it holds of a Sequential's middle", () => {
    const model = new nn.Sequential(new nn.Linear(2, 2), new nn.ReLU(), new nn.Linear(2, 1));
    const held: Tensor[] = [];
    model[1]!.registerForwardHook((_, __, output) => void held.push(output as Tensor));
    model(ones());
    expect(held[0]!.shape).toEqual([2]);
  });

  it("keeps a transformer from its fused kernel, which would leave it out", () => {
    const layer = new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 4, batchFirst: true }).eval();
    let ran = 0;
    layer.linear1.registerForwardHook(() => void ran++);
    torch.noGrad(() => layer(torch.randn([1, 3, 4])));
    expect(ran).toBe(1);
  });
});

describe("a full backward hook", () => {
  it("sees the gradients by all inputs and outputs at once", () => {
    const module = new Pair();
    const seen: unknown[][] = [];
    module.registerFullBackwardHook((_, gradInputs, gradOutputs) => {
      seen.push([...gradInputs, ...gradOutputs].map((grad) => grad && grad.tolist()));
    });
    const [a, b] = [ones(), torch.tensor([5, 6]).float()];
    const [first, second] = module(a, b);
    first.add(second.mul(2)).sum().backward();
    expect(seen).toEqual([[[13, 15], null, [1, 1], [2, 2]]]);
    expect(module.factor.grad!.tolist()).toEqual([2]);
  });

  it("may pass other gradients on, and a pre-hook change those that come in", () => {
    const layer = new nn.Tanh();
    layer.registerFullBackwardPreHook((_, [grad]) => [grad!.mul(2)]);
    layer.registerFullBackwardHook((_, [grad]) => [grad!.mul(10)]);
    const x = torch.zeros([2]).requiresGrad_();
    layer(x).sum().backward();
    expect(x.grad!.tolist()).toEqual([20, 20]);
  });

  it("runs where no input needs a gradient", () => {
    const layer = new nn.Linear(2, 1);
    const seen: unknown[] = [];
    layer.registerFullBackwardHook((_, gradInputs, gradOutputs) => {
      seen.push(gradInputs, gradOutputs[0]!.tolist());
    });
    layer(torch.ones([1, 2]))
      .sum()
      .backward();
    expect(seen).toEqual([[null], [[1]]]);
  });

  it("throws its error out of backward", () => {
    const layer = new nn.Tanh();
    layer.registerFullBackwardHook(() => {
      throw new Error("no such luck");
    });
    expect(() => layer(ones()).sum().backward()).toThrow("no such luck");
  });
});

describe("registering a hook", () => {
  refuses([
    [
      "what is no function",
      () => new nn.ReLU().registerForwardHook(1 as never),
      "TypeError",
      "ReLU.registerForwardHook: expected a function, got 1.",
    ],
    [
      "an unknown option",
      () => new nn.ReLU().registerForwardPreHook(() => {}, { alwaysCall: true } as never),
      "TypeError",
      'ReLU.registerForwardPreHook: unknown option "alwaysCall"; it takes prepend.',
    ],
    [
      "gradients of another number",
      () => {
        const layer = new nn.ReLU();
        layer.registerFullBackwardHook(() => []);
        layer(ones()).sum().backward();
      },
      "TypeError",
      "A backward hook returns a gradient or null for each of the 1, or nothing; it returned [].",
    ],
  ]);
});
