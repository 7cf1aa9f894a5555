// A right call of every method of modules, of nn.init and of nn.utils.
import { nn, torch, type Tensor } from "../../../../lib/index.ts";
import { leaf, long, ofNames, ones, type RightCalls, under } from "./right_calls.ts";

class Doubled extends nn.Module {
  forward(x: Tensor): Tensor {
    return x.mul(2);
  }
  rightInverse(x: Tensor): Tensor {
    return x.div(2);
  }
}

const linear = () => new nn.Linear(4, 2);
const model = () => new nn.Sequential(new nn.Linear(4, 3), new nn.BatchNorm1d(3));
const hookOptions = { prepend: false };

export const modules: RightCalls = under("nn", {
  "Module#namedParameters": () => [model(), { recurse: true }],
  "Module#parameters": () => [model(), { recurse: true }],
  "Module#namedBuffers": () => [model(), { recurse: true }],
  "Module#buffers": () => [model(), { recurse: true }],
  "Module#namedChildren": () => [model()],
  "Module#children": () => [model()],
  "Module#namedModules": () => [model()],
  "Module#modules": () => [model()],
  "Module#getSubmodule": () => [model(), "0"],
  "Module#getParameter": () => [model(), "0.weight"],
  "Module#getBuffer": () => [model(), "1.runningMean"],
  "Module#registerBuffer": () => [linear(), "mask", ones(2), { persistent: true }],
  "Module#registerParameter": () => [linear(), "scale", new nn.Parameter(ones(2))],
  "Module#registerModule": () => [linear(), "next", new nn.ReLU()],
  "Module#apply": () => [model(), (module: unknown) => void module],
  "Module#registerForwardPreHook": () => [linear(), () => undefined, hookOptions],
  "Module#registerForwardHook": () => [linear(), () => undefined, { ...hookOptions, alwaysCall: false }],
  "Module#registerFullBackwardPreHook": () => [linear(), () => undefined, hookOptions],
  "Module#registerFullBackwardHook": () => [linear(), () => undefined, hookOptions],
  "Module#registerStateDictPreHook": () => [linear(), () => undefined],
  "Module#registerStateDictPostHook": () => [linear(), () => undefined],
  "Module#registerLoadStateDictPreHook": () => [linear(), () => undefined],
  "Module#registerLoadStateDictPostHook": () => [linear(), () => undefined],
  "Module#train": () => [linear(), true],
  "Module#eval": () => [linear()],
  "Module#requiresGrad_": () => [linear(), true],
  "Module#zeroGrad": () => [linear()],
  "Module#to": () => [linear(), { device: "cpu", dtype: "float64", memoryFormat: "contiguous_format" }],
  "Module#float": () => [linear()],
  "Module#double": () => [linear()],
  "Module#half": () => [linear()],
  "Module#bfloat16": () => [linear()],
  "Module#cpu": () => [linear()],
  "Module#stateDict": () => [linear()],
  "Module#clone": () => [linear()],
  "Module#loadStateDict": () => [linear(), ofNames({ weight: ones(2, 4), bias: ones(2) }), { strict: true }],
  "Module#toString": () => [linear()],
  Parameter: () => [ones(2), { requiresGrad: true }],
  Buffer: () => [ones(2), { persistent: true }],

  "init.calculateFanInAndFanOut": () => [ones(2, 3)],
  "init.calculateGain": () => ["leakyRelu", 0.1],
  "init.uniform_": () => [ones(2, 3), 0, 1, { generator: new torch.Generator() }],
  "init.normal_": () => [ones(2, 3), 0, 1, { generator: new torch.Generator() }],
  "init.truncNormal_": () => [ones(2, 3), 0, 1, -2, 2, { generator: new torch.Generator() }],
  "init.constant_": () => [ones(2, 3), 0.5],
  "init.zeros_": () => [ones(2, 3)],
  "init.ones_": () => [ones(2, 3)],
  "init.eye_": () => [ones(2, 3)],
  "init.dirac_": () => [ones(2, 3, 3), 1],
  "init.sparse_": () => [ones(2, 3), 0.5, 0.01, { generator: new torch.Generator() }],
  "init.kaimingUniform_": () => [ones(2, 3), 0, "fanIn", "relu", { generator: new torch.Generator() }],
  "init.kaimingNormal_": () => [ones(2, 3), 0, "fanIn", "relu", { generator: new torch.Generator() }],
  "init.xavierUniform_": () => [ones(2, 3), 1, { generator: new torch.Generator() }],
  "init.xavierNormal_": () => [ones(2, 3), 1, { generator: new torch.Generator() }],
  "init.orthogonal_": () => [ones(2, 3), 1, { generator: new torch.Generator() }],

  "utils.weightNorm": () => [new nn.Linear(2, 2), { name: "weight", dim: 0 }],
  "utils.removeWeightNorm": () => [nn.utils.weightNorm(new nn.Linear(2, 2)), "weight"],
  "utils.clipGradNorm_": () => [model().parameters(), 1, { normType: 2, errorIfNonfinite: false }],
  "utils.clipGradsWithNorm_": () => [model().parameters(), 1, torch.tensor(2)],
  "utils.clipGradValue_": () => [model().parameters(), 1],
  "utils.getTotalNorm": () => [[ones(2), ones(3)], { normType: 2, errorIfNonfinite: false }],
  "utils.parametersToVector": () => [[ones(2), ones(3)]],
  "utils.vectorToParameters": () => [ones(5), [leaf(2), leaf(3)]],
  "utils.parametrizations.orthogonal": () => [
    linear(),
    "weight",
    { orthogonalMap: "householder", useTrivialization: true },
  ],
  "utils.parametrizations.weightNorm": () => [linear(), "weight", 0],
  "utils.parametrizations.spectralNorm": () => [
    linear(),
    "weight",
    { nPowerIterations: 1, eps: 1e-12, dim: 0 },
  ],
  "utils.parametrize.ParametrizationList": () => [new Doubled(), new nn.Parameter(ones(2))],
  "utils.parametrize.ParametrizationList#forward": () => [
    new nn.utils.parametrize.ParametrizationList(new Doubled(), new nn.Parameter(ones(2))),
  ],
  "utils.parametrize.ParametrizationList#add": () => [
    new nn.utils.parametrize.ParametrizationList(new Doubled(), new nn.Parameter(ones(2))),
    new Doubled(),
  ],
  "utils.parametrize.ParametrizationList#rightInverse": () => [
    new nn.utils.parametrize.ParametrizationList(new Doubled(), new nn.Parameter(ones(2))),
    ones(2),
  ],
  "utils.parametrize.isParametrized": () => [linear(), "weight"],
  "utils.parametrize.registerParametrization": () => [linear(), "weight", new Doubled()],
  "utils.parametrize.removeParametrizations": () => [
    nn.utils.parametrize.registerParametrization(linear(), "weight", new Doubled()),
    "weight",
    { leaveParametrized: true },
  ],
  "utils.rnn.PackedSequence": () => [ones(3, 2), long(2, 1), long(0, 1), long(0, 1)],
  "utils.rnn.PackedSequence#withData": () => [
    nn.utils.rnn.packSequence([ones(2, 2), ones(1, 2)]),
    ones(3, 4),
  ],
  "utils.rnn.packPaddedSequence": () => [ones(3, 2, 4), [3, 2], { batchFirst: false, enforceSorted: true }],
  "utils.rnn.packSequence": () => [[ones(3, 2), ones(1, 2)], { enforceSorted: true }],
  "utils.rnn.padPackedSequence": () => [
    nn.utils.rnn.packSequence([ones(2, 2), ones(1, 2)]),
    { batchFirst: true, paddingValue: 0, totalLength: 5 },
  ],
  "utils.rnn.padSequence": () => [
    [ones(3, 2), ones(1, 2)],
    { batchFirst: true, paddingValue: 0, paddingSide: "left" },
  ],
  "utils.rnn.unpackSequence": () => [nn.utils.rnn.packSequence([ones(2, 2), ones(1, 2)])],
  "utils.rnn.unpadSequence": () => [ones(2, 3, 4), [3, 2], { batchFirst: true }],
});
