// Tests `lab.sweep` as a cell calls it, on this machine's real device: the deadline, leaks, and what is shown.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { installOutputSink } from "../../../../lib/display.ts";
import { lab, nn, optim, type Tensor, torch } from "../../../../lib/index.ts";
import { resultOf } from "../../../../lib/records/batch_sweeps/result.ts";
import { showSweep } from "../../../../lib/lab/sweep/show.ts";
import { ScriptedSink } from "../scripted_sink.ts";

torch.setNumThreads(1);
const VEGA = "application/vnd.vegalite.v5+json";
const QUICK = { warmupSteps: 1, windows: 2, windowMs: 5 } as const;
let folder: string;
let journal: string;
let sink: ScriptedSink;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sweep-"));
  journal = path.join(folder, "a.jsonl");
  sink = new ScriptedSink();
  sink.live = false;
  installOutputSink(sink);
});
afterEach(() => rmSync(folder, { recursive: true }));

function classifier() {
  const model = new nn.Sequential(new nn.Linear(32, 16), new nn.ReLU(), new nn.Linear(16, 4));
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.01 });
  return ({ batch }: lab.Point) => {
    const target = torch.zeros([batch], { dtype: "int64" });
    return {
      data: () => torch.ones([batch, 32]),
      forward: (x: Tensor) => torch.noGrad(() => model(x)),
      step(x: Tensor) {
        optimizer.zeroGrad();
        const loss = nn.functional.crossEntropy(model(x), target);
        loss.backward();
        optimizer.step();
        return loss;
      },
    };
  };
}

it("timers have their turn between two points of steps that never wait", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const turnsAtSetup: number[] = [];
  await lab.sweep({
    ...QUICK,
    batch: [1, 2, 4],
    setup() {
      turnsAtSetup.push(turns);
      return () => torch.ones([64]).add(1);
    },
  });
  clearInterval(timer);
  const [first, second, third] = turnsAtSetup as [number, number, number];
  expect(second).toBeGreaterThan(first);
  expect(third).toBeGreaterThan(second);
});

describe("a sweep of a classifier", () => {
  it("measures every batch up to the last, chooses one, and is plain data", async () => {
    const result = await lab.sweep({
      ...QUICK,
      name: "tour",
      setup: classifier(),
      batch: { from: 4, to: 16 },
    });
    expect(result.points.map(({ point, status }) => [point.batch, status])).toEqual([
      [4, "measured"],
      [8, "measured"],
      [16, "measured"],
    ]);
    for (const { steady, dataOnly, forwardOnly, memory, loss } of result.points) {
      expect(steady!.samplesPerSecond.median).toBeGreaterThan(0);
      expect(dataOnly!.batchMs).toBeGreaterThan(0);
      expect(forwardOnly!.forwardMs).toBeGreaterThan(0);
      expect(memory!.peakBytes).toBeGreaterThan(memory!.baseBytes);
      expect(loss!.finite).toBe(true);
    }
    expect(result.choices).toHaveLength(1);
    expect(result.ends).toEqual(["The largest batch is 16: no larger one was asked for."]);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it("shows progress, then a table and two charts with pictures, in one place of the output", async () => {
    sink.live = true;
    const result = await lab.sweep({ ...QUICK, setup: classifier(), batch: [4, 8] });
    await sink.settled();
    const [table, throughput, memory] = sink.outputs();
    expect(sink.outputs()).toHaveLength(3);
    expect(String(sink.shown[0]!.data["text/plain"])).toMatch(/^sweep: 0 of 2 points, now batch [48]$/);
    expect(String(table!.data["text/plain"])).toContain(`Best batch: ${result.choices[0]!.bestBatch}`);
    expect(sink.held).toEqual([result]);
    expect(sink.held[0]).toBe(result);
    for (const chart of [throughput!, memory!]) {
      expect(Object.keys(chart.data).toSorted()).toEqual([VEGA, "image/png", "text/plain"]);
    }
  });

  it("that is not to be shown puts out nothing", async () => {
    sink.live = true;
    await lab.sweep({ ...QUICK, setup: () => () => {}, batch: [1], show: false });
    expect(sink.shown).toEqual([]);
  });

  it("shows at the end of an interval what came last in it: that may run for long", () => {
    vi.useFakeTimers();
    try {
      sink.live = true;
      const show = showSweep(sink);
      const facts = {
        name: "sweep",
        device: "cpu",
        seed: 0,
        points: [],
        ends: [],
        resumedPoints: 0,
        cutOffPoints: [],
        journal: null,
      };
      const progress = (running: string) => ({ done: 0, total: 3, running: [running] });
      for (const batch of [1, 2, 3]) show.update(resultOf(facts), progress(`batch ${batch}`));
      const texts = () => sink.shown.map(({ data }) => data["text/plain"]);
      expect(texts()).toEqual(["sweep: 0 of 3 points, now batch 1"]);
      vi.advanceTimersByTime(249);
      expect(texts()).toHaveLength(1);
      vi.advanceTimersByTime(1);
      expect(texts()).toEqual(["sweep: 0 of 3 points, now batch 1", "sweep: 0 of 3 points, now batch 3"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("of a grid runs all combinations in an order that the seed fixes", async () => {
    const orderOf = async (seed: number) => {
      const seen: string[] = [];
      await lab.sweep({
        ...QUICK,
        seed,
        windowMs: 0,
        batch: [1, 2],
        grid: { workers: [0, 1], dtype: ["float32", "float16"] },
        setup({ batch, workers, dtype }) {
          seen.push(`${batch} ${String(workers)} ${String(dtype)}`);
          return () => {};
        },
      });
      return seen;
    };
    const order = await orderOf(3);
    expect(await orderOf(3)).toEqual(order);
    expect(await orderOf(4)).not.toEqual(order);
    expect(new Set(order).size).toBe(8);
  });
});

describe("a point with a deadline", () => {
  it("ends a step that never ends, where it calls operators", async () => {
    const x = torch.ones([4]);
    const result = await lab.sweep({
      ...QUICK,
      deadlineMs: 300,
      batch: [1],
      setup: () => () => {
        for (;;) x.add(1);
      },
    });
    expect(result.points[0]).toMatchObject({
      status: "deadline",
      error:
        "DeadlineError: The measurement ran longer than its deadline (deadlineMs: 300) and was stopped. Raise deadlineMs, or make the step smaller.",
    });
    expect(x.add(1).tolist()).toEqual([2, 2, 2, 2]);
  });

  it("is its own: a sweep that waits beside it, overdue, and operators of nobody's are not stopped", async () => {
    const x = torch.ones([4]);
    const options = { ...QUICK, windows: 1, batch: [1], show: false };
    const short = lab.sweep({ ...options, deadlineMs: 100, setup: () => () => new Promise(() => {}) });
    const until = performance.now() + 300;
    const busy = () => {
      while (performance.now() < until) x.add(1);
    };
    const long = lab.sweep({ ...options, deadlineMs: 60_000, setup: () => busy });
    expect((await long).points[0]!.status).toBe("measured");
    for (const end = performance.now() + 100; performance.now() < end;) x.add(1);
    expect((await short).points[0]!.error).toBe(
      "DeadlineError: The measurement ran longer than its deadline (deadlineMs: 100) and was stopped. Raise deadlineMs, or make the step smaller.",
    );
  });

  it("ends a step whose promise never settles", async () => {
    const never = () => new Promise(() => {});
    const result = await lab.sweep({ ...QUICK, deadlineMs: 100, batch: [1], setup: () => never });
    expect(result.points[0]!.status).toBe("deadline");
  });
});

it("a step that leaks names what it leaves behind, and the line that made it", async () => {
  const kept: Tensor[] = [];
  const result = await lab.sweep({
    ...QUICK,
    batch: [1],
    setup: () => () => {
      kept.push(torch.ones([64, 256]).exp());
    },
  });
  const { leak } = result.points[0]!;
  expect(leak!.bytesPerStep).toBeCloseTo(64 * 1024, -3);
  expect(leak!.holders).toEqual([
    expect.stringMatching(/^\[64, 256\] float32 of 64 KiB by exp at .*sweep\.test\.ts:\d+$/),
  ]);
});

it("a point out of memory is recorded, and the sweep goes on", async () => {
  const result = await lab.sweep({
    ...QUICK,
    batch: [1, 2 ** 45],
    setup: ({ batch }) => {
      const x = torch.empty([batch]);
      return () => x.sum();
    },
  });
  const byBatch = new Map(result.points.map((record) => [record.point.batch, record]));
  expect(byBatch.get(2 ** 45)!.status).toBe("out of memory");
  expect(byBatch.get(1)!.status).toBe("measured");
});

describe("a step that goes wrong is said plainly, and the other points are measured", () => {
  const x = torch.ones([4, 4]);
  const wrong: Record<string, () => unknown> = {
    throws: () => {
      throw new RangeError("no such layer");
    },
    "throws what is no error": () => {
      throw "stop";
    },
    rejects: () => Promise.reject(new TypeError("mat1 and mat2 do not fit")),
    "throws an operator's error": () => x.matmul(torch.ones([3]) as Tensor),
    "never settles": () => new Promise(() => {}),
    "never ends": () => {
      for (;;) x.add(1);
    },
    "returns a disposed tensor": () => {
      const loss = x.sum();
      loss.dispose();
      return loss;
    },
    "loses its number": () => Number.NaN,
    "loses its number in a tensor": () => x.sum().div(0),
    "returns something else": () => ({ loss: 1 }),
    "returns a whole tensor": () => x,
    sound: () => x.sum(),
  };
  const NAN = "the times stand, the training does not.";

  it("each in its own record", async () => {
    const result = await lab.sweep({
      ...QUICK,
      journal,
      // Long beside the steps that end, on a busy machine too.
      deadlineMs: 5000,
      samples: 2,
      batch: [1, 3],
      grid: { step: Object.keys(wrong) },
      setup: ({ step }) => wrong[String(step)]!,
    });
    const records = new Map(
      result.points.filter(({ point }) => point.batch === 1).map((one) => [one.point["step"], one]),
    );
    const told = (step: string) => {
      const { status, error, loss, notes } = records.get(step)!;
      return [status, error, loss, notes];
    };
    expect(told("throws")).toEqual(["failed", "RangeError: no such layer", null, []]);
    expect(told("throws what is no error")).toEqual(["failed", "Uncaught stop", null, []]);
    expect(told("rejects")).toEqual(["failed", "TypeError: mat1 and mat2 do not fit", null, []]);
    expect(told("throws an operator's error")[0]).toBe("failed");
    expect(told("throws an operator's error")[1]).toMatch(/\[4, 4\].*\[3\]|\(4x4 and 3\)|4x4/);
    for (const step of ["never settles", "never ends"])
      expect(told(step)).toEqual([
        "deadline",
        "DeadlineError: The measurement ran longer than its deadline (deadlineMs: 5000) and was stopped. Raise deadlineMs, or make the step smaller.",
        null,
        [],
      ]);
    expect(told("returns a disposed tensor")).toEqual(["measured", null, null, []]);
    expect(told("loses its number")).toEqual([
      "measured",
      null,
      { value: null, finite: false },
      [`The loss became NaN: ${NAN}`],
    ]);
    expect(told("loses its number in a tensor")).toEqual([
      "measured",
      null,
      { value: null, finite: false },
      [`The loss became Infinity: ${NAN}`],
    ]);
    expect(told("returns something else")).toEqual(["measured", null, null, []]);
    expect(told("returns a whole tensor")).toEqual(["measured", null, null, []]);
    expect(told("sound")).toEqual(["measured", null, { value: 16, finite: true }, []]);
    const tooLarge = result.points.filter(({ point }) => point.batch === 3);
    expect(new Set(tooLarge.map(({ error }) => error))).toEqual(
      new Set(["RangeError: batch 3 is larger than the data set of 2 samples."]),
    );
    // All of it is in the journal, for whoever reads it later.
    const kept = readFileSync(journal, "utf8").trim().split("\n");
    expect(kept.filter((line) => line.startsWith('{"type":"point"'))).toHaveLength(result.points.length);
  });

  it("a later failure leaves what was measured before it", async () => {
    let steps = 0;
    const { points } = await lab.sweep({
      ...QUICK,
      batch: [1],
      setup: () => () => {
        if (++steps > 2) throw new RangeError("no more data");
        for (const until = performance.now() + 20; performance.now() < until;);
      },
    });
    expect(points[0]).toMatchObject({
      status: "failed",
      error: "RangeError: no more data",
      first: { steps: 1 },
      steady: { windows: 1 },
    });
  });
});

describe("misuse", () => {
  const setup = () => () => {};
  it.each<[string, unknown, string, string]>([
    ["nothing", undefined, "TypeError", "lab.sweep takes options"],
    ["no setup", {}, "TypeError", "setup must be a function of a point"],
    ["a misspelt option", { setup, batches: [1] }, "TypeError", 'unknown option "batches"'],
    ["a batch of none", { setup, batch: [0] }, "RangeError", "batch[0] must be an integer of at least 1"],
    ["a batch twice", { setup, batch: [2, 2] }, "RangeError", "batch 2 is given twice"],
    ["no batches", { setup, batch: [] }, "RangeError", "a list without any batch"],
    [
      "an end before the start",
      { setup, batch: { from: 8, to: 4 } },
      "RangeError",
      "batch.to, 4, must not be below batch.from, 8",
    ],
    ["a grid that is a list", { setup, grid: [1] }, "TypeError", "grid must be an object of lists"],
    [
      "the batch in the grid",
      { setup, grid: { batch: [1] } },
      "TypeError",
      "the batch stands beside the grid",
    ],
    [
      "a grid's value that is no data",
      { setup, grid: { f: [setup] } },
      "TypeError",
      "grid.f holds the function setup",
    ],
    [
      "a share beyond all",
      { setup, memoryShare: 2 },
      "RangeError",
      "memoryShare must be at least 0.01 and at most 1",
    ],
    ["a name that is a path", { setup, name: "a/b" }, "TypeError", "name must be of letters"],
    ["a model that is none", { setup, model: {} }, "TypeError", "model must be an nn.Module"],
    ["a device that is not here", { setup, device: "cuda:9" }, "RangeError", "is not available here"],
  ])("%s is refused", async (_, options, name, message) => {
    await expect(lab.sweep(options as never)).rejects.toThrow(
      expect.objectContaining({ name, message: expect.stringContaining(message) }),
    );
  });
});
