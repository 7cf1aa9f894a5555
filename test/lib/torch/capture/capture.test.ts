// torch.capture on the CPU: what is frozen and what is followed, what is refused, and how arguments are told apart.
import { describe, expect, it } from "vitest";
import { type Tensor, autograd, functional as F, nn, optim, torch } from "../../../../lib/index.ts";

const thrown = (run: () => unknown): Error => {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
};

describe("JavaScript numbers in a step", () => {
  it("are frozen, and the check names the one that changed", () => {
    let n = 0;
    const scaled = torch.capture((x: Tensor) => x.mul(n++ < 3 ? 0.1 : 1), { checkEvery: 5 });
    const x = torch.ones([2]);
    const value = () => Number((scaled(x).at(0).item() as number).toFixed(3));
    expect(Array.from({ length: 4 }, value)).toEqual([0.1, 0.1, 0.1, 0.1]);
    const { message } = thrown(() => scaled(x));
    expect(message).toMatch(
      /^torch\.capture: 2 calls after its capture the step uses 1, and used 0\.1, at .*capture\.test\.ts:\d+:\d+\. A replay repeats/,
    );
    // The capture that was wrong is gone.
    expect(Array.from({ length: 4 }, value)).toEqual([1, 1, 1, 1]);
  });

  it("that change later are found after at most as many calls as went before", () => {
    let by = 1;
    const scaled = torch.capture((x: Tensor) => x.mul(by));
    const x = torch.ones([1]);
    const firstError = (): number => {
      for (let call = 1; ; call++) {
        try {
          scaled(x);
        } catch {
          return call;
        }
      }
    };
    for (let call = 0; call < 12; call++) scaled(x);
    by = 2;
    expect(firstError()).toBe(7);
    for (let call = 0; call < 150; call++) scaled(x);
    by = 3;
    expect(firstError()).toBeLessThanOrEqual(100);
  });

  it("that an operator takes by name are named", () => {
    let alpha = 1;
    const added = torch.capture((x: Tensor) => x.add(x, { alpha }), { checkEvery: 2 });
    const x = torch.ones([1]);
    for (let call = 0; call < 4; call++) added(x);
    alpha = 3;
    expect(thrown(() => added(x)).message).toContain(
      "calls add with alpha = 3, and called it with alpha = 1",
    );
  });

  it("that make a tensor are compared by their elements", () => {
    let values = [1, 2];
    const added = torch.capture((x: Tensor) => x.add(torch.tensor(values)), { checkEvery: 2 });
    const x = torch.zeros([2]);
    for (let call = 0; call < 4; call++) added(x);
    values = [1, 5];
    expect(thrown(() => added(x)).message).toContain("uses other numbers in a int64 [2]");
  });

  it("are not checked where checkEvery is 0", () => {
    let n = 0;
    const scaled = torch.capture((x: Tensor) => x.mul(++n), { checkEvery: 0 });
    const x = torch.ones([1]);
    expect(Array.from({ length: 200 }, () => scaled(x).item()).slice(-2)).toEqual([2, 2]);
    expect(n).toBe(2);
  });

  it("that are arguments capture anew", () => {
    const scaled = torch.capture((x: Tensor, by: number) => x.mul(by));
    const x = torch.ones([1]);
    for (const by of [2, 2, 2, 3, 3, 3, 2]) expect(scaled(x, by).item()).toBe(by);
    expect(scaled.captures).toBe(2);
  });
});

describe("a tensor that the step does not get as an argument", () => {
  it("is followed where it is changed in place", () => {
    const weight = torch.ones([2]);
    const weighted = torch.capture((x: Tensor) => x.mul(weight));
    for (let call = 1; call <= 6; call++) {
      weight.fill_(call);
      expect(weighted(torch.ones([2])).tolist()).toEqual([call, call]);
    }
  });

  it("is found out where another took its place", () => {
    let hidden = torch.zeros([2]);
    const step = torch.capture((x: Tensor) => {
      hidden = hidden.add(x);
      return hidden;
    });
    const x = torch.ones([2]);
    step(x);
    step(x);
    expect(thrown(() => step(x)).message).toContain("uses another float32 [2]");
  });

  it("is told where it was disposed of", () => {
    const weight = torch.ones([2]);
    const weighted = torch.capture((x: Tensor) => x.mul(weight));
    for (let call = 0; call < 4; call++) weighted(torch.ones([2]));
    weight.dispose();
    expect(thrown(() => weighted(torch.ones([2])))).toMatchObject({
      name: "UseAfterDisposeError",
      message:
        "torch.capture: the step uses a float32 [2] that was disposed since it was captured: keep it, or pass it as an argument.",
    });
  });

  it("captures anew where its optimizer loaded a state", () => {
    const make = () => {
      torch.manualSeed(0);
      const model = new nn.Linear(2, 1);
      const optimizer = new optim.Adam(model.parameters());
      const step = (x: Tensor) => {
        optimizer.zeroGrad();
        const loss = model(x).sum();
        loss.backward();
        optimizer.step();
        return loss;
      };
      return { optimizer, step };
    };
    const [eager, other] = [make(), make()];
    const captured = torch.capture(other.step);
    const x = torch.rand([3, 2]);
    for (let call = 0; call < 12; call++) {
      if (call === 6)
        for (const { optimizer } of [eager, other]) optimizer.loadStateDict(optimizer.stateDict());
      expect(captured(x).item()).toBe(eager.step(x).item());
    }
    expect(captured.captures).toBe(2);
  });
});

describe("arguments and results", () => {
  it("may be lists and objects of tensors", () => {
    const step = torch.capture(({ a, b }: { a: Tensor; b: readonly Tensor[] }) => ({
      sum: a.add(b[0]!),
      all: [b[1]!.neg(), "text", 3] as const,
    }));
    for (let call = 1; call <= 5; call++) {
      const result = step({ a: torch.full([1], call), b: [torch.full([1], 2), torch.full([1], call)] });
      expect([result.sum.item(), result.all[0].item(), result.all[1], result.all[2]]).toEqual([
        call + 2,
        -call,
        "text",
        3,
      ]);
    }
    expect(step.captures).toBe(1);
  });

  it("of another dtype, strides or grad mode capture anew", () => {
    const double = torch.capture((x: Tensor) => x.mul(2));
    const square = torch.rand([3, 3]);
    for (const x of [square, square.double(), square.t()])
      for (let call = 0; call < 3; call++) expect(double(x).tolist()).toEqual(x.mul(2).tolist());
    torch.noGrad(() => {
      for (let call = 0; call < 3; call++) double(square);
    });
    expect(double.captures).toBe(4);
  });

  it("that share memory are told from those that do not", () => {
    const step = torch.capture((a: Tensor, b: Tensor) => {
      a.add_(1);
      return b.mul(1);
    });
    const eager = (a: Tensor, b: Tensor) => {
      a.add_(1);
      return b.mul(1);
    };
    const twins = () => Array.from({ length: 2 }, () => torch.zeros([2]));
    for (let call = 0; call < 4; call++) {
      const [x, y] = twins() as [Tensor, Tensor];
      expect(step(x, x).tolist()).toEqual([1, 1]);
      expect(step(x, y).tolist()).toEqual(eager(x, y).tolist());
    }
  });

  it("have no graph, from the first call on", () => {
    const weight = torch.ones([2]).requiresGrad_();
    const step = torch.capture((x: Tensor) => x.mul(weight).sum());
    for (let call = 0; call < 4; call++) expect(step(torch.ones([2])).requiresGrad).toBe(false);
  });

  it("reset() captures anew", () => {
    const double = torch.capture((x: Tensor) => x.mul(2));
    const x = torch.ones([1]);
    for (let call = 0; call < 4; call++) double(x);
    double.reset();
    for (let call = 0; call < 4; call++) expect(double(x).item()).toBe(2);
    expect([double.captures, double.replays]).toEqual([2, 2]);
  });
});

it("a gradient by a value in the step is the same", () => {
  const weight = torch.rand([3]).requiresGrad_();
  const run = (x: Tensor) => autograd.grad([x.mul(weight).square().sum()], [weight])[0]!;
  const captured = torch.capture(run);
  for (let call = 0; call < 5; call++) {
    const x = torch.rand([3]);
    expect(captured(x).tolist()).toEqual(run(x).tolist());
  }
});

it("autocast inside of the step casts in each replay", () => {
  const model = new nn.Linear(4, 4);
  const run = (x: Tensor) => torch.autocast({ deviceType: "cpu", dtype: "bfloat16" }, () => model(x));
  const captured = torch.capture(run);
  for (let call = 0; call < 5; call++) {
    const x = torch.rand([2, 4]);
    expect(captured(x).tolist()).toEqual(run(x).tolist());
    torch.noGrad(() => model.weight.mul_(1.5));
  }
});

it("a captured step inside of another is part of it", () => {
  const inner = torch.capture((x: Tensor) => x.mul(2));
  const outer = torch.capture((x: Tensor) => inner(x).add(1));
  for (let call = 0; call < 5; call++) expect(outer(torch.full([1], call)).item()).toBe(2 * call + 1);
  expect([inner.captures, outer.captures]).toEqual([0, 1]);
});

it("an error of the step passes, and leaves nothing half captured", () => {
  let fails = true;
  const step = torch.capture((x: Tensor) => {
    if (fails) throw new RangeError("not yet");
    return x.mul(2);
  });
  expect(() => step(torch.ones([1]))).toThrow(RangeError);
  fails = false;
  for (let call = 0; call < 4; call++) expect(step(torch.ones([1])).item()).toBe(2);
});

describe("refused, with the operator and the way out:", () => {
  const x = torch.tensor([1, -2, 3.5]);
  const leaf = torch.ones([3]).requiresGrad_();
  const hooked = new nn.Linear(3, 3);
  hooked.registerForwardHook(() => undefined);
  const model = new nn.Linear(3, 1);
  const plateau = new optim.lrScheduler.ReduceLROnPlateau(new optim.SGD(model.parameters()));
  const counted = new optim.SGD(model.parameters());
  counted.registerStepPreHook(() => undefined);
  const own = new torch.Generator();

  it.each<[string, () => unknown, string]>([
    [
      "maskedSelect",
      () => x.maskedSelect(x.gt(0)),
      "maskedSelect gives a tensor whose size depends on the elements",
    ],
    [
      "a shape that depends on data and is read",
      () => {
        const m = x.maskedSelect(x.gt(0));
        return m.div(m.shape[0]!);
      },
      "maskedSelect gives a tensor whose size depends",
    ],
    [
      "an index that is a mask",
      () => x.at(x.gt(0)),
      "indexing with a mask gives a tensor whose size depends",
    ],
    ["nonzero", () => torch.nonzero(x), "nonzero gives a tensor whose size depends"],
    ["unique", () => torch.unique(x), "unique2 gives a tensor whose size depends"],
    ["item()", () => x.sum().item(), "the step reads elements on the host"],
    ["tolist()", () => x.mul(2).tolist(), "the step reads elements on the host"],
    ["printing", () => String(x.mul(2)), "the step reads elements on the host"],
    ["equal", () => torch.equal(x, x), "equal reads elements on the host"],
    [
      "a tensor's hook",
      () => {
        const y = leaf.mul(2);
        y.registerHook(() => undefined);
        y.sum().backward();
      },
      "a tensor's hook is JavaScript",
    ],
    ["a module's hook", () => hooked(x), "Linear has a hook, which is JavaScript"],
    ["an optimizer's hook", () => counted.step(), "a hook on SGD.step() is JavaScript"],
    [
      "a generator of its own",
      () => torch.rand([2], { generator: own }),
      "rand draws from a generator of its own",
    ],
    ["seeding", () => torch.manualSeed(0), "the state of a generator was set"],
    [
      "a schedule that reads a metric",
      () => plateau.step(1),
      "ReduceLROnPlateau.step reads a metric on the host",
    ],
    [
      "a promise",
      async () => x,
      "torch.capture cannot wait: its function returned a promise, and a replay waits for nothing",
    ],
    ["a sparse result", () => F.relu(x).toSparse(), "toSparse"],
  ])("%s", (_, step, words) => {
    const error = thrown(() => torch.capture(step as () => Tensor)());
    expect(error).toMatchObject({
      name: "TypeError",
      message: expect.stringMatching(/^torch\.capture(:| cannot wait:) /),
    });
    expect(error.message).toContain(words);
  });

  it("the error's line is the operator's", () => {
    const step = torch.capture(() => {
      const mask = x.gt(0);
      return x.maskedSelect(mask);
    });
    expect(thrown(step).stack).toMatch(/capture\.test\.ts:\d+/);
  });
});

describe("misuse", () => {
  it.each<[string, unknown, unknown, string]>([
    ["no function", 3, undefined, "torch.capture"],
    ["a tensor", torch.ones([1]), undefined, "torch.capture"],
    ["options that are none", () => 1, 3, "torch.capture"],
    ["an option that there is not", () => 1, { every: 3 }, "every"],
    ["a negative checkEvery", () => 1, { checkEvery: -1 }, "checkEvery"],
    ["a checkEvery that is no integer", () => 1, { checkEvery: 1.5 }, "checkEvery"],
  ])("%s", (_, step, options, words) => {
    const { message } = thrown(() => torch.capture(step as () => unknown, options as never));
    expect(message).toContain(words);
  });
});
