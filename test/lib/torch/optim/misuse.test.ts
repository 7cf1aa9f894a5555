// Each optimizer with each wrong thing: unknown options, NaN, negative numbers, wrong kinds; and averages of weights.
import { describe, expect, it } from "vitest";
import { optim, torch, type Tensor } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

function thrownBy(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error("It was not refused.");
}

type Make = (params: never, options?: never) => unknown;

const MATRIX = [torch.zeros([2, 2]).requiresGrad_()];

const OPTIMIZERS: Record<string, Make> = {
  SGD: (p, o) => new optim.SGD(p, o),
  Adam: (p, o) => new optim.Adam(p, o),
  AdamW: (p, o) => new optim.AdamW(p, o),
  RMSprop: (p, o) => new optim.RMSprop(p, o),
  Adagrad: (p, o) => new optim.Adagrad(p, o),
  Adadelta: (p, o) => new optim.Adadelta(p, o),
  Adamax: (p, o) => new optim.Adamax(p, o),
  NAdam: (p, o) => new optim.NAdam(p, o),
  RAdam: (p, o) => new optim.RAdam(p, o),
  ASGD: (p, o) => new optim.ASGD(p, o),
  Rprop: (p, o) => new optim.Rprop(p, o),
  LBFGS: (p, o) => new optim.LBFGS(p, o),
  Adafactor: (p, o) => new optim.Adafactor(p, o),
  SparseAdam: (p, o) => new optim.SparseAdam(p, o),
  Muon: (p, o) => new optim.Muon(p, o),
};

describe.each(Object.entries(OPTIMIZERS))("optim.%s", (name, make) => {
  it("refuses an unknown option, and what is no learning rate", () => {
    const unknown = thrownBy(() => make(MATRIX as never, { learningRate: 1 } as never));
    expect(unknown.name).toBe("TypeError");
    expect(unknown.message).toContain(`new optim.${name}: unknown option "learningRate"; it takes lr`);
    for (const wrong of [[0.1], "fast", true])
      expect(thrownBy(() => make(MATRIX as never, wrong as never)).name).toBe("TypeError");
  });

  it("refuses learning rates that are NaN, negative or no numbers", () => {
    for (const [wrong, kind] of [
      [NaN, "RangeError"],
      [-1, "RangeError"],
      ["0.1", "TypeError"],
      [null, "TypeError"],
      [torch.ones([1]), "TypeError"],
    ] as const) {
      const error = thrownBy(() => make(MATRIX as never, { lr: wrong } as never));
      expect(error.name).toBe(kind);
      expect(error.message).toContain("lr must be");
    }
  });

  it("refuses parameters that are none", () => {
    for (const wrong of [undefined, 3, [], [3], torch.ones([1]), [torch.zeros([2], { dtype: "int64" })]])
      expect(["TypeError", "RangeError"]).toContain(thrownBy(() => make(wrong as never)).name);
  });
});

const weight = () => [torch.zeros([2, 2]).requiresGrad_()];

function stepWith(optimizer: { step(): void }, parameter: Tensor, grad: Tensor): void {
  parameter.grad = grad;
  optimizer.step();
}

describe("an optimizer", () => {
  refuses([
    [
      "betas of 1",
      () => new optim.Adamax(weight(), { betas: [0.9, 1] }),
      "RangeError",
      "new optim.Adamax: betas[1] must be at least 0 and below 1, got 1.",
    ],
    [
      "one beta",
      () => new optim.NAdam(weight(), { betas: [0.9] as never }),
      "TypeError",
      "new optim.NAdam: betas must be two numbers, got [0.9].",
    ],
    [
      "a shrinking eta above 1",
      () => new optim.Rprop(weight(), { etas: [1.5, 2] }),
      "RangeError",
      "new optim.Rprop: etas[0] must be at least 5e-324 and below 1, got 1.5.",
    ],
    [
      "a line search of another kind",
      () => new optim.LBFGS(weight(), { lineSearchFn: "wolfe" as never }),
      "TypeError",
      'new optim.LBFGS: lineSearchFn must be "strongWolfe" or null, got "wolfe".',
    ],
    [
      "LBFGS without a closure",
      () => new optim.LBFGS(weight()).step(),
      "TypeError",
      "LBFGS.step: expected a function that clears the gradients, computes the loss, calls backward() and returns the loss, got undefined.",
    ],
    [
      "two groups for LBFGS",
      () => new optim.LBFGS(weight()).addParamGroup({ params: weight() }),
      "TypeError",
      "LBFGS: it takes one group of parameters, since it sees all of them as one vector.",
    ],
    [
      "a vector for Muon",
      () => new optim.Muon([torch.zeros([3]).requiresGrad_()]),
      "RangeError",
      "Muon: parameter 0 has shape [3]; it trains matrices alone. Give the others to optim.AdamW.",
    ],
    [
      "a hundred of Muon's iterations",
      () => new optim.Muon(weight(), { nsSteps: 100 }),
      "RangeError",
      "Muon: nsSteps must be below 100, got 100.",
    ],
    [
      "an eps of Adafactor that is one number",
      () => new optim.Adafactor(weight(), { eps: 1e-3 as never }),
      "TypeError",
      "new optim.Adafactor: eps must be two numbers of at least 0, the first of which may be null, got 0.001.",
    ],
    [
      "dense gradients for SparseAdam",
      () => {
        const [p] = weight();
        stepWith(new optim.SparseAdam([p!]), p!, torch.ones([2, 2]));
      },
      "TypeError",
      "SparseAdam.step: parameter 0 has a dense gradient; optim.Adam takes those.",
    ],
    [
      "sparse gradients for Adam, before it counts a step",
      () => {
        const [p] = weight();
        stepWith(new optim.Adam([p!]), p!, torch.ones([2, 2]).toSparse());
      },
      "TypeError",
      "Adam.step: parameter 0 has a sparse gradient; optim.SparseAdam, SGD and Adagrad take those.",
    ],
    [
      "sparse gradients for Muon",
      () => {
        const [p] = weight();
        stepWith(new optim.Muon([p!]), p!, torch.ones([2, 2]).toSparse());
      },
      "TypeError",
      "Muon.step: parameter 0 has a sparse gradient; optim.SparseAdam, SGD and Adagrad take those.",
    ],
    [
      "sparse gradients for RMSprop",
      () => {
        const [p] = weight();
        stepWith(new optim.RMSprop([p!]), p!, torch.ones([2, 2]).toSparse());
      },
      "TypeError",
      "RMSprop.step: parameter 0 has a sparse gradient; optim.SparseAdam, SGD and Adagrad take those.",
    ],
    [
      "sparse gradients with momentum",
      () => {
        const [p] = weight();
        stepWith(new optim.SGD([p!], { momentum: 0.9 }), p!, torch.ones([2, 2]).toSparse());
      },
      "TypeError",
      "SGD.step: sparse gradients take neither momentum nor weightDecay; put those parameters in a group without.",
    ],
    [
      "another optimizer's state",
      () => new optim.Rprop(weight()).loadStateDict(new optim.ASGD(weight()).stateDict()),
      "TypeError",
      'Rprop.loadStateDict: the groups of the state have no "etas"; it is another optimizer\'s. Nothing was loaded.',
    ],
  ]);
});

describe("the state of L-BFGS", () => {
  const stepped = () => {
    const weights = [torch.ones([2, 2]).requiresGrad_(), torch.ones([3]).requiresGrad_()];
    const optimizer = new optim.LBFGS(weights, { lr: 0.3, maxIter: 4 });
    const step = () =>
      optimizer.step(() => {
        optimizer.zeroGrad();
        const loss = weights[0]!.pow(4).sum().add(weights[1]!.pow(2).sum());
        loss.backward();
        return loss;
      });
    step();
    return { weights, optimizer, step };
  };

  it("goes on to the same weights over several parameters, and outlives the step after it was taken", () => {
    const [first, second] = [stepped(), stepped()];
    const saved = first.optimizer.stateDict();
    first.step();
    first.step();
    second.optimizer.loadStateDict(saved);
    second.step();
    second.step();
    for (const [i, weight] of first.weights.entries())
      expect(second.weights[i]!.tolist()).toEqual(weight.tolist());
  });

  const changed = (change: Record<string, unknown>) => {
    const { state, ...rest } = stepped().optimizer.stateDict();
    return { ...rest, state: { 0: { ...state[0], ...change } } } as optim.OptimizerStateDict;
  };
  const load = (state: optim.OptimizerStateDict) => () => stepped().optimizer.loadStateDict(state);

  refuses([
    [
      "a direction over other parameters",
      load(changed({ d: torch.zeros([6]) })),
      "RangeError",
      "LBFGS.loadStateDict: d is [6] in the state, the parameters are [7] together. Nothing was loaded.",
    ],
    [
      "a history without its other half",
      load(changed({ old_dirs: [] })),
      "RangeError",
      "LBFGS.loadStateDict: the state has 0 old_dirs and 3 old_stps. Nothing was loaded.",
    ],
    [
      "a number for a vector",
      load(changed({ prev_flat_grad: 3 })),
      "TypeError",
      "LBFGS.loadStateDict: prev_flat_grad must be a tensor, got 3.",
    ],
    [
      "another optimizer's state",
      () => {
        const [weight] = stepped().weights;
        const adam = new optim.Adam([weight!]);
        weight!.sum().backward();
        adam.step();
        new optim.LBFGS([weight!]).loadStateDict(adam.stateDict());
      },
      "TypeError",
      "LBFGS.loadStateDict: n_iter must be an integer, got undefined.",
    ],
  ]);
});
