// What a captured step's layers, optimizers and modes are at a call: a change captures anew, so that no replay repeats
// what was before. Each case trains twice, as ever and captured, and compares every loss and weight.
import { describe, expect, it } from "vitest";
import { type Tensor, functional as F, nn, optim, torch } from "../../../../lib/index.ts";

class Net extends nn.Module {
  first: nn.Module & ((x: Tensor) => Tensor) = new nn.Linear(4, 6);
  norm = new nn.BatchNorm1d(6);
  dropout = new nn.Dropout(0.25);
  last = new nn.Linear(6, 2);
  settings = { scale: 1, useAux: false };
  powers = [1, 2];

  forward(x: Tensor): Tensor {
    const hidden = this.dropout(F.leakyRelu(this.norm(this.first(x)), 0.1));
    const out = F.linear(hidden, this.last.weight, this.last.bias).mul(this.settings.scale);
    return this.settings.useAux
      ? out.add(hidden.sum())
      : this.powers.reduce((y, by) => y.add(out.pow(by)), out);
  }
}

type AnyOptimizer = optim.SGD | optim.Adam;

function training(make: (parameters: nn.Parameter[]) => AnyOptimizer) {
  torch.manualSeed(0);
  const model = new Net();
  const optimizer = make(model.parameters());
  const step = (x: Tensor) => {
    optimizer.zeroGrad();
    const loss = model(x).square().mean();
    loss.backward();
    optimizer.step();
    return loss;
  };
  return { model, optimizer, step };
}

type Training = ReturnType<typeof training>;
type Change = (training: Training, call: number) => void;

/** All losses and weights of 14 calls, with one change before the sixth and another before the tenth. */
function trained(
  make: (parameters: nn.Parameter[]) => AnyOptimizer,
  changes: readonly [Change, Change],
  isCaptured: boolean,
) {
  const all = training(make);
  const captured = torch.capture(all.step, { checkEvery: 0 });
  const losses: number[] = [];
  torch.manualSeed(1);
  for (let call = 0; call < 14; call++) {
    if (call === 5) changes[0](all, call);
    if (call === 9) changes[1](all, call);
    const x = torch.rand([5, 4]);
    losses.push((isCaptured ? captured(x) : all.step(x)).item());
  }
  const state = Object.values(all.model.stateDict()).map((tensor) => (tensor as Tensor).tolist());
  return { losses, state, captures: captured.captures };
}

const adam = (parameters: nn.Parameter[]) => new optim.Adam(parameters, { lr: 0.01 });
const sgd = (parameters: nn.Parameter[]) => new optim.SGD(parameters, { lr: 0.1, momentum: 0.9 });
const plain = (parameters: nn.Parameter[]) => new optim.SGD(parameters, { lr: 0.1 });
const set = (object: object, values: object) => void Object.assign(object, values);
const nothing: Change = () => undefined;

describe("a captured step follows", () => {
  it.each<[string, (parameters: nn.Parameter[]) => AnyOptimizer, Change, Change]>([
    [
      "a frozen parameter, and one that is thawed again",
      sgd,
      ({ model }) => void model.last.weight.requiresGrad_(false),
      ({ model }) => void model.last.weight.requiresGrad_(true),
    ],
    [
      "a frozen model but for its last layer",
      adam,
      ({ model }) => void (model.requiresGrad_(false), model.last.requiresGrad_(true)),
      ({ model }) => void model.requiresGrad_(true),
    ],
    [
      "a dropout's p",
      sgd,
      ({ model }) => set(model.dropout, { p: 0.75 }),
      ({ model }) => set(model.dropout, { p: 0 }),
    ],
    [
      "a norm's eps and momentum",
      sgd,
      ({ model }) => set(model.norm, { eps: 0.5 }),
      ({ model }) => set(model.norm, { momentum: 0.9 }),
    ],
    [
      "one layer that goes over to eval()",
      sgd,
      ({ model }) => void model.norm.eval(),
      ({ model }) => void model.train(),
    ],
    [
      "a layer in place of another, and its parameters in a new group",
      sgd,
      ({ model, optimizer }) => {
        model.first = new nn.Linear(4, 6, { bias: false });
        optimizer.addParamGroup({ params: model.first.parameters(), lr: 0.01 });
      },
      ({ model }) => set(model, { first: new nn.Sequential(new nn.Linear(4, 6), new nn.Tanh()) }),
    ],
    [
      "a parameter in place of another, of a layer that is not called",
      adam,
      ({ model }) => set(model.last, { weight: new nn.Parameter(torch.ones([2, 6])) }),
      ({ model }) => set(model.last, { bias: null }),
    ],
    [
      "a buffer in place of another",
      sgd,
      ({ model }) => set(model.norm, { runningMean: new nn.Buffer(torch.ones([6])) }),
      ({ model }) => void (model.norm.runningMean as Tensor).zero_(),
    ],
    [
      "fields of an object that a layer holds",
      sgd,
      ({ model }) => set(model.settings, { scale: 0.5 }),
      ({ model }) => set(model.settings, { useAux: true }),
    ],
    [
      "a list that a layer holds",
      sgd,
      ({ model }) => void model.powers.push(3),
      ({ model }) => void (model.powers[0] = 2),
    ],
    [
      "a forward in place of another",
      sgd,
      ({ model }) => set(model.norm, { forward: (x: Tensor) => x.mul(2) }),
      ({ model }) => void Reflect.deleteProperty(model.norm, "forward"),
    ],
    [
      "a parametrization, and its removal",
      plain,
      ({ model }) => void nn.utils.parametrizations.weightNorm(model.last, "weight"),
      ({ model }) => void nn.utils.parametrize.removeParametrizations(model.last, "weight"),
    ],
    [
      "maximize",
      adam,
      ({ optimizer }) => set(optimizer.paramGroups[0]!, { maximize: true }),
      ({ optimizer }) => set(optimizer.paramGroups[0]!, { maximize: false }),
    ],
    [
      "amsgrad",
      adam,
      ({ optimizer }) => set(optimizer.paramGroups[0]!, { amsgrad: true }),
      ({ optimizer }) => set(optimizer.paramGroups[0]!, { amsgrad: false }),
    ],
    [
      "nesterov",
      sgd,
      ({ optimizer }) => set(optimizer.paramGroups[0]!, { nesterov: true }),
      ({ optimizer }) => set(optimizer.paramGroups[0]!, { nesterov: false, maximize: true }),
    ],
    [
      "a momentum where there was none",
      plain,
      ({ optimizer }) => set(optimizer.paramGroups[0]!, { momentum: 0.9 }),
      ({ optimizer }) => set(optimizer.paramGroups[0]!, { momentum: 0 }),
    ],
    [
      "an optimizer's state that is cleared, or set",
      adam,
      ({ optimizer }) => optimizer.state.clear(),
      ({ optimizer, model }) => set(optimizer.state.get(model.last.weight)!, { expAvg: torch.ones([2, 6]) }),
    ],
    [
      "a parameter taken out of a group, and a group taken away",
      sgd,
      ({ optimizer }) => void optimizer.paramGroups[0]!.params.shift(),
      ({ optimizer }) => void optimizer.paramGroups.splice(0, 1),
    ],
  ])("%s", (_, make, first, second) => {
    const eager = trained(make, [first, second], false);
    const captured = trained(make, [first, second], true);
    expect(captured.losses).toEqual(eager.losses);
    expect(captured.state).toEqual(eager.state);
    expect(captured.captures).toBeGreaterThan(1);
  });

  it("numbers of an optimizer without a new capture", () => {
    const first: Change = ({ optimizer }) =>
      set(optimizer.paramGroups[0]!, { lr: 0.5, betas: [0.5, 0.9], eps: 0.1 });
    const second: Change = ({ optimizer }) => set(optimizer.paramGroups[0]!, { weightDecay: 0.1 });
    const captured = trained(adam, [first, second], true);
    expect(captured).toEqual({ ...trained(adam, [first, second], false), captures: 1 });
  });

  it("nothing where nothing changed", () => {
    expect(trained(adam, [nothing, nothing], true).captures).toBe(1);
  });
});
