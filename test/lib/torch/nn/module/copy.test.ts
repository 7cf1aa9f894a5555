// A copy of a module: the same class with tensors of its own, as Python's `copy.deepcopy` makes it.
import { afterEach, expect, it } from "vitest";
import { nn, optim, torch, type Tensor } from "../../../../../lib/index.ts";

const state = torch.getRngState();
afterEach(() => torch.setRngState(state));

class Net extends nn.Module {
  readonly encoder = new nn.Linear(3, 2);
  readonly blocks = [new nn.Linear(2, 2), new nn.BatchNorm1d(2)];
  readonly tied = this.encoder.weight;
  readonly sizes = { hidden: [2, 2] };
  private calls = 0;
  constructor(readonly scale: number) {
    super();
  }
  forward(x: Tensor): Tensor {
    this.calls++;
    return this.blocks.reduce((value, block) => block(value), this.encoder(x)).mul(this.scale);
  }
  get called(): number {
    return this.calls;
  }
}

it("a copy computes the same, and training it leaves the original as it is", () => {
  torch.manualSeed(0); // of some weights no ReLU lets anything through, and no gradient comes back
  const net = new Net(3);
  const x = torch.randn(4, 3);
  const expected = net(x).detach();
  const copy = net.clone();
  expect(copy).toBeInstanceOf(Net);
  expect(copy(x).equal(expected)).toBe(true);
  const optimizer = new optim.SGD(copy.parameters(), 0.1);
  copy(x).sum().backward();
  optimizer.step();
  expect(net.parameters().map(({ grad }) => grad)).toEqual(net.parameters().map(() => null));
  expect(net.eval().stateDict()["encoder.weight"]!.equal(copy.encoder.weight)).toBe(false);
});

it("what is there twice is copied once, and lists and objects are the copy's own", () => {
  const net = new Net(1);
  const copy = net.clone();
  expect(copy.tied).toBe(copy.encoder.weight);
  expect(copy.parameters()).toHaveLength(net.parameters().length);
  expect(copy.blocks).not.toBe(net.blocks);
  expect(copy.sizes).toEqual(net.sizes);
  expect(copy.sizes.hidden).not.toBe(net.sizes.hidden);
});

it("counts, modes and frozen parameters stay as they are, gradients do not come along", () => {
  const net = new Net(1);
  net.encoder.weight.requiresGrad_(false);
  net(torch.randn(4, 3)).sum().backward();
  const copy = net.eval().clone();
  expect([copy.called, copy.training, copy.encoder.weight.requiresGrad]).toEqual([1, false, false]);
  expect(copy.parameters().every(({ grad }) => grad === null)).toBe(true);
  expect(copy.stateDict()["blocks.1.num_batches_tracked"]!.item()).toBe(1);
});

it("hooks run for the copy too; one that is added or removed later is of one of them", () => {
  const seen: string[] = [];
  const net = new nn.Linear(2, 2);
  const hook = net.registerForwardHook((module) => void seen.push(module === net ? "net" : "copy"));
  const copy = net.clone();
  hook.remove();
  net(torch.ones(1, 2));
  copy(torch.ones(1, 2));
  expect(seen).toEqual(["copy"]);
});

it("a parametrized layer's copy computes its weight from its own original", () => {
  const layer = nn.utils.parametrizations.weightNorm(new nn.Linear(3, 2)) as nn.Linear;
  const copy = layer.clone();
  const weight = layer.weight.detach().clone();
  torch.noGrad(() => copy.parameters().forEach((parameter) => parameter.mul_(2)));
  expect(layer.weight.equal(weight)).toBe(true);
  expect(copy.weight.allclose(weight.mul(2))).toBe(true);
});

it("a class with a clone() of its own decides for itself, inside of others too", () => {
  class Secret extends nn.Module {
    readonly #factor: number;
    constructor(factor: number) {
      super();
      this.#factor = factor;
    }
    override clone(): this {
      return new Secret(this.#factor) as this;
    }
    forward(x: Tensor): Tensor {
      return x.mul(this.#factor);
    }
  }
  const net = new nn.Sequential(new Secret(3), new nn.Identity());
  expect(net.clone()(torch.ones(2)).tolist()).toEqual([3, 3]);
});

class Private extends nn.Module {
  #factor = 2;
  forward(x: Tensor): Tensor {
    return x.mul(this.#factor);
  }
}
class Arrow extends nn.Module {
  factor = new nn.Parameter(torch.ones(1));
  activation = (x: Tensor) => x.mul(this.factor);
  forward(x: Tensor): Tensor {
    return this.activation(x);
  }
}
class Bound extends nn.Module {
  again = this.forward.bind(this);
  forward(x: Tensor): Tensor {
    return x;
  }
}
class Memory {
  readonly rows = torch.zeros(2);
}
class Remembering extends nn.Module {
  memory = new Memory();
  forward(x: Tensor): Tensor {
    return x.add(this.memory.rows);
  }
}
class Recorded extends nn.Module {
  weight = new nn.Parameter(torch.ones(1));
  cached = this.weight.mul(2);
  forward(): Tensor {
    return this.cached;
  }
}

it.each([
  [
    new Private(),
    "Private.clone: Private has a private field #factor, which a copy cannot have: write it as private factor, or give the class a clone() of its own.",
  ],
  [
    new Arrow(),
    "Arrow.clone: the function in the field activation of Arrow has the original for this, and would have it in a copy: write it as a method.",
  ],
  [
    new nn.Sequential(new Bound()),
    "Sequential.clone: the function in the field again of Bound has the original for this, and would have it in a copy: write it as a method.",
  ],
  [
    new Remembering(),
    "Remembering.clone: a field holds an object of Memory, whose rows the copy would share with the original: give Memory a clone().",
  ],
  [
    new Recorded(),
    "Recorded.clone: a field holds a result that autograd recorded, which belongs to a graph: keep it as detach() gives it.",
  ],
  [
    new nn.LazyLinear(2),
    "LazyLinear.clone: the model has a lazy layer whose tensors have no shape yet; run the model once before.",
  ],
])("what a copy could not do right is refused: %#", (module, message) => {
  expect(() => module.clone()).toThrow(new TypeError(message));
});

it("a function of the field that needs no this is shared", () => {
  const layer = new nn.TransformerEncoderLayer(4, 2, { activation: (x) => x.relu(), dropout: 0 });
  const x = torch.randn(1, 3, 4);
  expect(layer.clone()(x).allclose(layer(x))).toBe(true);
});

it("an object of another class is copied by its own clone(), a typed array by its numbers, and shared where it has neither", () => {
  class Counter {
    constructor(public count = 0) {}
    clone(): Counter {
      return new Counter(this.count);
    }
  }
  class Counting extends nn.Module {
    readonly counter = new Counter(3);
    readonly table = new Float32Array([1, 2]);
    readonly begun = new Date(0);
    forward(x: Tensor): Tensor {
      this.counter.count++;
      return x;
    }
  }
  const net = new Counting();
  const copy = net.clone();
  copy(torch.ones(1));
  copy.table[0] = 9;
  expect([net.counter.count, copy.counter.count, net.table[0], copy.begun]).toEqual([3, 4, 1, net.begun]);
});
