// The step table of a real training step: on the CPU, then on Metal.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { lab, nn, optim, torch } from "../../../../../lib/index.ts";
import { simulated } from "../../../../helpers/metal_device.ts";

torch.setNumThreads(1);

function step(device: "cpu" | "mps") {
  const model = new nn.Sequential(new nn.Linear(8, 8), new nn.ReLU(), new nn.Linear(8, 2)).to(device);
  const optimizer = new optim.Adam(model.parameters());
  return () => {
    const x = torch.stack([torch.ones([8]), torch.zeros([8])]).to(device);
    const target = torch.tensor([0, 1]).to(device);
    optimizer.zeroGrad();
    const loss = nn.functional.crossEntropy(model(x), target);
    const value = loss.item();
    loss.backward();
    optimizer.step();
    return value;
  };
}

const phaseNames = (trace: lab.Trace) => trace.phases.map(({ phase }) => phase);

describe("on the CPU", () => {
  const trace = lab.trace(step("cpu"), { device: "cpu" });

  it("the parts of the step are told in order; nothing moves", () => {
    expect(phaseNames(trace)).toEqual([
      "batch assembly",
      "forward pass",
      "loss read",
      "backward pass",
      "optimizer step",
    ]);
    expect(trace.switches).toEqual([]);
  });

  it("there is no device side, and no sync point", () => {
    for (const { deviceMs, syncPoints, locations, kernels } of trace.phases) {
      expect(deviceMs).toBeNull();
      expect(kernels.every((kind) => kind === "cpu")).toBe(true);
      expect(syncPoints).toEqual([]);
      expect(locations.every((device) => device === "cpu")).toBe(true);
    }
  });

  it("the parts' host times add up to the step's", () => {
    const sum = trace.phases.reduce((total, { hostMs, waitedMs }) => total + hostMs + waitedMs, 0);
    expect(sum).toBeLessThanOrEqual(trace.queuedMs);
    expect(sum).toBeGreaterThan(0);
  });
});

describe("on a device with a queue", () => {
  it("the batch moves, the loss read is a sync point with its line, and the device has its side", () => {
    const trace = lab.trace(step("mps"), { device: "mps" });
    expect(phaseNames(trace)).toEqual([
      "batch assembly",
      "device move",
      "forward pass",
      "loss read",
      "backward pass",
      "optimizer step",
    ]);
    const [assembly, move, forward, read] = trace.phases;
    expect(assembly!.locations).toEqual(["cpu"]);
    expect(move!.locations).toEqual(["mps"]);
    expect(forward!.locations).toEqual(["mps"]);
    expect(read!.syncPoints).toEqual([expect.stringMatching(/^item at .*trace\.test\.ts:17$/)]);
    // What only copies or reads computes nowhere.
    expect(trace.phases.map(({ kernels }) => kernels)).toEqual([["cpu"], [], ["mps"], [], ["mps"], ["mps"]]);
    expect(trace.phases.every(({ deviceMs }) => deviceMs !== null && deviceMs >= 0)).toBe(true);
    expect(trace.notes).toEqual(
      simulated ? ["The device is simulated by this machine's processor: no time here is a GPU's."] : [],
    );
    expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
  });

  it("what the host waits is no part of its own time: both together are no more than the step", () => {
    const x = torch.ones([384, 384], { device: "mps" });
    const trace = lab.trace(
      () => {
        let y = x;
        for (let i = 0; i < 8; i++) y = y.matmul(x);
        return y.sum().item();
      },
      { device: "mps" },
    );
    const sum = (part: "hostMs" | "waitedMs") => trace.phases.reduce((total, one) => total + one[part], 0);
    expect(sum("waitedMs")).toBeGreaterThan(0);
    expect(sum("hostMs") + sum("waitedMs")).toBeLessThanOrEqual(trace.queuedMs);
    expect(phaseNames(trace)).toEqual(["other operators", "loss read"]);
    expect(inspect(trace)).toContain("The step stays on one kind of device.");
  });

  it("says when the step had returned, and when the device had finished it", () => {
    const x = torch.ones([512, 512], { device: "mps" });
    const trace = lab.trace(() => {
      for (let i = 0; i < 20; i++) x.matmul(x);
    });
    // The host only queues: what it takes must not stand for the step.
    expect(trace.finishedMs).toBeGreaterThan(trace.queuedMs);
    expect(inspect(trace)).toMatch(
      /^One step on mps( \(simulated\))?: finished after [\d.]+ m?s, queued after [\d.]+ [mµ]?s$/m,
    );
    // The device side is of the run after this one, and may be longer than what the first line says.
    expect(inspect(trace)).toMatch(/^The device side was timed in another run of the step/m);
  });

  it("operators on the device that are given no batch are other operators, on the CPU as well", () => {
    for (const device of ["mps", "cpu"] as const) {
      const x = torch.ones([4], { device });
      const trace = lab.trace(() => x.mul(2).add(1).sum(), { device });
      expect(phaseNames(trace)).toEqual(["other operators"]);
      expect(trace.phases[0]!.operators).toBe(3);
    }
  });

  it("a way to the CPU is a backend switch, and so is the way back", () => {
    const x = torch.ones([4], { device: "mps" });
    const trace = lab.trace(() => {
      const y = x.mul(2).cpu().add(1);
      return y.to("mps").mul(3);
    });
    expect(phaseNames(trace)).toEqual(["device move", "other operators", "loss read"]);
    expect(trace.switches).toMatchObject([
      { operator: "to", from: "mps", to: "cpu", cause: "copy" },
      { operator: "to", from: "cpu", to: "mps", cause: "copy" },
    ]);
    expect(trace.copies).toMatchObject([
      { from: "mps", to: "cpu", bytes: 16, line: expect.stringMatching(/trace\.test\.ts:\d+$/) },
      { from: "cpu", to: "mps", bytes: 16, stagedBefore: null },
    ]);
  });

  it("a gradient that goes back to the other device is a copy of the backward", () => {
    const weight = torch.ones([4], { device: "mps" }).requiresGrad_();
    const trace = lab.trace(() => weight.cpu().mul(2).sum().backward());
    expect(trace.copies).toMatchObject([
      { from: "mps", to: "cpu", bytes: 16 },
      { from: "cpu", to: "mps", bytes: 16, stagedBefore: null },
    ]);
    expect(trace.copies[1]!.line).toBe(trace.copies[0]!.line);
  });

  // On the CPU a step is not run once more for the device's time: the last one inside is watched from outside, too.
  it.each(["cpu", "mps"] as const)(
    "a step may trace a step itself on the %s; both tell their copies",
    (device) => {
      const weight = torch.ones([4], { device: "mps" }).requiresGrad_();
      const inner: lab.Trace[] = [];
      const trace = lab.trace(
        () => {
          inner.push(lab.trace(() => weight.cpu().sum().backward(), { device }));
          weight.cpu().sum().backward();
        },
        { device },
      );
      for (const { copies } of inner) expect(copies.map(({ to }) => to)).toEqual(["cpu", "mps"]);
      expect(trace.copies.slice(-2).map(({ to }) => to)).toEqual(["cpu", "mps"]);
    },
  );

  // A Mac's own libtorch does not tell them.
  it.skipIf(!simulated)(
    "an operator that the device lacks is a fallback, apart from what the step copies",
    () => {
      // PyTorch lets the scaling of rows fall back without being told to.
      const table = new nn.Embedding(4, 2, { maxNorm: 1 }).to("mps");
      const index = torch.tensor([1]).to("mps");
      const trace = lab.trace(() => table(index).sum());
      const there = { operator: "embedding_renorm_", cause: "fallback", line: expect.any(String) };
      expect(trace.switches).toMatchObject([
        { ...there, from: "mps", to: "cpu" },
        { ...there, from: "cpu", to: "mps" },
      ]);
      expect(trace.copies).toEqual([]);
      const lookup = trace.phases.find(({ phase }) => phase === "forward pass")!;
      expect([lookup.locations, lookup.kernels.toSorted()]).toEqual([["mps"], ["cpu", "mps"]]);
    },
  );

  it.skipIf(!simulated)("a batch to mps, a fallback, mps and the host: four switches on four lines", () => {
    const table = new nn.Embedding(4, 2, { maxNorm: 1 }).to("mps");
    const [index, weight] = [torch.tensor([1]), torch.ones([1])];
    const trace = lab.trace(() => {
      const [x, w] = [index.to("mps"), weight.to("mps")];
      return table(x).sum().mul(w).cpu();
    });
    expect(trace.switches.map(({ operator, from, to, cause }) => [operator, from, to, cause])).toEqual([
      ["to", "cpu", "mps", "copy"],
      ["embedding_renorm_", "mps", "cpu", "fallback"],
      ["embedding_renorm_", "cpu", "mps", "fallback"],
      ["to", "mps", "cpu", "copy"],
    ]);
    expect(trace.copies).toHaveLength(3);
    expect(inspect(trace)).toMatch(
      /^4 backend switches: cpu to mps at to \(.*:\d+\); mps to cpu and back at embedding_renorm_, a fallback \(.*:\d+\); mps to cpu at to \(.*:\d+\)\.$/m,
    );
  });

  it("what a step copies twice unchanged is told with its line; that lab.trace runs it again is not", () => {
    const [mask, batch, buffer] = [torch.ones([256]), torch.ones([4]), torch.ones([2])];
    const trace = lab.trace(() => {
      const held = batch.to("mps");
      buffer.to("mps");
      buffer.add_(1);
      buffer.to("mps");
      const once = mask.to("mps").sum();
      return mask.to("mps").sum().add(held.sum()).add(once);
    });
    expect(trace.copies.map(({ bytes, stagedBefore }) => [bytes, stagedBefore !== null])).toEqual([
      [16, false],
      [8, false],
      [8, false],
      [1024, false],
      [1024, true],
    ]);
    expect(trace.notes.filter((note) => note.includes("again"))).toEqual([
      expect.stringMatching(
        /^1 KiB go from cpu to mps again at .*trace\.test\.ts:\d+, unchanged since at .*trace\.test\.ts:\d+: keep the first copy\.$/,
      ),
    ]);
  });
});

it("what is no step is refused", () => {
  expect(() => lab.trace(null as never)).toThrow(
    "lab.trace takes a step and runs it, as lab.trace(() => trainStep()), not null.",
  );
});
