// Which optimizers a captured step may hold, and that their numbers are never stale.
import { describe, expect, it } from "vitest";
import { type Tensor, functional as F, nn, optim, torch } from "../../../../lib/index.ts";

type Optimizer = optim.Optimizer<{ lr: number }>;
type Make = (parameters: nn.Parameter[]) => Optimizer;

function trained(make: Make) {
  torch.manualSeed(0);
  const model = new nn.Linear(4, 3, { bias: false });
  const optimizer = make([...model.parameters()]);
  const step = (x: Tensor, y: Tensor) => {
    optimizer.zeroGrad();
    const loss = F.mseLoss(model(x), y);
    loss.backward();
    optimizer.step();
    return loss;
  };
  return { model, optimizer, step };
}

const batches = (count: number): [Tensor, Tensor][] =>
  Array.from({ length: count }, () => [torch.rand([5, 4]), torch.rand([5, 3])]);

describe("a captured step gives the bits of the step, also after a new learning rate, with", () => {
  it.each<[string, Make, number]>([
    ["SGD", (parameters) => new optim.SGD(parameters, { lr: 0.1, momentum: 0.9 }), 1],
    ["Adam", (parameters) => new optim.Adam(parameters), 1],
    ["AdamW", (parameters) => new optim.AdamW(parameters), 1],
    // Their numbers are arguments of several operators: a new one captures anew.
    ["RMSprop", (parameters) => new optim.RMSprop(parameters, { momentum: 0.5, centered: true }), 2],
    ["Adadelta", (parameters) => new optim.Adadelta(parameters), 2],
    ["Rprop", (parameters) => new optim.Rprop(parameters), 2],
    ["Muon", (parameters) => new optim.Muon(parameters), 2],
  ])("%s", (_, make, captures) => {
    const [eager, other] = [trained(make), trained(make)];
    const captured = torch.capture(other.step);
    for (const [index, [x, y]] of batches(12).entries()) {
      if (index === 6) for (const { optimizer } of [eager, other]) optimizer.paramGroups[0]!.lr /= 2;
      expect(captured(x, y).item()).toBe(eager.step(x, y).item());
    }
    expect(other.model.weight.tolist()).toEqual(eager.model.weight.tolist());
    expect(captured.captures).toBe(captures);
  });
});

describe("refused, because the host counts or reads:", () => {
  it.each<[string, Make]>([
    ["Adagrad", (parameters) => new optim.Adagrad(parameters)],
    ["Adamax", (parameters) => new optim.Adamax(parameters)],
    ["NAdam", (parameters) => new optim.NAdam(parameters)],
    ["RAdam", (parameters) => new optim.RAdam(parameters)],
    ["ASGD", (parameters) => new optim.ASGD(parameters)],
    ["Adafactor", (parameters) => new optim.Adafactor(parameters)],
    ["SparseAdam", (parameters) => new optim.SparseAdam(parameters)],
  ])("%s", (name, make) => {
    const { step } = trained(make);
    expect(() => torch.capture(step)(torch.rand([5, 4]), torch.rand([5, 3]))).toThrow(
      new TypeError(
        `torch.capture: ${name}.step() computes on the host, which a replay does not: capture with SGD, Adam or AdamW, or call step() outside of the captured step.`,
      ),
    );
  });

  it("LBFGS", () => {
    const { model } = trained((parameters) => new optim.SGD(parameters));
    const optimizer = new optim.LBFGS(model.parameters());
    const step = torch.capture(() => optimizer.step(() => model(torch.ones([1, 4])).sum()));
    expect(step).toThrow("torch.capture: LBFGS.step() computes on the host");
  });
});

it("the state of a parameter whose first gradient comes late is made once", () => {
  const make = () => {
    torch.manualSeed(0);
    const [early, late] = [new nn.Linear(2, 2), new nn.Linear(2, 2)];
    const optimizer = new optim.Adam([...early.parameters(), ...late.parameters()]);
    let calls = 0;
    const step = (x: Tensor) => {
      optimizer.zeroGrad();
      const hidden = early(x);
      const loss = (calls++ < 1 ? hidden : late(hidden)).square().sum();
      loss.backward();
      optimizer.step();
      return loss;
    };
    return { late, step };
  };
  const [eager, other] = [make(), make()];
  const captured = torch.capture(other.step);
  const x = torch.rand([3, 2]);
  for (let call = 0; call < 8; call++) expect(captured(x).item()).toBe(eager.step(x).item());
  expect(other.late.weight.tolist()).toEqual(eager.late.weight.tolist());
  expect([captured.captures, captured.replays]).toEqual([1, 2]);
});
