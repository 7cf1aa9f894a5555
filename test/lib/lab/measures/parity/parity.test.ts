// Runs the same training steps on the CPU and on a simulated device with the same kernels, and compares them. Also compares
// with a record of another machine.
import { inspect, isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { lab, mps, nn, optim, torch } from "../../../../../lib/index.ts";
import { deltaOf } from "../../../../../lib/lab/measures/parity/tensors.ts";
import { label } from "../../../../helpers/metal_device.ts";

torch.setNumThreads(1);

function build(device: "cpu" | "mps" | (string & {}), spoil = 0) {
  const model = new nn.Sequential(
    new nn.Linear(8, 6),
    new nn.BatchNorm1d(6),
    new nn.ReLU(),
    new nn.Linear(6, 3),
  ).to(device as "cpu");
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
  const x = torch.randn([5, 8]).to(device as "cpu");
  const target = torch.tensor([0, 1, 2, 0, 1]).to(device as "cpu");
  return {
    model,
    step() {
      optimizer.zeroGrad();
      const loss = nn.functional.crossEntropy(model(x), target);
      loss.backward();
      optimizer.step();
      if (device === "mps" && spoil > 0) torch.noGrad(() => model.getParameter("3.bias").add_(spoil));
      return loss;
    },
    metrics: () => ({ accuracy: 0.8 }),
  };
}

describe("two devices with the same kernels", () => {
  const run = () => lab.parity({ build, devices: ["mps", "cpu"], steps: 3 });

  it("agree in every group, and begin with the same weights", () => {
    const parity = run();
    expect(parity).toMatchObject({ device: label, comparedWith: "cpu", steps: 3, within: true });
    expect(parity.groups.map(({ group, tensors }) => [group, tensors])).toEqual([
      ["norm statistics", 3],
      ["other weights", 6],
      ["gradients", 6],
    ]);
    expect(parity.losses.map(({ name, within }) => [name, within])).toEqual([
      ["loss of step 1", true],
      ["loss of step 2", true],
      ["loss of step 3", true],
    ]);
    expect(JSON.parse(JSON.stringify(parity))).toEqual(parity);
  });
});

describe("random numbers", () => {
  const drawing = (more: (device: "cpu" | "mps") => object = () => ({})) =>
    lab.parity({
      devices: ["mps", "cpu"],
      steps: 2,
      build: (device) => {
        const on = { device: device as "cpu" };
        const model = new nn.Sequential(new nn.Linear(8, 6, on), new nn.BatchNorm1d(6, on));
        const x = torch.randn([5, 8], on);
        const like = torch
          .randLike(x)
          .bernoulli_(0.5)
          .add(torch.normal(0, 1, [5, 8], on));
        const chosen = torch.multinomial(torch.ones([5], on), 3);
        const leaf = torch.rand([1], { ...on, requiresGrad: true });
        expect([like.device, chosen.device, leaf.device, leaf.isLeaf, leaf.requiresGrad]).toEqual([
          ...Array<string>(3).fill(x.device),
          true,
          true,
        ]);
        return {
          model,
          step: () => model.forward(x.add(like)).indexSelect(0, chosen).square().mul(leaf).sum(),
          ...more(device as "cpu"),
        };
      },
    });

  it("that build draws on the device are the same on both: made on the CPU, and moved", () => {
    const parity = drawing();
    expect(
      parity.losses.map(({ value, other }) => value! - other!).every((apart) => Math.abs(apart) < 1e-4),
    ).toBe(true);
    expect(parity).toMatchObject({ within: true, notes: [] });
  });

  // Simulated Metal's generator gives the CPU's numbers, so the numbers alone do not show which of the two was asked.
  it("come from the CPU's generator while build runs, and from the device's again afterwards", () => {
    const moves = () => {
      const before = mps.getRngState().tolist();
      torch.randn([4], { device: "mps" });
      return !isDeepStrictEqual(mps.getRngState().tolist(), before);
    };
    const moved: boolean[] = [];
    drawing(() => (moved.push(moves()), {}));
    expect(moved).toEqual([false, false]);
    expect(moves()).toBe(true);
  });

  it("that the steps draw, or build from a generator of its own, are told", () => {
    const dropped = lab.parity({
      devices: ["mps", "cpu"],
      steps: 1,
      build: (device) => {
        const model = new nn.Sequential(new nn.Linear(8, 64), new nn.Dropout(0.5)).to(device as "cpu");
        const x = torch.ones([1, 8], { device: device as "cpu" });
        return { model, step: () => model.forward(x).sum() };
      },
    });
    expect(dropped.notes).toEqual([
      "The steps draw random numbers, as dropout does, from generators whose numbers differ between mps and cpu for one seed: a difference need not be the device's. Compare without, as with model.eval(), or draw before the steps.",
    ]);
    const built = lab.parity({
      devices: ["mps", "cpu"],
      steps: 1,
      build: (device) => {
        const model = new nn.Linear(8, 6).to(device as "cpu");
        const x = nn.functional.dropout(torch.ones([4, 8], { device: device as "cpu" }));
        return { model, step: () => model.forward(x).sum() };
      },
    });
    expect(built.notes).toEqual([expect.stringMatching(/^build draws from the device's own generator/)]);
    expect(inspect(built)).toContain("build draws from the device's own generator");
  });
});

describe("metrics of two devices", () => {
  const measured = (here: object | undefined, there: object | undefined) =>
    lab.parity({
      build: (device) => ({
        ...build(device),
        metrics: () => (device === "mps" ? here : there) as Record<string, number>,
      }),
      devices: ["mps", "cpu"],
      steps: 1,
    });

  it("that differ are beyond tolerance, and shown", () => {
    const parity = measured({ accuracy: 0.9, f1: 0.25 }, { accuracy: 0.5, f1: 0.25 });
    expect(parity.within).toBe(false);
    expect(parity.metrics).toEqual([
      { name: "accuracy", value: 0.9, other: 0.5, delta: 0.4, within: false },
      { name: "f1", value: 0.25, other: 0.25, delta: 0, within: true },
    ]);
    expect(inspect(parity)).toMatch(/beyond tolerance/);
    expect(inspect(parity)).toMatch(/metrics +accuracy +0\.9000 +0\.5000 +0\.4000/);
    expect(inspect(lab.diagnose({ parity }))).toContain("beyond tolerance in accuracy");
  });

  it("that only one of them has, or that are no number, do not agree", () => {
    expect(measured({ accuracy: 0.9 }, {}).metrics).toMatchObject([{ other: null, within: false }]);
    expect(measured({}, { accuracy: 0.9 }).metrics).toMatchObject([{ value: null, within: false }]);
    expect(measured({ accuracy: Number.NaN }, { accuracy: Number.NaN }).within).toBe(false);
    expect(measured(undefined, undefined)).toMatchObject({ metrics: [], within: true });
  });

  it("may draw random numbers: the seed is set before them on each", () => {
    const parity = lab.parity({
      build: (device) => ({ ...build(device), metrics: () => ({ sampled: torch.rand([1]).item() }) }),
      devices: ["mps", "cpu"],
      steps: 1,
    });
    expect(parity).toMatchObject({ within: true, notes: [] });
  });

  it("that a record names and this model does not measure are no agreement", () => {
    const parity = lab.parity({
      build: (device) => ({ ...build(device), metrics: () => ({}) }),
      devices: ["cpu"],
      steps: 1,
      record: { source: "A100", losses: [1], metrics: { accuracy: 0.9 } },
    });
    expect(parity.record!.deltas.at(-1)).toMatchObject({ name: "accuracy", value: null, within: false });
  });

  it.each<[string, unknown, string]>([
    ["a tensor", { accuracy: torch.tensor(0.9) }, "got accuracy: a Tensor."],
    ["a promise", Promise.resolve({ accuracy: 0.9 }), "got a Promise."],
    ["a number without a name", 0.9, "got 0.9."],
  ])("of %s are refused", (_, metrics, message) => {
    expect(() => measured(metrics as object, metrics as object)).toThrow(
      `lab.parity: metrics must return numbers by name, as { accuracy: 0.91 }, ${message}`,
    );
  });
});

it("weights of convolutions are a group of their own", () => {
  const convolution = () => {
    const model = new nn.Sequential(new nn.Conv2d(1, 2, 3), new nn.Conv2d(2, 2, 3));
    return { model, step: () => model(torch.ones([1, 1, 6, 6])).sum() };
  };
  const { groups } = lab.parity({ build: convolution, devices: ["cpu", "cpu"], steps: 1 });
  expect(groups.map(({ group, tensors }) => [group, tensors])).toEqual([["convolution weights", 4]]);
});

it("a tensor that drifts is named, worst first", () => {
  const parity = lab.parity({ build: (device) => build(device, 1e-2), devices: ["mps", "cpu"], steps: 1 });
  expect(parity.within).toBe(false);
  expect(parity.tensors[0]).toMatchObject({ name: "3.bias", group: "other weights" });
  expect(parity.tensors[0]!.largestDifference).toBeCloseTo(1e-2, 6);
  expect(parity.groups.filter(({ within }) => !within).map(({ group }) => group)).toEqual(["other weights"]);
});

it("a group's factor widens the absolute tolerance and the relative one alike", () => {
  const delta = (value: number, other: number) =>
    deltaOf(
      { name: "bias", group: "other weights", tensor: torch.tensor([value]) },
      torch.tensor([other]),
      { relative: 1 / 64, absolute: 1 / 32 },
      4,
    );
  // Powers of two, exact in float32: 4 * (1/32 + 0/64) is an eighth, 4 * (1/32 + 2/64) a quarter.
  expect(delta(1 / 16, 0)).toMatchObject({ largestDifference: 1 / 16, tolerances: 0.5 });
  expect(delta(2 + 1 / 2, 2)).toMatchObject({ largestDifference: 0.5, tolerances: 2 });
});

it("a tolerance may be relative to the largest element of its tensor", () => {
  const delta = (relativeTo: "element" | "largest element") =>
    deltaOf(
      { name: "grad", group: "gradients", tensor: torch.tensor([4, 1 / 8]) },
      torch.tensor([4, 1 / 16]),
      { relative: 1 / 64, absolute: 0, relativeTo },
      1,
    ).tolerances;
  // A sixteenth apart, and a 64th of 4 or of a sixteenth allowed.
  expect([delta("largest element"), delta("element")]).toEqual([1, 64]);
});

it("tolerances and the groups' factors can be replaced", () => {
  const wide = lab.parity({
    build: (device) => build(device, 1e-2),
    devices: ["mps", "cpu"],
    steps: 1,
    tolerances: { float32: { relative: 1e-2, absolute: 1e-2 } },
    factors: { "other weights": 2 },
  });
  expect(wide.within).toBe(true);
});

describe("a record of another machine", () => {
  const losses = lab.parity({ build, devices: ["cpu", "cpu"], steps: 2 }).losses.map(({ value }) => value!);

  it("is compared loss by loss and metric by metric, as a delta table", () => {
    const record = { source: "A100", losses: [losses[0]!, losses[1]! + 0.5], metrics: { accuracy: 0.8 } };
    const parity = lab.parity({ build, devices: ["cpu"], steps: 2, record });
    expect(parity.record!.source).toBe("A100");
    expect(parity.record!.deltas.map(({ name, within }) => [name, within])).toEqual([
      ["loss of step 1", true],
      ["loss of step 2", false],
      ["accuracy", true],
    ]);
    expect(parity.record!.deltas[1]!.delta).toBeCloseTo(-0.5, 6);
    expect(parity.within).toBe(false);
  });

  it("that is shorter leaves the rest without a counterpart", () => {
    const parity = lab.parity({
      build,
      devices: ["cpu"],
      steps: 2,
      record: { source: "A100", losses: [losses[0]!] },
    });
    expect(parity.record!.deltas[1]).toMatchObject({
      name: "loss of step 2",
      other: null,
      delta: null,
      within: false,
    });
  });
});

describe("misuse", () => {
  it.each<[string, unknown, string, string]>([
    ["no build", {}, "TypeError", "build must be a function of a device"],
    ["three devices", { build, devices: ["cpu", "cpu", "cpu"] }, "TypeError", "devices must be one or two"],
    [
      "one device without a record",
      { build, devices: ["cpu"] },
      "TypeError",
      "one device is compared with a record",
    ],
    ["no steps", { build, steps: 0 }, "RangeError", "steps must be an integer of at least 1"],
    [
      "a build of something else",
      { build: () => ({}), devices: ["cpu", "cpu"] },
      "TypeError",
      "build must return { model, step }",
    ],
    [
      "a record without losses",
      { build, record: { source: "x" } },
      "TypeError",
      "record.losses must be a list",
    ],
    [
      "a step without a loss",
      { build: (device: string) => ({ ...build(device), step() {} }), devices: ["cpu", "cpu"] },
      "TypeError",
      "a step must return its loss",
    ],
  ])("%s is refused", (_, options, name, message) => {
    expect(() => lab.parity(options as never)).toThrow(
      expect.objectContaining({ name, message: expect.stringContaining(message) }),
    );
  });
});
