// Recurrent layers on the device under test, against the same on the CPU. On CUDA their weights lie in one piece, as
// cuDNN takes them; elsewhere each keeps its own memory.
import { describe, expect, it } from "vitest";
import { nn, optim, torch, type Tensor } from "../../lib/index.ts";
import { device, expectNear } from "./device_under_test.ts";

type Recurrent = nn.LSTM | nn.GRU | nn.RNN;

const LAYERS: Record<string, () => Recurrent> = {
  LSTM: () => new nn.LSTM(3, 4),
  "LSTM of two layers in both directions": () => new nn.LSTM(3, 4, { numLayers: 2, bidirectional: true }),
  "LSTM with a projection": () => new nn.LSTM(3, 4, { projSize: 2 }),
  "LSTM without biases, batch first": () => new nn.LSTM(3, 4, { bias: false, batchFirst: true }),
  GRU: () => new nn.GRU(3, 4, { numLayers: 2 }),
  "RNN with tanh": () => new nn.RNN(3, 4),
  "RNN with relu": () => new nn.RNN(3, 4, { nonlinearity: "relu" }),
};

const input = (): Tensor => torch.randn([5, 2, 3], { device: "cpu" });
const onDevice = (tensor: Tensor): Tensor => tensor.to(device, { copy: true });

function outputOf(layer: Recurrent, sequence: Tensor): Tensor {
  return (layer.forward as (sequence: Tensor) => [Tensor, unknown])(sequence)[0];
}

/** How many pieces of memory the weights lie in. */
function pieces(layer: Recurrent): number {
  return new Set(layer.parameters().map((weight) => weight.untypedStorage().dataPtr)).size;
}

/** Returns how many pieces of memory the weights lie in once the layer has run. */
const expectedPieces = (layer: Recurrent) => (device === "cuda" ? 1 : layer.parameters().length);

function expectAlike(here: Recurrent, there: Recurrent): void {
  const sequence = input();
  const [expected, found] = [outputOf(here, sequence), outputOf(there, onDevice(sequence))];
  expectNear(found.detach(), expected.detach());
  for (const layer of [here, there]) layer.zeroGrad();
  expected.mul(expected.detach().cos()).sum().backward();
  found.mul(found.detach().cos()).sum().backward();
  const gradients = new Map(here.namedParameters());
  for (const [name, parameter] of there.namedParameters())
    expectNear(parameter.grad!, gradients.get(name)!.grad!);
}

describe(`a recurrent layer on ${device}`, () => {
  it.each(Object.entries(LAYERS))(
    "%s gives the CPU's output and gradients, and its weights lie",
    (_, build) => {
      torch.manualSeed(0);
      const here = build();
      const there = build();
      there.loadStateDict(here.stateDict());
      const weights = [...there.parameters()];
      there.to(device);
      expectAlike(here, there);
      expect(pieces(there)).toBe(expectedPieces(there));
      expect([...there.parameters()].every((weight, i) => weight === weights[i])).toBe(true);
    },
  );

  it("keeps its weights together when a state is loaded, and lays them anew when a module around it moves", () => {
    const there = new nn.LSTM(3, 4);
    const around = new nn.ModuleList([there]);
    around.to(device);
    const here = new nn.LSTM(3, 4);
    expectAlike(here, loadInto(there, here));
    around.to("cpu");
    around.to(device);
    expectAlike(here, there);
    expect(pieces(there)).toBe(expectedPieces(there));
  });

  it("trains by an optimizer that was made before its weights were laid together", () => {
    torch.manualSeed(0);
    const here = new nn.GRU(3, 4);
    const there = new nn.GRU(3, 4);
    there.loadStateDict(here.stateDict());
    there.to(device);
    const optimizers = [here, there].map((layer) => new optim.SGD(layer.parameters(), { lr: 0.1 }));
    for (let step = 0; step < 3; step++) {
      expectAlike(here, there);
      for (const optimizer of optimizers) optimizer.step();
    }
    const trained = here.stateDict();
    for (const [name, tensor] of Object.entries(there.stateDict())) expectNear(tensor, trained[name]!);
    expect(pieces(there)).toBe(expectedPieces(there));
  });
});

function loadInto(there: nn.LSTM, here: nn.LSTM): nn.LSTM {
  outputOf(there, onDevice(input()));
  there.loadStateDict(here.stateDict());
  return there;
}
