// A right call of autograd's functions and of amp's scaler.
import { amp, autograd, nn, optim, type Tensor, torch } from "../../../../lib/index.ts";
import { leaf, ofNames, ones, type RightCalls, under } from "./right_calls.ts";

const cube = (x: Tensor) => x.pow(3);
const total = (x: Tensor) => x.pow(3).sum();
const double = () => torch.ones([2], { dtype: "float64", requiresGrad: true });
const derivative = { createGraph: false, strict: false };
const check = { eps: 1e-6, atol: 1e-5, rtol: 1e-3, raiseException: true, nondetTol: 0 };
const context = () => new autograd.FunctionContext([true]);
const node = () => leaf(2).mul(2).gradFn!;
const backwarded = () => {
  const w = leaf(2);
  w.sum().backward();
  return new optim.SGD([w]);
};
const scaler = () => {
  const made = new amp.GradScaler({ initScale: 2 });
  made.scale(ones(1));
  return made;
};

export const autogradCalls: RightCalls = {
  ...under("torch", {
    grad: () => {
      const x = leaf(2);
      return [
        [x.mul(2)],
        [x],
        { gradOutputs: [ones(2)], retainGraph: false, createGraph: false, allowUnused: true },
      ];
    },
    "autograd.backward": () => [[leaf(2).mul(2)], [ones(2)], { retainGraph: false, createGraph: false }],
    "autograd.graph.registerMultiGradHook": () => [
      [ones(2).requiresGrad_()],
      () => undefined,
      { mode: "all" },
    ],
    "autograd.graph.savedTensorsHooks": () => [(x: Tensor) => x, (x: Tensor) => x, () => 1],
    "autograd.graph.saveOnCpu": () => [() => 1],
    "autograd.detectAnomaly": () => [() => 1, { checkNan: true }],
    "autograd.setDetectAnomaly": () => [false, { checkNan: true }],
    "autograd.isAnomalyEnabled": () => [],
    "autograd.gradcheck": () => [cube, [double()], check],
    "autograd.gradgradcheck": () => [
      cube,
      [double()],
      [torch.ones([2], { dtype: "float64", requiresGrad: true })],
      check,
    ],
    "autograd.functional.jacobian": () => [cube, ones(2), derivative],
    "autograd.functional.hessian": () => [total, ones(2), derivative],
    "autograd.functional.vjp": () => [cube, ones(2), ones(2), derivative],
    "autograd.functional.jvp": () => [cube, ones(2), ones(2), derivative],
    "autograd.functional.vhp": () => [total, ones(2), ones(2), derivative],
    "autograd.functional.hvp": () => [total, ones(2), ones(2), derivative],
    "func.vmap": () => [cube, { inDims: 0, outDims: 0, randomness: "error", chunkSize: 1 }],
    "func.grad": () => [total, { argnums: 0, hasAux: false }],
    "func.gradAndValue": () => [total, { argnums: 0, hasAux: false }],
    "func.jacrev": () => [cube, { argnums: 0, hasAux: false, chunkSize: 1 }],
    "func.jacfwd": () => [cube, { argnums: 0, hasAux: false, randomness: "error" }],
    "func.hessian": () => [total, { argnums: 0 }],
    "func.vjp": () => [cube, ones(2)],
    "func.jvp": () => [cube, [ones(2)], [ones(2)]],
    "func.functionalCall": () => [
      new nn.Linear(2, 1),
      ofNames({ weight: ones(1, 2) }),
      [ones(2)],
      { kwargs: null, strict: false, tieWeights: true },
    ],
    "func.stackModuleState": () => [[new nn.Linear(2, 1), new nn.Linear(2, 1)]],
    "autograd.FunctionContext#saveForBackward": () => [context(), ones(2), null],
    "autograd.FunctionContext#markNonDifferentiable": () => [context(), ones(2)],
    "autograd.FunctionContext#markDirty": () => [context(), ones(2)],
    "autograd.FunctionContext#setMaterializeGrads": () => [context(), true],
    "autograd.Node#registerHook": () => [node(), () => undefined],
    "autograd.Node#registerPrehook": () => [node(), () => undefined],
    "autograd.Node#toString": () => [node()],
    "amp.GradScaler": () => [
      { initScale: 2, growthFactor: 2, backoffFactor: 0.5, growthInterval: 10, enabled: true },
    ],
    "amp.GradScaler#scale": () => [new amp.GradScaler(), ones(2)],
    "amp.GradScaler#unscale_": () => [scaler(), backwarded()],
    "amp.GradScaler#step": () => [scaler(), backwarded()],
    "amp.GradScaler#update": () => {
      const made = scaler();
      made.step(backwarded());
      return [made, 4];
    },
    "amp.GradScaler#getScale": () => [scaler()],
    "amp.GradScaler#getGrowthFactor": () => [scaler()],
    "amp.GradScaler#setGrowthFactor": () => [scaler(), 2],
    "amp.GradScaler#getBackoffFactor": () => [scaler()],
    "amp.GradScaler#setBackoffFactor": () => [scaler(), 0.5],
    "amp.GradScaler#getGrowthInterval": () => [scaler()],
    "amp.GradScaler#setGrowthInterval": () => [scaler(), 5],
    "amp.GradScaler#isEnabled": () => [scaler()],
    "amp.GradScaler#stateDict": () => [scaler()],
    "amp.GradScaler#loadStateDict": () => [scaler(), ofNames(scaler().stateDict())],
  }),
};
