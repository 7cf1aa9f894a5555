// Calls beside layers, with arguments at the places where PyTorch takes them: loaders, autocast, gradients, files.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { autograd, data, distributed, functional as F, nn, optim, torch } from "../../../lib/index.ts";

const untyped = (call: unknown) => call as (...given: unknown[]) => unknown;

describe("data.DataLoader", () => {
  const dataset = new data.TensorDataset(torch.arange(10));

  it("takes PyTorch's places", () => {
    const loader = new data.DataLoader(dataset, 4, false, null, null, 0, null, false, true, 0);
    expect([loader.batchSize, loader.dropLast, loader.numWorkers]).toEqual([4, true, 0]);
    expect([...loader].map(([batch]) => batch!.tolist())).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ]);
  });

  it("takes a sampler at its place, and options behind it", () => {
    const sampler = new data.SequentialSampler(dataset);
    const loader = new data.DataLoader(dataset, 5, false, sampler, { dropLast: true });
    expect([...loader].map(([batch]) => batch!.tolist())).toEqual([
      [0, 1, 2, 3, 4],
      [5, 6, 7, 8, 9],
    ]);
  });

  it("draws the same by place and by name", () => {
    const passed = (loader: Iterable<readonly { tolist(): unknown }[]>) => {
      torch.manualSeed(3);
      return [...loader].map(([batch]) => batch!.tolist());
    };
    const named = passed(new data.DataLoader(dataset, { batchSize: 3, shuffle: true }) as never);
    expect(passed(new data.DataLoader(dataset, 3, true) as never)).toEqual(named);
    expect(passed(new data.DataLoader(dataset, 3, { shuffle: true } as never) as never)).toEqual(named);
  });

  it("refuses a wrong value under its name", () => {
    expect(() => new data.DataLoader(dataset, 3, "yes" as never)).toThrow("shuffle");
    expect(() => new data.DataLoader(dataset, 3, { batchSize: 4 } as never)).toThrow("given twice");
  });
});

describe("torch.autocast", () => {
  const product = () => torch.ones([2, 2]).matmul(torch.ones([2, 2])).dtype;

  it("takes the device, the dtype and whether it is on by place", () => {
    expect(torch.autocast("cpu", product)).toBe("bfloat16");
    expect(torch.autocast("cpu", "float16", product)).toBe("float16");
    expect(torch.autocast("cpu", null, false, product)).toBe("float32");
    expect(torch.autocast("cpu", { dtype: "float16" }, product)).toBe("float16");
    expect(torch.autocast({ deviceType: "cpu" }, product)).toBe("bfloat16");
  });

  it("refuses a wrong value under its name", () => {
    expect(() => untyped(torch.autocast)("tpu", product)).toThrow("deviceType");
    expect(() => untyped(torch.autocast)("cpu", 3, product)).toThrow("dtype");
    expect(() => untyped(torch.autocast)("cpu")).toThrow("expected a function to run");
  });
});

describe("zeroGrad", () => {
  const trained = () => {
    const layer = new nn.Linear(2, 1);
    layer(torch.ones([1, 2]))
      .sum()
      .backward();
    return layer;
  };

  it.each([[], [true], [{ setToNone: true }]])("drops gradients: %j", (...given) => {
    const layer = trained();
    layer.zeroGrad(...(given as []));
    expect(layer.weight.grad).toBeNull();
  });

  it.each([[false], [{ setToNone: false }]])("fills gradients with zeros: %j", (given) => {
    const layer = trained();
    new optim.SGD(layer.parameters()).zeroGrad(given);
    expect(layer.weight.grad?.tolist()).toEqual([[0, 0]]);
    layer(torch.ones([1, 2]))
      .sum()
      .backward();
    expect(layer.weight.grad?.tolist()).toEqual([[1, 1]]);
    expect(() => layer.zeroGrad(3 as never)).toThrow("setToNone");
  });
});

it("autograd.grad takes a tensor for the output's gradient, by place and by name", () => {
  const x = torch.ones([2], { requiresGrad: true });
  const y = () => x.mul(3);
  const weights = torch.tensor([1, 2]).float();
  for (const [gradient] of [
    autograd.grad(y(), x, weights),
    autograd.grad(y(), x, weights, true, false),
    autograd.grad(y(), x, weights, { retainGraph: true }),
    autograd.grad(y(), x, { gradOutputs: weights }),
    autograd.grad([y()], [x], { gradOutputs: [weights] }),
  ])
    expect(gradient!.tolist()).toEqual([3, 6]);
  expect(() => autograd.grad(y(), x, 3 as never)).toThrow("gradOutputs");
});

it("torch.load takes a device at its place, and says why it runs no code", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "mpslab-arguments-"));
  try {
    const file = path.join(folder, "x.pt");
    torch.save({ x: torch.ones([2]) }, file);
    for (const given of [
      ["cpu"],
      [null],
      [{ mapLocation: "cpu", weightsOnly: true }],
      ["cpu", { mmap: false }],
    ])
      expect((untyped(torch.load)(file, ...given) as { x: { tolist(): unknown } }).x.tolist()).toEqual([
        1, 1,
      ]);
    expect(() => torch.load(file, { weightsOnly: false })).toThrow("no code in a file is run");
    expect(() => torch.load(file, 3 as never)).toThrow("mapLocation");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("clipGradNorm_ takes the norm's exponent by place", () => {
  const gradients = (...given: unknown[]) => {
    const x = torch.ones([3], { requiresGrad: true });
    x.sum().backward();
    return untyped(nn.utils.clipGradNorm_)(x, 1, ...given) as { item(): number };
  };
  expect(gradients(1).item()).toBe(3);
  expect(gradients(Infinity, true).item()).toBe(1);
  expect(gradients({ normType: 1 }).item()).toBe(3);
  expect(() => gradients("one")).toThrow("normType");
});

it("initProcessGroup takes the backend by place", () => {
  expect(() => untyped(distributed.initProcessGroup)("mpi")).toThrow("backend");
  expect(() => untyped(distributed.initProcessGroup)("gloo", 3)).toThrow("initMethod");
});

describe("functional", () => {
  const image = () => torch.arange(32).float().view([1, 2, 4, 4]);
  const numbers = (value: unknown) => (value as { tolist(): unknown }).tolist();
  const rows = () => torch.arange(6).float().view([3, 2]);
  const indices = () => torch.tensor([0, 2, 2]);

  /** Each call by place, and the same by name. */
  const PAIRS: Record<string, () => readonly [byPlace: unknown, byName: unknown]> = {
    unfold: () => [F.unfold(image(), 2, 1, 0, 2), F.unfold(image(), 2, { stride: 2 })],
    fold: () => [
      F.fold(torch.ones([1, 8, 9]), [4, 4], 2),
      F.fold(torch.ones([1, 8, 9]), [4, 4], 2, { stride: 1 }),
    ],
    interpolate: () => [
      F.interpolate(image(), null, 2, "bilinear", true),
      F.interpolate(image(), { scaleFactor: 2, mode: "bilinear", alignCorners: true }),
    ],
    batchNorm: () => [
      F.batchNorm(image(), null, null, null, null, true, 0.1, 1e-3),
      F.batchNorm(image(), null, null, { training: true, eps: 1e-3 }),
    ],
    instanceNorm: () => [
      F.instanceNorm(image(), null, null, null, null, true, 0.1, 1e-3),
      F.instanceNorm(image(), { eps: 1e-3 }),
    ],
    embedding: () => [
      F.embedding(indices(), rows(), 0, 1, 1),
      F.embedding(indices(), rows(), { paddingIdx: 0, maxNorm: 1, normType: 1 }),
    ],
    embeddingBag: () => [
      F.embeddingBag(indices(), rows(), torch.tensor([0, 1]), null, 2, false, "sum"),
      F.embeddingBag(indices(), rows(), { offsets: torch.tensor([0, 1]), mode: "sum" }),
    ],
    gridSample: () => [
      F.gridSample(image(), torch.zeros([1, 2, 2, 2]), "nearest", "border", true),
      F.gridSample(image(), torch.zeros([1, 2, 2, 2]), {
        mode: "nearest",
        paddingMode: "border",
        alignCorners: true,
      }),
    ],
    lpPool2d: () => [
      F.lpPool2d(image(), 2, 3, 1, true),
      F.lpPool2d(image(), 2, 3, { stride: 1, ceilMode: true }),
    ],
    maxUnpool2d: () => {
      const [pooled, at] = F.maxPool2dWithIndices(image(), 2);
      return [
        F.maxUnpool2d(pooled, at, 2, 2, 0, [4, 4]),
        F.maxUnpool2d(pooled, at, 2, { stride: 2, outputSize: [4, 4] }),
      ];
    },
    gumbelSoftmax: () => {
      const drawn = (...given: unknown[]) => {
        torch.manualSeed(0);
        return untyped(F.gumbelSoftmax)(rows(), ...given);
      };
      return [drawn(0.5, true, 1e-10, 0), drawn({ tau: 0.5, hard: true, dim: 0 })];
    },
  };

  it.each(Object.entries(PAIRS))("%s takes PyTorch's places", (_, make) => {
    const [byPlace, byName] = make();
    expect(numbers(byPlace)).toEqual(numbers(byName));
  });

  it("refuses a wrong value under its name", () => {
    expect(() => F.unfold(image(), 2, "x" as never)).toThrow("dilation");
    expect(() => F.interpolate(image(), null, 2, 3 as never)).toThrow("mode");
    expect(() => F.batchNorm(image(), null, null, null, null, 1 as never)).toThrow("training");
    expect(() => F.embedding(indices(), rows(), "x" as never)).toThrow("paddingIdx");
    expect(() => F.gridSample(image(), torch.zeros([1, 2, 2, 2]), 3 as never)).toThrow("mode");
  });
});

describe("optimizers", () => {
  const params = () => [torch.ones([2], { requiresGrad: true })];

  it("take PyTorch's places", () => {
    expect(new optim.SGD(params(), 0.1, 0.9, 0, 0.01, true).paramGroups[0]).toMatchObject({
      lr: 0.1,
      momentum: 0.9,
      dampening: 0,
      weightDecay: 0.01,
      nesterov: true,
    });
    for (const made of [
      new optim.Adam(params(), 0.1, [0.8, 0.9], 1e-6),
      new optim.AdamW(params(), 0.1, [0.8, 0.9], 1e-6),
    ])
      expect(made.paramGroups[0]).toMatchObject({ lr: 0.1, betas: [0.8, 0.9], eps: 1e-6 });
    expect(new optim.Adagrad(params(), 0.1, 0.2).paramGroups[0]).toMatchObject({ lr: 0.1, lrDecay: 0.2 });
    expect(new optim.LBFGS(params(), 0.5, 7).paramGroups[0]).toMatchObject({ lr: 0.5, maxIter: 7 });
  });

  it("take what chooses between PyTorch's implementations, and refuse what they cannot do", () => {
    const made = new optim.SGD(params(), { lr: 0.1, foreach: true, fused: null, capturable: false });
    expect(made.paramGroups[0]).toMatchObject({ lr: 0.1 });
    expect(new optim.Adam(params(), 0.1, { fused: true }).paramGroups[0]).toMatchObject({ lr: 0.1 });
    expect(() => new optim.Adam(params(), { differentiable: true })).toThrow("not recorded");
    expect(() => new optim.Adam(params(), { fused: 3 as never })).toThrow("fused");
    expect(() => new optim.SGD(params(), "fast" as never)).toThrow("lr");
    expect(() => new optim.SGD(params(), 0.1, { lr: 0.2 } as never)).toThrow("given twice");
  });
});
