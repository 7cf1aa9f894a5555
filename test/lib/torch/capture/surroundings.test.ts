// What surrounds a captured step at a call: hooks, modes, objects among the arguments, variables, and which tensors lie
// in the same memory. A replay is right, the step is captured anew, or there is an error.
import { afterEach, describe, expect, it } from "vitest";
import { type Tensor, nn, optim, torch } from "../../../../lib/index.ts";
import { cellEnded, cellStarted } from "../../../../lib/session.ts";

interface Compared {
  readonly step: (...args: never[]) => Tensor;
  readonly args: (call: number) => readonly unknown[];
  readonly change?: (call: number) => void;
}

/** Compares the results of the step as ever and captured, called with the same arguments after the same changes. */
function compared(make: () => Compared) {
  const results = (isCaptured: boolean) => {
    torch.manualSeed(0);
    const { step, args, change } = make();
    const captured = torch.capture(step as (...args: unknown[]) => Tensor, { checkEvery: 0 });
    const values: unknown[] = [];
    for (let call = 0; call < 9; call++) {
      change?.(call);
      values.push((isCaptured ? captured(...args(call)) : step(...(args(call) as never[]))).tolist());
    }
    return { values, captured };
  };
  const { captured, values } = results(true);
  expect(values).toEqual(results(false).values);
  return captured;
}

function training() {
  torch.manualSeed(0);
  const model = new nn.Linear(4, 3);
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.1, momentum: 0.9 });
  const step = (x: Tensor) => {
    optimizer.zeroGrad();
    const loss = model(x).square().mean();
    loss.backward();
    optimizer.step();
    return loss;
  };
  return { model, optimizer, step };
}

describe("a hook that is registered after the capture is refused at the next call, and none once it is removed:", () => {
  it.each<[string, (all: ReturnType<typeof training>) => { remove(): void }, string]>([
    ["a forward hook", ({ model }) => model.registerForwardHook(() => undefined), "Linear has a hook"],
    ["a backward hook", ({ model }) => model.registerFullBackwardHook(() => undefined), "Linear has a hook"],
    [
      "an optimizer's hook",
      ({ optimizer }) => optimizer.registerStepPostHook(() => undefined),
      "a hook on SGD.step() is JavaScript",
    ],
    [
      "a parameter's hook",
      ({ model }) => model.weight.registerHook((gradient) => gradient.mul(2)),
      "a tensor's hook is JavaScript",
    ],
    [
      "a hook after accumulation",
      ({ model }) => model.weight.registerPostAccumulateGradHook(() => undefined),
      "a tensor's hook is JavaScript",
    ],
  ])("%s", (_, register, words) => {
    const all = training();
    const captured = torch.capture(all.step, { checkEvery: 0 });
    const x = torch.rand([2, 4]);
    for (let call = 0; call < 5; call++) captured(x);
    const hook = register(all);
    expect(() => captured(x)).toThrow(words);
    hook.remove();
    for (let call = 0; call < 3; call++) captured(x);
    expect([captured.captures, captured.replays]).toEqual([1, 6]);
  });
});

describe("a capture holds for", () => {
  afterEach(() => torch.setDefaultDtype("float32"));

  it("one default dtype", () => {
    const captured = compared(() => ({
      step: (x: Tensor) => x.add(torch.ones([2]).mul(0.1)),
      args: () => [torch.ones([2], { dtype: "float64" })],
      change: (call) => torch.setDefaultDtype(call === 5 ? "float64" : "float32"),
    }));
    expect(captured.captures).toBe(2);
  });

  it("one device of an argument, also where there are no elements", () => {
    const captured = compared(() => ({
      step: (x: Tensor) => torch.zeros([x.mul(2).shape[0]!]).add(x.device === "meta" ? 1 : 2),
      args: (call) => [torch.ones([2], { device: call % 2 === 0 ? "meta" : "cpu" })],
    }));
    expect(captured.captures).toBe(2);
  });

  it("the elements of a typed array", () => {
    const array = new Float32Array([1, 2]);
    const captured = compared(() => ({
      step: (x: Tensor, by: Float32Array) => x.mul(torch.tensor([...by])),
      args: (call) => {
        array[0] = call > 5 ? 7 : 1;
        return [torch.ones([2]), array];
      },
    }));
    expect(captured.captures).toBe(2);
  });

  it("the fields of an object of a class, and the model that is an argument", () => {
    class Settings {
      scale = 1;
      deep = { powers: [1, 2] };
    }
    const captured = compared(() => {
      const [settings, model] = [new Settings(), new nn.Linear(2, 2)];
      return {
        step: (x: Tensor, given: Settings, layer: nn.Linear) =>
          layer(x).mul(given.scale).pow(given.deep.powers[1]!).add(layer.weight.sum()),
        args: () => [torch.ones([2]), settings, model],
        change: (call) => {
          if (call === 4) settings.scale = 2;
          if (call === 5) settings.deep.powers[1] = 3;
          if (call === 6) model.weight = new nn.Parameter(torch.ones([2, 2]));
        },
      };
    });
    expect(captured.captures).toBe(4);
  });

  it("one value of a bigint", () => {
    const captured = compared(() => ({
      step: (x: Tensor, by: bigint) => x.mul(Number(by)),
      args: (call) => [torch.ones([1]), call < 5 ? 2n : 3n],
    }));
    expect(captured.captures).toBe(2);
  });
});

describe("tensors that lay in the same memory when the step was captured are told apart later:", () => {
  it("an argument that was a part of another tensor", () => {
    compared(() => {
      const table = torch.rand([4, 3]);
      return {
        step: (x: Tensor) => x.add(table.sum()),
        args: (call) => [call < 5 ? table.select(0, 0) : torch.ones([3])],
      };
    });
  });

  it("an argument that was a gradient", () => {
    compared(() => {
      const weight = torch.ones([2]).requiresGrad_();
      weight.grad = torch.ones([2]);
      return {
        step: (x: Tensor) => x.add(weight.grad!.mul(2)),
        args: (call) => [call < 5 ? weight.grad! : torch.full([2], 5)],
      };
    });
  });

  it("two gradients that were one", () => {
    compared(() => {
      const [a, b] = [torch.ones([2]).requiresGrad_(), torch.ones([2]).requiresGrad_()];
      return {
        step: () => {
          a.grad!.add_(1);
          return b.grad!.clone();
        },
        args: () => [],
        change: (call) => {
          a.grad = torch.ones([2]);
          b.grad = call < 5 ? a.grad : torch.ones([2]);
        },
      };
    });
  });

  it("a gradient that lies otherwise", () => {
    compared(() => {
      const weight = torch.ones([3, 4]).requiresGrad_();
      const optimizer = new optim.SGD([weight], { lr: 0.1, momentum: 0.9 });
      return {
        step: () => {
          nn.utils.clipGradNorm_([weight], 0.5);
          optimizer.step();
          return weight.detach().clone();
        },
        args: () => [],
        change: (call) => {
          const gradient = torch.arange(12).float();
          weight.grad = call < 5 ? gradient.view([3, 4]) : gradient.view([4, 3]).t();
        },
      };
    });
  });
});

it("what another cell set in a variable is found in the first call of a cell", () => {
  let by = 1;
  const scaled = torch.capture((x: Tensor) => x.mul(by));
  const x = torch.ones([1]);
  try {
    cellStarted("Cell [1]");
    for (let call = 0; call < 40; call++) scaled(x);
    cellStarted("Cell [2]");
    by = 2;
    cellStarted("Cell [3]");
    expect(() => scaled(x)).toThrow("the step uses 2, and used 1");
    for (let call = 0; call < 5; call++) expect(scaled(x).item()).toBe(2);
  } finally {
    cellEnded();
  }
});

it("another model and optimizer in the same variables are found at once", () => {
  const make = () => {
    const model = new nn.Linear(1, 1);
    return { model, optimizer: new optim.SGD(model.parameters(), { lr: 0.1 }) };
  };
  let all = make();
  const captured = torch.capture((x: Tensor) => {
    all.optimizer.zeroGrad();
    const loss = all.model(x).square().sum();
    loss.backward();
    all.optimizer.step();
    return loss;
  });
  const x = torch.ones([1]);
  for (let call = 0; call < 40; call++) captured(x);
  all = make();
  expect(() => captured(x)).toThrow("uses another float32 [1, 1]");
  for (let call = 0; call < 40; call++) captured(x);
  all.optimizer = new optim.SGD(all.model.parameters(), { lr: 0.1, momentum: 0.9 });
  expect(() => captured(x)).toThrow(/^torch\.capture: \d+ calls after its capture the step /);
});

it("layers that a step freezes and thaws, or switches between modes, are captured once", () => {
  const captured = compared(() => {
    const model = new nn.Sequential(new nn.Linear(4, 4), new nn.Dropout(0.5));
    return {
      step: (x: Tensor) => {
        model.requiresGrad_(false);
        model.eval();
        const before = model(x);
        model.requiresGrad_(true);
        model.train();
        return model(x).add(before).detach();
      },
      args: (call) => [torch.full([4], call, { dtype: "float32" })],
    };
  });
  expect([captured.captures, captured.replays]).toEqual([1, 7]);
});

it("a warning tells of a model that changes with each call, and the results are right", async () => {
  const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
  const model = new nn.Linear(1, 1, { bias: false });
  const losses: number[] = [];
  Object.assign(model, { losses });
  const captured = torch.capture((x: Tensor) => model(x).div(model.weight));
  for (let call = 0; call < 20; call++)
    losses.push(captured(torch.full([1], call, { dtype: "float32" })).item());
  expect((await warned).message).toMatch(/^torch\.capture: 16 calls in a row were captured anew/);
  // Zero by a negative weight is -0, and the weight is drawn.
  expect(losses.map((loss) => Math.round(loss) + 0)).toEqual(Array.from({ length: 20 }, (_, call) => call));
});

it("fields that a forward sets do not capture anew", () => {
  class Counting extends nn.Module {
    linear = new nn.Linear(2, 2);
    calls = 0;
    forward(x: Tensor): Tensor {
      this.calls++;
      return this.linear(x);
    }
  }
  const captured = compared(() => {
    const model = new Counting();
    return { step: (x: Tensor) => model(x).detach(), args: () => [torch.ones([2])] };
  });
  expect(captured.captures).toBe(1);
});
