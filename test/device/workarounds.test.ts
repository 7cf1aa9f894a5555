// Parts for what PyTorch gets wrong on mps: each does the same as what it stands for, and says whether it is needed.
import { describe, expect, it } from "vitest";
import { mps, nn, torch, type Tensor } from "../../lib/index.ts";
import { device, expectNear, simulated } from "./device_under_test.ts";

const here = device === "mps";
const { workarounds } = mps;

describe.skipIf(!here)("mps.workarounds.check", () => {
  it("measures each on this device, with the installed PyTorch", () => {
    const all = workarounds.checkAll();
    expect(all.map(({ workaround }) => workaround)).toEqual([
      "layerNorm",
      "largerEps",
      "batchNorm3d",
      "sparseMatmul",
      "sparseToDense",
      "inPlace",
      "multiplesOf8",
      "float64",
    ]);
    for (const { device: name, evidence, version } of all) {
      expect(name).toBe(mps.getName());
      expect(evidence).toMatch(
        /differs from the CPU by \d|is the first operator that is wrong|fails: |works$| takes [\d.]+ ms|^not judged here: /,
      );
      expect(version).toMatch(/^\d+\.\d+\.\d+/);
    }
  });

  it("keeps what it found for the session", () => {
    expect(workarounds.check("inPlace")).toBe(workarounds.check("inPlace"));
  });

  it("works where gradients are off", () => {
    const { evidence } = torch.noGrad(() => workarounds.check("layerNorm"));
    expect(evidence).toContain(simulated ? "not judged here" : "differs from the CPU by");
  });

  it.skipIf(!simulated)(
    "judges on simulated Metal what its rules decide, and says of kernels that it cannot",
    () => {
      const all = workarounds.checkAll();
      expect(all.filter(({ needed }) => needed !== null)).toMatchObject([
        { workaround: "float64", needed: true, evidence: expect.stringContaining("fails: ") },
      ]);
      for (const { evidence } of all.filter(({ needed }) => needed === null))
        expect(evidence).toBe(
          "not judged here: Simulated Metal computes with the CPU's kernels, so it would be compared with itself; ask on a Mac",
        );
    },
  );

  it.skipIf(!simulated)("judges a kernel in which a fault is planted, and names the operator", () => {
    mps.simulation({ fault: "addcmul_ and addcdiv_ lost for non-contiguous outputs" });
    const { needed, evidence } = workarounds.check("inPlace");
    mps.simulation({ fault: null });
    expect([needed, evidence]).toEqual([
      true,
      expect.stringMatching(
        /^operators in place on a transposed view: addcmul_ is the first operator that is wrong, by [\d.]+e/,
      ),
    ]);
    expect(workarounds.check("inPlace").needed).toBeNull();
  });

  it("knows its names", () => {
    expect(() => workarounds.check("batchNorm" as never)).toThrow(
      /^mps\.workarounds\.check: the workaround must be one of "layerNorm", .*, got "batchNorm"\.$/,
    );
  });
});

describe.skipIf(!here)("layers that stand in for others", () => {
  it.each([false, true])("SafeLayerNorm computes what LayerNorm does, on the CPU always: %s", (always) => {
    const norm = new nn.LayerNorm(6);
    const safe = new workarounds.SafeLayerNorm(6, { always });
    const x = torch.randn([4, 6]);
    const [a, b] = [x.clone().requiresGrad_(), x.to(device).requiresGrad_()];
    norm(a).square().sum().backward();
    const made = safe.to(device)(b);
    expect(made.device).toBe(b.device);
    made.square().sum().backward();
    expectNear(made.detach(), norm(x).detach());
    expectNear(b.grad!, a.grad!);
    expectNear(safe.weight!.grad!, norm.weight!.grad!);
  });

  it("raiseEps raises the smaller ones, and counts them", () => {
    const model = new nn.Sequential(
      new nn.LayerNorm(4),
      new nn.Linear(4, 4),
      new nn.BatchNorm1d(4, { eps: 1e-2 }),
    );
    expect(workarounds.raiseEps(model)).toBe(1);
    expect((model.children()[0] as nn.LayerNorm).eps).toBe(1e-4);
    expect((model.children()[2] as nn.BatchNorm1d).eps).toBe(1e-2);
    expect(() => workarounds.raiseEps(model, -1)).toThrow(RangeError);
    expect(() => workarounds.raiseEps({} as never)).toThrow(
      new TypeError("mps.workarounds.raiseEps: expected a module, got an object."),
    );
  });

  it("InstanceNorm3d takes BatchNorm3d's place with its scale and shift, in containers too", () => {
    const model = new nn.Sequential(new nn.Sequential(new nn.BatchNorm3d(2)), new nn.BatchNorm3d(2)).to(
      device,
    );
    torch.noGrad(() => model.parameters().forEach((one, i) => one.fill_(i + 1)));
    const inputs = torch.randn([2, 2, 3, 3, 3]).to(device);
    expect(workarounds.instanceNorm3dForBatchNorm3d(model)).toBe(2);
    expect(model.modules().filter((one) => one instanceof nn.BatchNorm3d)).toEqual([]);
    expect(model.parameters().map((one) => one.at(0).item())).toEqual([1, 2, 3, 4]);
    const made = model(inputs).detach();
    expect(made.device).toBe(inputs.device);
    // Each channel of each item ends with the last layer's shift and scale.
    expectNear(made.mean([2, 3, 4]), torch.full([2, 2], 4, { dtype: "float32" }), 1e-3);
  });
});

describe.skipIf(!here)("operators another way", () => {
  it("onCpu runs a stage there, takes results back, and gradients follow", () => {
    let seen: string[] = [];
    const stage = workarounds.onCpu((x: Tensor, options: { by: Tensor }) => {
      seen = [x.device, options.by.device];
      return { product: x.mul(options.by), name: "kept" };
    });
    const x = torch.tensor([1, 2]).float().to(device).requiresGrad_();
    const { product, name } = stage(x, { by: torch.tensor([3, 4]).float().to(device) });
    expect([seen, product.device, name]).toEqual([["cpu", "cpu"], x.device, "kept"]);
    product.sum().backward();
    expect(x.grad!.tolist()).toEqual([3, 4]);
    expect(workarounds.onCpu(() => 3)()).toBe(3);
    expect(() => workarounds.onCpu(3 as never)).toThrow(TypeError);
  });

  it("sparse products and toDense give what the CPU does, on the device", () => {
    const sparse = torch.sparseCooTensor(
      [
        [0, 1],
        [2, 0],
      ],
      [3, 4],
      [2, 3],
      { dtype: "float32" },
    );
    const dense = torch.randn([3, 2]);
    const product = workarounds.sparseMatmul(sparse, dense.to(device));
    expect(product.device.replace(/:0$/, "")).toBe(device);
    expectNear(product, sparse.matmul(dense));
    expectNear(workarounds.toDense(sparse), sparse.toDense());
    expect(workarounds.toDense(sparse, "cpu").device).toBe("cpu");
    expect(() => workarounds.toDense(dense)).toThrow(/sparse must be a sparse tensor/);
  });

  it("outOfPlace gives a tensor, or a view of one, a value computed beside it", () => {
    const x = torch.ones([2, 3]).to(device);
    expect(workarounds.outOfPlace(x.t(), (value) => value.mul(5)).shape).toEqual([3, 2]);
    expect(x.sum().item()).toBe(30);
    const weight = torch.ones([2]).to(device).requiresGrad_();
    workarounds.outOfPlace(weight, (value) => value.sub(0.5));
    expect([weight.tolist(), weight.requiresGrad]).toEqual([[0.5, 0.5], true]);
    expect(() => workarounds.outOfPlace(x, (value) => value.sum())).toThrow(
      "mps.workarounds.outOfPlace: the value must have the target's shape [2, 3], got [].",
    );
  });

  it("sizes are rounded up, and tensors padded with zeros", () => {
    expect([0, 1, 8, 9, 768].map((size) => workarounds.multipleOf8(size))).toEqual([0, 8, 8, 16, 768]);
    const x = torch.ones([3, 5]).to(device);
    expect(workarounds.padToMultipleOf8(x).shape).toEqual([3, 8]);
    expect(workarounds.padToMultipleOf8(x, 0).sum(1).tolist()).toEqual([5, 5, 5, 0, 0, 0, 0, 0]);
    expect(workarounds.padToMultipleOf8(torch.ones([8]))).toHaveLength(8);
    expect(() => workarounds.padToMultipleOf8(x, 2)).toThrow("dim must be below 2, got 2");
    expect(() => workarounds.multipleOf8(1.5)).toThrow(RangeError);
  });

  it("float32For takes float64 out of whatever holds tensors", () => {
    const double = torch.ones([2], { dtype: "float64" });
    const half = torch.ones([2], { dtype: "float16" });
    const { a, list } = workarounds.float32For({ a: double, list: [half, 1] as const });
    expect([a.dtype, (list[0] as Tensor).dtype, list[1]]).toEqual(["float32", "float16", 1]);
    const model = new nn.Linear(2, 2, { dtype: "float64" });
    expect(workarounds.float32For(model)).toBe(model);
    expect(model.to(device).weight.dtype).toBe("float32");
  });
});
