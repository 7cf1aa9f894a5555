// A module called with other parameters than its own, and models called all at once.
import { expect, test } from "vitest";
import { nn, optim, type Tensor, torch } from "../../../../lib/index.ts";

const { functionalCall, grad, stackModuleState, vmap } = torch.func;

test("a model runs with the given parameters, and has its own afterwards", () => {
  const model = new nn.Sequential(new nn.Linear(2, 2), new nn.ReLU());
  const input = torch.ones([1, 2]);
  const before = model(input).tolist();
  const tensors = { "0.weight": torch.ones([2, 2]), "0.bias": torch.tensor([0.5, -3]) };
  expect(functionalCall(model, tensors, [input]).tolist()).toEqual([[2.5, 0]]);
  expect(
    functionalCall(
      model,
      [{ "0.weight": torch.zeros([2, 2]) }, { "0.bias": torch.ones([2]) }],
      input,
    ).tolist(),
  ).toEqual([[1, 1]]);
  expect(model(input).tolist()).toEqual(before);
});

test("the model has its own tensors when its forward fails, too", () => {
  const model = new nn.Linear(2, 2);
  const weight = model.weight.tolist();
  expect(() => functionalCall(model, { weight: torch.zeros([2, 2]) }, [torch.ones([3])])).toThrow();
  expect(model.weight.tolist()).toEqual(weight);
});

test("a parameter that two layers share is given once, and one that is computed by its originals", () => {
  const [first, second] = [1, 2].map(() => new nn.Linear(2, 2, { bias: false }));
  second!.weight = first!.weight;
  const tied = new nn.Sequential(first!, second!);
  expect(functionalCall(tied, { "0.weight": torch.eye(2).mul(3) }, [torch.ones([1, 2])]).tolist()).toEqual([
    [9, 9],
  ]);
  const normed = nn.utils.parametrizations.weightNorm(new nn.Linear(2, 1, { bias: false }));
  const originals = {
    "parametrizations.weight.original0": torch.tensor([[10]], { dtype: "float32" }),
    "parametrizations.weight.original1": torch.tensor([[3, 4]], { dtype: "float32" }),
  };
  expect(functionalCall(normed, originals, [torch.ones([1, 2])]).item()).toBeCloseTo(14);
});

test("buffers that a forward changes are the given ones", () => {
  const norm = new nn.BatchNorm1d(1, { momentum: 1 });
  const runningMean = torch.zeros([1]);
  functionalCall(norm, { runningMean }, [torch.tensor([[2.5], [3.5]])]);
  expect([runningMean.item(), norm.runningMean!.item()]).toEqual([3, 0]);
});

test("options of a forward are its last argument", () => {
  const attention = new nn.MultiheadAttention(2, 1, { batchFirst: true });
  const x = torch.ones([1, 3, 2]);
  const [, weights] = functionalCall(attention, {}, [x, x, x], { kwargs: { needWeights: false } });
  expect(weights).toBe(null);
});

test("a step of gradient descent inside of a loss is differentiated", () => {
  const model = new nn.Linear(1, 1, { bias: false });
  const inner = (weight: Tensor) =>
    functionalCall(model, { weight }, [torch.ones([1, 1])])
      .pow(2)
      .sum();
  const outer = (weight: Tensor) => inner(weight.sub(grad(inner)(weight).mul(0.25)));
  // w - 0.25 * 2w = w / 2, and the derivative of w^2 / 4 is w / 2.
  expect(grad(outer)(torch.tensor([[3.5]])).item()).toBe(1.75);
});

test("a model without memory is a form that others fill in", () => {
  const form = new nn.Linear(2, 1).to("meta");
  expect([form.weight.device, form.weight.requiresGrad, form.weight instanceof nn.Parameter]).toEqual([
    "meta",
    true,
    true,
  ]);
  const tensors = { weight: torch.ones([1, 2]), bias: torch.zeros([1]) };
  expect(functionalCall(form, tensors, [torch.ones([1, 2])]).tolist()).toEqual([[2]]);
  expect(() => form.to("cpu")).toThrow("meta");
});

test("models of one kind run all at once", () => {
  const models = [1, 2, 3].map(() => new nn.Linear(3, 2));
  const [parameters, buffers] = stackModuleState(models);
  expect(Object.entries(parameters).map(([name, { shape }]) => [name, shape])).toEqual([
    ["weight", [3, 2, 3]],
    ["bias", [3, 2]],
  ]);
  const input = torch.randn([4, 3]);
  const all = vmap((own: typeof parameters, x: Tensor) => functionalCall(models[0]!, [own, buffers], [x]), {
    inDims: [0, null],
  })(parameters, input);
  expect(torch.allclose(all.at(2), models[2]!(input), { atol: 1e-6 })).toBe(true);
  all.sum().backward();
  expect(parameters.weight!.grad!.shape).toEqual([3, 2, 3]);
  new optim.SGD(Object.values(parameters), { lr: 0.1 }).step();
});

test.each([
  [
    () => functionalCall(new nn.Linear(1, 1), { weigth: torch.ones([1, 1]) }, [torch.ones([1])]),
    'torch.func.functionalCall: Linear has no parameter or buffer "weigth"; it has weight, bias.',
  ],
  [
    () =>
      functionalCall(new nn.Linear(1, 1), { weight: torch.ones([1, 1]) }, [torch.ones([1])], {
        strict: true,
      }),
    "torch.func.functionalCall: with strict, bias must be given too.",
  ],
  [
    () => functionalCall(new nn.Linear(1, 1), torch.ones([1]) as never, [torch.ones([1])]),
    "torch.func.functionalCall: the tensors must be an object of names and tensors",
  ],
  [
    () => functionalCall(new nn.Linear(1, 1), {}, [torch.ones([1])], { tieWeights: false }),
    "torch.func.functionalCall: tieWeights is true always: layers that share a tensor share the given one.",
  ],
  [
    () => stackModuleState([new nn.Linear(1, 1), new nn.ReLU()]),
    "torch.func.stackModuleState: the modules must be of one class, got Linear and ReLU.",
  ],
])("an error says what is wrong: %s", (run, message) => {
  expect(run).toThrow(message);
});
