// Captured training of recurrent layers: equal to the step run as ever, draws included. A GRU multiplies in place what its
// derivative needs; LSTM and RNN do not.
import { describe, expect, it } from "vitest";
import { nn, optim, type Tensor, torch } from "../../../../lib/index.ts";

const INPUT = 4;
const HIDDEN = 8;

/** The layer's last hidden states of a batch [time, batch, INPUT]. */
type Run = (x: Tensor) => Tensor;

const STACKED = { numLayers: 2, bidirectional: true, dropout: 0.5 } as const;

function layers(): Record<string, () => readonly [nn.Module, Run]> {
  const whole = (layer: nn.Module) => [layer, (x: Tensor) => layer(x)[0]] as const;
  const stepwise = (cell: nn.Module) =>
    [
      cell,
      (x: Tensor) => {
        let state: unknown;
        for (const now of x.unbind(0)) state = cell(now, state);
        return (Array.isArray(state) ? state[0] : state) as Tensor;
      },
    ] as const;
  return {
    GRU: () => whole(new nn.GRU(INPUT, HIDDEN)),
    "GRU without bias": () => whole(new nn.GRU(INPUT, HIDDEN, { bias: false })),
    "GRU in two directions and layers, with dropout": () => whole(new nn.GRU(INPUT, HIDDEN, STACKED)),
    LSTM: () => whole(new nn.LSTM(INPUT, HIDDEN, STACKED)),
    RNN: () => whole(new nn.RNN(INPUT, HIDDEN, STACKED)),
    GRUCell: () => stepwise(new nn.GRUCell(INPUT, HIDDEN)),
    LSTMCell: () => stepwise(new nn.LSTMCell(INPUT, HIDDEN)),
    RNNCell: () => stepwise(new nn.RNNCell(INPUT, HIDDEN)),
  };
}

/** Losses and weights of six steps from one seed. */
function train(make: () => readonly [nn.Module, Run], captured: boolean): unknown {
  torch.manualSeed(1);
  const [model, run] = make();
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
  const step = (x: Tensor) => {
    optimizer.zeroGrad();
    const loss = run(x).pow(2).mean();
    loss.backward();
    optimizer.step();
    return loss;
  };
  const used = captured ? torch.capture(step) : step;
  const losses = Array.from({ length: 6 }, () => used(torch.randn([5, 3, INPUT])).item());
  if ("captures" in used) expect(used.captures).toBe(1);
  return [losses, Array.from(model.parameters(), (parameter) => parameter.tolist())];
}

describe("a captured step trains as the step run as ever:", () => {
  it.each(Object.entries(layers()))("%s", (_, make) => {
    expect(train(make, true)).toEqual(train(make, false));
  });
});

it("an operator in place keeps what it overwrites for its derivative", () => {
  const gate = torch.tensor([0.5, 2, 3], { requiresGrad: true });
  const step = (x: Tensor) => {
    const product = x.add(1).mul_(gate);
    return torch.autograd.grad(product.div_(gate.exp()).sum(), [gate])[0]!;
  };
  const captured = torch.capture(step);
  for (let call = 0; call < 5; call++) {
    const x = torch.full([3], call + 0.5);
    expect(captured(x).tolist()).toEqual(step(x).tolist());
  }
});
