// Every layer against PyTorch: from equal seeds equal weights, equal outputs and gradients, and equal weights again
// after ten steps of SGD.
import { describe, expect, it } from "vitest";
import { nn, optim, torch } from "../../../../lib/index.ts";
import { expectClose, expectSame, fixtures } from "./recorded.ts";

const LAYERS: Record<string, () => nn.Layer> = {
  "Linear(3, 4)": () => new nn.Linear(3, 4),
  "Linear(3, 4, bias=false)": () => new nn.Linear(3, 4, { bias: false }),
  "Conv1d(2, 4, 3)": () => new nn.Conv1d(2, 4, 3, { stride: 2, padding: 1 }),
  "Conv2d(2, 4, 3)": () => new nn.Conv2d(2, 4, 3),
  "Conv2d(4, 4, [3, 2], ...)": () =>
    new nn.Conv2d(4, 4, [3, 2], { stride: 2, padding: [1, 2], dilation: 2, groups: 2, bias: false }),
  "Conv2d(2, 3, 3, same)": () => new nn.Conv2d(2, 3, 3, { padding: "same" }),
  "Conv2d(2, 3, 3, reflect)": () => new nn.Conv2d(2, 3, 3, { padding: [1, 2], paddingMode: "reflect" }),
  "Conv3d(1, 2, 2)": () => new nn.Conv3d(1, 2, 2),
  "MaxPool1d(2)": () => new nn.MaxPool1d(2),
  "MaxPool2d(2)": () => new nn.MaxPool2d(2),
  "MaxPool2d(3, ...)": () => new nn.MaxPool2d(3, { stride: 2, padding: 1, ceilMode: true }),
  "MaxPool3d(2)": () => new nn.MaxPool3d(2),
  "AvgPool1d(2)": () => new nn.AvgPool1d(2),
  "AvgPool2d(2, ...)": () => new nn.AvgPool2d(2, { padding: 1, countIncludePad: false }),
  "AvgPool3d(2)": () => new nn.AvgPool3d(2),
  "AdaptiveAvgPool2d([2, 3])": () => new nn.AdaptiveAvgPool2d([2, 3]),
  "ReLU()": () => new nn.ReLU(),
  "ReLU6()": () => new nn.ReLU6(),
  "Sigmoid()": () => new nn.Sigmoid(),
  "Tanh()": () => new nn.Tanh(),
  "SiLU()": () => new nn.SiLU(),
  "Mish()": () => new nn.Mish(),
  "SELU()": () => new nn.SELU(),
  "Hardswish()": () => new nn.Hardswish(),
  "Hardsigmoid()": () => new nn.Hardsigmoid(),
  "LogSigmoid()": () => new nn.LogSigmoid(),
  "GELU()": () => new nn.GELU(),
  "GELU(tanh)": () => new nn.GELU({ approximate: "tanh" }),
  "LeakyReLU(0.2)": () => new nn.LeakyReLU(0.2),
  "ELU(0.5)": () => new nn.ELU(0.5),
  "Softplus(2)": () => new nn.Softplus(2),
  "PReLU()": () => new nn.PReLU(),
  "Softmax(1)": () => new nn.Softmax(1),
  "LogSoftmax(-1)": () => new nn.LogSoftmax(-1),
  "Flatten()": () => new nn.Flatten(),
  "Unflatten(1, [2, 3])": () => new nn.Unflatten(1, [2, 3]),
  "Dropout(0.4)": () => new nn.Dropout(0.4),
  "Dropout2d(0.4)": () => new nn.Dropout2d(0.4),
  "AlphaDropout(0.4)": () => new nn.AlphaDropout(0.4),
  "BatchNorm1d(3)": () => new nn.BatchNorm1d(3),
  "BatchNorm2d(2)": () => new nn.BatchNorm2d(2),
  "BatchNorm2d(2, momentum=null)": () => new nn.BatchNorm2d(2, { momentum: null }),
  "BatchNorm3d(2, affine=false)": () => new nn.BatchNorm3d(2, { affine: false }),
  "LayerNorm([3, 4])": () => new nn.LayerNorm([3, 4]),
  "GroupNorm(2, 4)": () => new nn.GroupNorm(2, 4),
  "RMSNorm(4)": () => new nn.RMSNorm(4),
  "Embedding(5, 3)": () => new nn.Embedding(5, 3),
  "Embedding(5, 3, paddingIdx=1)": () => new nn.Embedding(5, 3, { paddingIdx: 1 }),
  MLP: () => new nn.Sequential(new nn.Linear(4, 8), new nn.ReLU(), new nn.Dropout(0.3), new nn.Linear(8, 2)),
  CNN: () =>
    new nn.Sequential(
      new nn.Conv2d(1, 4, 3, { padding: 1 }),
      new nn.ReLU(),
      new nn.MaxPool2d(2),
      new nn.Flatten(),
      new nn.Linear(4 * 3 * 3, 3),
    ),
};

describe("a layer made, run and trained from PyTorch's seed", () => {
  it("has its numbers in the fixtures, each of them tested here", () => {
    expect(Object.keys(LAYERS)).toEqual(Object.keys(fixtures.layers));
  });

  for (const [name, build] of Object.entries(LAYERS)) {
    const record = fixtures.layers[name]!;

    it(`${name} gives PyTorch's numbers`, () => {
      torch.manualSeed(0);
      const layer = build();
      const state = layer.stateDict();
      expect(Object.keys(state)).toEqual(Object.keys(record.initial));
      for (const [key, tensor] of Object.entries(state)) expectSame(tensor, record.initial[key]!);

      const indices = record.input.dtype === "int64";
      const input = indices
        ? torch.randint(0, 5, record.input.shape, { dtype: "int64" })
        : torch.randn(record.input.shape).requiresGrad_();
      expectClose(input, record.input, 1e-6);

      const output = layer(input);
      expectClose(output, record.output);
      output.mul(output).sum().backward();
      expectClose(input.grad, record.inputGrad, 5e-6);
      expect([...layer.namedParameters()].map(([key]) => key)).toEqual(Object.keys(record.grads));
      for (const [key, parameter] of layer.namedParameters()) {
        expectClose(parameter.grad, record.grads[key]!, 5e-6);
      }

      if (!record.after10Steps) return;
      const optimizer = new optim.SGD(layer.parameters(), { lr: 0.01 });
      for (let step = 0; step < 10; step++) {
        optimizer.zeroGrad();
        layer(input.detach()).square().mean().backward();
        optimizer.step();
      }
      for (const [key, tensor] of Object.entries(layer.stateDict())) {
        expectClose(tensor, record.after10Steps[key]!, 5e-6);
      }
    });
  }
});
