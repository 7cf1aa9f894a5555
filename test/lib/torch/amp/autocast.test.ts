// Autocast: which operators it casts, as PyTorch's does, where it holds, its cache, and misuse.
import { describe, expect, it } from "vitest";
import { amp, functional as F, nn, torch, type Tensor } from "../../../../lib/index.ts";
import { cellEnded } from "../../../../lib/session.ts";
import type { AutocastDType } from "../../../../lib/torch/amp/autocast.ts";
import { readFixture } from "../fixtures.ts";
import { allocatedBytes, collectedBytes } from "../../../helpers/memory.ts";
import { refuses } from "../tensor/misuse.ts";

const recorded = readFixture<Record<AutocastDType, { dtypes: Record<string, string> }>>("amp.json");
const CPU = { deviceType: "cpu" } as const;
const [a, b] = [torch.ones([3, 3]), torch.ones([3, 3])];
const labels = torch.tensor([0, 1, 2]);

const OPERATORS: Record<string, () => Tensor> = {
  mm: () => a.matmul(b),
  linear: () => F.linear(a, b),
  conv1d: () => F.conv1d(a.unsqueeze(0), b.unsqueeze(0)),
  attention: () =>
    F.scaledDotProductAttention(a.view([1, 1, 3, 3]), b.view([1, 1, 3, 3]), b.view([1, 1, 3, 3])),
  exp: () => a.matmul(b).exp(),
  add: () => a.matmul(b).add(a),
  cat: () => torch.cat([a.matmul(b), a]),
  softmax: () => a.matmul(b).softmax(-1),
  layerNorm: () => F.layerNorm(a.matmul(b), [3]),
  mseLoss: () => F.mseLoss(a.matmul(b), b),
  crossEntropy: () => F.crossEntropy(a.matmul(b), labels),
};

describe("autocast", () => {
  it.each(["bfloat16", "float16"] as const)("casts to %s what PyTorch casts", (dtype) => {
    const dtypes = torch.autocast({ ...CPU, dtype }, () =>
      Object.fromEntries(Object.entries(OPERATORS).map(([name, run]) => [name, run().dtype])),
    );
    expect(dtypes).toEqual(recorded[dtype].dtypes);
  });

  it("casts to bfloat16 on the CPU and to float16 elsewhere, unless told otherwise", () => {
    expect((["cpu", "cuda", "mps"] as const).map((device) => torch.getAutocastDtype(device))).toEqual([
      "bfloat16",
      "float16",
      "float16",
    ]);
    expect(amp.autocast(CPU, () => a.matmul(b).dtype)).toBe("bfloat16");
  });

  it("holds inside alone, can be taken back inside, and is of one kind of device", () => {
    const seen = torch.autocast(CPU, () => [
      a.matmul(b).dtype,
      torch.autocast({ ...CPU, enabled: false }, () => a.matmul(b).dtype),
      torch.autocast({ ...CPU, dtype: "float16" }, () => a.matmul(b).dtype),
      torch.autocast({ deviceType: "mps" }, () => a.matmul(b).dtype),
      a.matmul(b).dtype,
    ]);
    expect(seen).toEqual(["bfloat16", "float32", "float16", "bfloat16", "bfloat16"]);
    expect([a.matmul(b).dtype, torch.isAutocastEnabled("cpu")]).toEqual(["float32", false]);
  });

  it("ends when the block throws", () => {
    expect(() =>
      torch.autocast(CPU, () => {
        throw new Error("inside");
      }),
    ).toThrow("inside");
    expect(torch.isAutocastEnabled("cpu")).toBe(false);
  });

  it("gives float32 gradients to float32 parameters", () => {
    const layer = new nn.Linear(3, 2);
    const loss = torch
      .autocast(CPU, () => layer(a))
      .float()
      .sum();
    loss.backward();
    expect([layer.weight.grad!.dtype, layer.weight.grad!.tolist()]).toEqual([
      "float32",
      [
        [3, 3, 3],
        [3, 3, 3],
      ],
    ]);
  });

  it("keeps a weight's cast until the outermost block ends, and no longer", () => {
    const weight = torch.ones([100, 100]).requiresGrad_();
    const x = torch.ones([1, 100]);
    const before = collectedBytes();
    torch.autocast(CPU, () => {
      torch.tidy(() => void x.matmul(weight));
      torch.autocast(CPU, () => torch.tidy(() => void x.matmul(weight)));
      expect(allocatedBytes() - before).toBe(20_000);
    });
    expect(allocatedBytes()).toBe(before);
    torch.autocast({ ...CPU, cacheEnabled: false }, () => {
      torch.tidy(() => void x.matmul(weight));
      expect(allocatedBytes()).toBe(before);
    });
  });

  it("holds again where a checkpoint computes again", () => {
    const layer = new nn.Linear(3, 3);
    const seen: string[] = [];
    const run = (x: Tensor) => {
      const y = layer(x);
      seen.push(y.dtype);
      return y.exp();
    };
    torch
      .autocast(CPU, () => torch.checkpoint(run, [a]))
      .sum()
      .backward();
    expect(seen).toEqual(["bfloat16", "bfloat16"]);
    expect(torch.isAutocastEnabled("cpu")).toBe(false);
  });

  it("by hand holds over an await, until it is put back, and at most until the cell ends", async () => {
    expect(torch.setAutocastEnabled("cpu", true)).toBe(false);
    torch.setAutocastDtype("cpu", "float16");
    await Promise.resolve();
    expect(a.matmul(b).dtype).toBe("float16");
    expect(torch.setAutocastEnabled("cpu", false)).toBe(true);
    torch.setAutocastEnabled("cpu", true);
    cellEnded();
    expect([torch.isAutocastEnabled("cpu"), torch.getAutocastDtype("cpu")]).toEqual([false, "bfloat16"]);
  });
});

describe("half precision by hand", () => {
  it("trains a model whose parameters are all bfloat16", () => {
    const model = new nn.Sequential(new nn.Linear(3, 4), new nn.Tanh(), new nn.Linear(4, 1)).bfloat16();
    const loss = F.mseLoss(model(a.bfloat16()), torch.zeros([3, 1], { dtype: "bfloat16" }));
    loss.backward();
    expect([loss.dtype, model[0]!.parameters()[0]!.grad!.dtype]).toEqual(["bfloat16", "bfloat16"]);
  });
});

describe("misuse", () => {
  refuses([
    [
      "no kind of device",
      () => torch.autocast({} as never, () => a),
      "TypeError",
      'torch.autocast: deviceType must be one of "cpu", "cuda", "mps", got undefined.',
    ],
    [
      "a dtype that is not half",
      () => torch.autocast({ ...CPU, dtype: "float64" as never }, () => a),
      "TypeError",
      'torch.autocast: dtype must be one of "float16", "bfloat16", got "float64".',
    ],
    [
      "an unknown option",
      () => torch.autocast({ ...CPU, device: "cpu" } as never, () => a),
      "TypeError",
      'torch.autocast: unknown option "device"; it takes deviceType, dtype, enabled, cacheEnabled.',
    ],
    [
      "no function",
      () => torch.autocast(CPU, a as never),
      "TypeError",
      'torch.autocast: expected a function to run, as torch.autocast("cpu", () => model(x)), got a Tensor.',
    ],
    [
      "an async function",
      () => torch.autocast(CPU, async () => a),
      "TypeError",
      "torch.autocast cannot wait: its function returned a promise, and the casts end when it returns. Call it around the synchronous parts, or torch.setAutocastEnabled() before and after.",
    ],
    [
      "a switch that is no boolean",
      () => torch.setAutocastEnabled("cpu", 1 as never),
      "TypeError",
      "torch.setAutocastEnabled: enabled must be true or false, got 1.",
    ],
    [
      "a kind of device that nobody knows",
      () => torch.isAutocastEnabled("tpu" as never),
      "TypeError",
      'torch.isAutocastEnabled: deviceType must be one of "cpu", "cuda", "mps", got "tpu".',
    ],
  ]);
});
