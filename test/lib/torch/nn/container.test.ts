// Sequential: layers by number or name, and the memory between them.
import { describe, expect, it } from "vitest";
import { nn, torch, type Tensor } from "../../../../lib/index.ts";
import { allocatedBytes, collectedBytes } from "../../../helpers/memory.ts";

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
    torch.noGrad(() => model(input)).dispose();
    const before = collectedBytes();
    const output = torch.noGrad(() => model(input));
    expect(allocatedBytes() - before).toBe(output.nbytes);
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
