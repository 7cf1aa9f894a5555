// The dtype of floating numbers of which none is named. What PyTorch 2.15 makes of the same calls.
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import type { DType } from "../../../../lib/torch/vocabulary/dtype.ts";

afterEach(() => torch.setDefaultDtype("float32"));

const whole = torch.tensor([1, 2]);
const i = { re: 0, im: 1 };

/** Under the default of its column. */
const MADE: readonly [call: () => { readonly dtype: DType }, float32: DType, float64: DType][] = [
  [() => torch.tensor([1.5]), "float32", "float64"],
  [() => torch.tensor([]), "float32", "float64"],
  [() => torch.tensor([i]), "complex64", "complex128"],
  [() => torch.tensor([1]), "int64", "int64"],
  [() => torch.tensor([true]), "bool", "bool"],
  [() => torch.tensor(new Float32Array(1)), "float32", "float32"],
  [() => torch.tensor([1.5], { dtype: "float16" }), "float16", "float16"],
  [() => torch.asTensor([1.5]), "float32", "float64"],
  [() => torch.zeros([2]), "float32", "float64"],
  [() => torch.zeros([2], { dtype: "float32" }), "float32", "float32"],
  [() => torch.rand([2]), "float32", "float64"],
  [() => torch.randn([2]), "float32", "float64"],
  [() => torch.normal(0, 1, [2]), "float32", "float64"],
  [() => torch.arange(0, 1, 0.5), "float32", "float64"],
  [() => torch.arange(3), "int64", "int64"],
  [() => torch.linspace(0, 1, 3), "float32", "float64"],
  [() => torch.linspace(0, i, 3), "complex64", "complex128"],
  [() => torch.eye(2), "float32", "float64"],
  [() => torch.full([2], 1.5), "float32", "float64"],
  [() => torch.full([2], i), "complex64", "complex128"],
  [() => torch.hannWindow(3), "float32", "float64"],
  [() => torch.fft.fftfreq(2), "float32", "float64"],
  [() => torch.sparseCooTensor([2, 2]), "float32", "float64"],
  [() => whole.div(2), "float32", "float64"],
  [() => whole.sqrt(), "float32", "float64"],
  [() => whole.add(0.5), "float32", "float64"],
  [() => whole.mul(i), "complex64", "complex128"],
  [() => torch.ones([2], { dtype: "float32" }).mul(2.5), "float32", "float32"],
  [() => new nn.Linear(2, 2).weight, "float32", "float64"],
  [() => new nn.BatchNorm1d(2).runningMean as Tensor, "float32", "float64"],
  [() => nn.Transformer.generateSquareSubsequentMask(2), "float32", "float64"],
  [() => torch.finfo(), "float32", "float64"],
];

describe("of what is made without a dtype", () => {
  it.each(MADE.map(([call, ...dtypes]) => [call.toString().slice(6), call, dtypes] as const))(
    "%s",
    (_, call, [single, double]) => {
      expect(call().dtype).toBe(single);
      torch.setDefaultDtype("float64");
      expect(call().dtype).toBe(double);
    },
  );
});

it.each([
  ["float64", "complex128"],
  ["float32", "complex64"],
  ["float16", "complex32"],
  ["bfloat16", "complex64"],
] as const)("%s has %s beside it", (dtype, complex) => {
  torch.setDefaultDtype(dtype);
  expect(torch.getDefaultDtype()).toBe(dtype);
  expect([torch.tensor([0.5]).dtype, torch.tensor([i]).dtype]).toEqual([dtype, complex]);
});

it("a model trains in it, to the digits that it has", () => {
  torch.setDefaultDtype("float64");
  const layer = new nn.Linear(1, 1);
  nn.init.constant_(layer.weight, 0.1);
  nn.init.constant_(layer.bias!, 0.2);
  const loss = nn.functional.mseLoss(layer(torch.tensor([[0.3]])), torch.tensor([[1.0 / 3]]));
  loss.backward();
  expect(loss.item()).toBe((0.1 * 0.3 + 0.2 - 1 / 3) ** 2);
  expect(layer.weight.grad!.dtype).toBe("float64");
});

it.each([
  ["float64", "float64"],
  ["float16", "float32"],
  ["bfloat16", "float32"],
] as const)("under %s an optimizer counts in %s, and a fused kernel in float32", (dtype, counted) => {
  torch.setDefaultDtype(dtype);
  for (const Optimizer of [optim.RMSprop, optim.Adagrad, optim.ASGD, optim.NAdam, optim.Adam]) {
    const weight = torch.zeros([1], { dtype: "float32" }).requiresGrad_();
    const optimizer = new Optimizer([weight]);
    weight.grad = torch.ones([1], { dtype: "float32" });
    optimizer.step();
    const other = new Optimizer([weight]);
    other.loadStateDict(optimizer.stateDict());
    for (const one of [optimizer, other]) {
      const { step, exp_avg, mu, eta } = one.stateDict().state[0] as Record<string, Tensor>;
      expect(step!.dtype).toBe(Optimizer === optim.Adam ? "float32" : counted);
      expect([mu ?? step, eta ?? step].map((number) => number!.dtype)).toEqual([step!.dtype, step!.dtype]);
      expect((exp_avg ?? weight).dtype).toBe("float32");
      expect(step!.item()).toBe(1);
    }
  }
});

it("is what printing does not mention", () => {
  torch.setDefaultDtype("float64");
  const single = torch.ones([1], { dtype: "float32" });
  expect(
    [torch.tensor([1.5]), single, torch.tensor([i]), torch.zeros([2], { device: "meta" })].map(String),
  ).toEqual([
    "tensor([1.5000])",
    "tensor([1.], dtype=torch.float32)",
    "tensor([0.+1.j])",
    "tensor(..., device='meta', size=(2,))",
  ]);
});

describe("what is no floating dtype is refused", () => {
  it.each([
    ["int64", "torch.setDefaultDtype: int64 is no floating dtype; "],
    ["complex64", "torch.setDefaultDtype: complex64 is no floating dtype; "],
    ["float", 'torch.setDefaultDtype: "float" is no dtype; "float64" is one.'],
    [undefined, 'torch.setDefaultDtype: undefined is no dtype; "float64" is one.'],
    [32, 'torch.setDefaultDtype: 32 is no dtype; "float64" is one.'],
  ])("%s", (dtype, text) => {
    expect(() => torch.setDefaultDtype(dtype as DType)).toThrow(TypeError);
    expect(() => torch.setDefaultDtype(dtype as DType)).toThrow(text);
    expect(torch.getDefaultDtype()).toBe("float32");
  });
});

it("a worker has the process's, and leaves it as it is", async () => {
  torch.setDefaultDtype("float64");
  const program = `
    import { parentPort } from "node:worker_threads";
    const { torch } = await import(${JSON.stringify(new URL("../../../../dist/bundle/lib/index.js", import.meta.url).href)});
    const refusal = (() => { try { torch.setDefaultDtype("float16"); } catch (error) { return error.message; } })();
    parentPort.postMessage([torch.tensor([1.5]).dtype, refusal]);`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`));
  const answer = await new Promise((resolve, reject) =>
    worker.once("message", resolve).once("error", reject),
  );
  expect(answer).toEqual([
    "float64",
    "torch.setDefaultDtype: the default dtype is the whole process's, and other threads are at work: set it in the session, before the workers start, or name the dtype here.",
  ]);
  expect(torch.getDefaultDtype()).toBe("float64");
});
