// What measurements see of a captured step: the trace, the profiler, memory, the ledger; and what times replays.
import { describe, expect, it } from "vitest";
import { type Tensor, amp, functional as F, lab, nn, optim, torch } from "../../../lib/index.ts";
import { observeCalls } from "../../../lib/torch/engine/observe.ts";

function training() {
  torch.manualSeed(0);
  const model = new nn.Linear(4, 2);
  const optimizer = new optim.AdamW(model.parameters());
  const scaler = new amp.GradScaler({ initScale: 4 });
  const x = torch.rand([3, 4]);
  const step = (x: Tensor) => {
    optimizer.zeroGrad();
    const loss = model(x).square().mean();
    loss.backward();
    optimizer.step();
    return loss;
  };
  const scaled = (x: Tensor) => {
    optimizer.zeroGrad();
    const loss = model(x).square().mean();
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
    return loss;
  };
  return { model, scaler, step, scaled, x };
}

/** The first calls record and compare; from here on all are replays. */
function captured(step: (x: Tensor) => Tensor, x: Tensor) {
  const replay = torch.capture(step, { checkEvery: 0 });
  for (let call = 0; call < 4; call++) replay(x).dispose();
  return replay;
}

describe("a replay", () => {
  it("is one call for observers, with the operators of its program", () => {
    const { step, x } = training();
    const replay = captured(step, x);
    const seen: [string, number, number][] = [];
    const stop = observeCalls(({ name, operators, depth }) => seen.push([name, operators, depth]));
    replay(x);
    stop();
    expect(seen).toEqual([["captured step", expect.any(Number), 0]]);
    expect(seen[0]![1]).toBeGreaterThan(5);
  });

  it("is one phase of lab.trace", () => {
    const { step, x } = training();
    const replay = captured(step, x);
    const { phases } = lab.trace(() => replay(x));
    expect(phases.map(({ phase }) => phase)).toEqual(["captured step"]);
    expect(phases[0]).toMatchObject({ locations: ["cpu"], kernels: ["cpu"], syncPoints: [], waitedMs: 0 });
    expect(phases[0]!.operators).toBeGreaterThan(5);
  });

  it("is a span of the profiler, above its operators", () => {
    const { step, x } = training();
    const replay = captured(step, x);
    const profile = torch.profiler.profile({}, () => replay(x));
    const events = profile.events();
    const span = events.findIndex(({ name }) => name === "captured step");
    const below = events.filter(({ parent }) => parent === span);
    expect(below.map(({ name }) => name)).toContain("aten::_fused_adamw_");
  });
});

describe("steps that a GradScaler left out inside of a captured step", () => {
  it("go to the ledger at the end of their epoch, as a number", () => {
    const { scaled, x } = training();
    const replay = captured(scaled, x);
    lab.ledger.clear();
    for (const epoch of lab.epochs(3))
      for (let batch = 0; batch < 4; batch++) replay(epoch === 1 && batch > 1 ? x.mul(Infinity) : x);
    const { loop } = lab.ledger.epochs[0]!;
    expect(lab.ledger.skippedSteps).toEqual([
      { optimizer: "AdamW", steps: 2, scale: 2, loop, epoch: 1, atMs: expect.any(Number) },
    ]);
    lab.ledger.clear();
  });
});

describe("capture: true", () => {
  it("times replays with lab.benchmark", () => {
    let calls = 0;
    const step = () => {
      calls++;
      return torch.ones([2]).add(1);
    };
    const { warmupCalls } = lab.benchmark(step, { warmup: 0, calls: 10, repeats: 3, capture: true });
    expect([calls, warmupCalls]).toEqual([2, 4]);
  });

  it("times replays of what a candidate of lab.compare sets up", () => {
    let calls = 0;
    lab.compare(
      () => {
        const x = torch.ones([2]);
        return () => {
          calls++;
          return x.add(1);
        };
      },
      { devices: ["cpu"], warmup: 0, calls: 10, repeats: 3, capture: true },
    );
    expect(calls).toBe(2);
  });

  it("times replays with lab.sweep, whose batches are arguments", async () => {
    let calls = 0;
    const { points } = await lab.sweep({
      setup: ({ batch }) => {
        const model = new nn.Linear(4, 1);
        return {
          data: () => torch.rand([batch, 4]),
          step(x: Tensor) {
            calls++;
            return F.mseLoss(model(x), torch.zeros([batch, 1])).detach();
          },
        };
      },
      ...{ batch: [2], windows: 2, windowMs: 5, warmupSteps: 1, journal: null, show: false, capture: true },
    });
    expect(points[0]).toMatchObject({ status: "measured", first: { steps: 4 } });
    expect(calls).toBe(2);
  });
});
