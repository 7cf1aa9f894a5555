// Tests what `lab.tune` keeps and what it says of the rest, on a scripted clock.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { lab, nn, type Tensor, torch } from "../../../../lib/index.ts";
import { useScriptedClock } from "../scripted_device.ts";
import { knobOf, QUICK, training } from "./scripted_training.ts";

beforeEach(() => {
  useScriptedClock();
  torch.setNumThreads(2);
});
afterEach(() => vi.useRealTimers());

describe("a value that gains more than the spread and computes the same", () => {
  it("is kept, with what it gains, and the session is left as it was", async () => {
    const before = torch.getRngState().tolist();
    const tuned = await lab.tune(
      training(({ threads }) => (threads === 1 ? 4 : 9)),
      { ...QUICK, only: ["threads"], threads: [1, 4] },
    );
    const knob = knobOf(tuned, "threads");
    expect(knob).toMatchObject({
      verdict: "kept",
      before: 2,
      value: 1,
      reason: "1 gives +100% samples a second with a spread of 0%, and the same results after 6 steps.",
    });
    expect(knob.trials.map(({ value, stepMs, gain }) => [value, stepMs, gain])).toEqual([
      [2, 10, null],
      [1, 5, 1],
      [4, 10, 0],
    ]);
    expect(tuned.settings).toEqual({ ...tuned.before, threads: 1 });
    expect(tuned.whole!.after.gain).toBe(1);
    expect(torch.getNumThreads()).toBe(2);
    expect(torch.getRngState().tolist()).toEqual(before);
  });

  it("is what the next knob is compared with", async () => {
    const tuned = await lab.tune(
      training(({ threads, casts }) => (threads === 1 ? 10 : 20) - (casts ? 1 : 0) - 1),
      { ...QUICK, only: ["threads", "autocast"], threads: [1] },
    );
    const [first, second] = tuned.knobs as [lab.TunedKnob, lab.TunedKnob];
    expect([first.verdict, second.verdict]).toEqual(["kept", "kept"]);
    expect(second.trials[0]!.stepMs).toBe(first.trials[1]!.stepMs);
    expect(tuned.whole).toMatchObject({ before: { stepMs: 20 }, after: { stepMs: 9 } });
  });

  it("may be a captured step, which is compared as it replays", async () => {
    const tuned = await lab.tune(
      training(() => 9),
      { ...QUICK, only: ["capture"] },
    );
    expect(knobOf(tuned, "capture")).toMatchObject({ verdict: "kept", value: true });
    expect(knobOf(tuned, "capture").trials[1]).toMatchObject({ stepMs: 1, gain: 9 });
  });

  it("may be weights with their channels last", async () => {
    const make = () => {
      const model = new nn.Sequential(new nn.Conv2d(2, 4, 3), new nn.Flatten(), new nn.Linear(144, 1));
      const x = torch.randn([2, 2, 8, 8]);
      return {
        model,
        step() {
          model.zeroGrad();
          const { weight } = model[0] as nn.Conv2d;
          vi.advanceTimersByTime(weight.isContiguous() ? 10 : 5);
          const loss = model(x).mean();
          loss.backward();
          return loss;
        },
      };
    };
    const tuned = await lab.tune(make, { ...QUICK, only: ["channelsLast"] });
    expect(knobOf(tuned, "channelsLast")).toMatchObject({ verdict: "kept", value: true });
  });
});

describe("a value is not kept", () => {
  it("where it is less than half as fast, which one turn shows", async () => {
    const turns: Record<number, number> = {};
    const tuned = await lab.tune(
      training(({ threads, step }) => {
        if (step === 0) turns[threads] = (turns[threads] ?? 0) + 1;
        return threads === 1 ? 20 : 9;
      }),
      { ...QUICK, rounds: 3, only: ["threads"], threads: [1, 4] },
    );
    expect(knobOf(tuned, "threads")).toMatchObject({ verdict: "no gain", value: 2 });
    expect(turns).toMatchObject({ 1: 1, 4: 3 });
  });

  it("where it gains less than the spread of both", async () => {
    const tuned = await lab.tune(
      training(({ threads, step }) => (threads === 1 ? 8 : 9) + (step % 2 === 0 ? 4 : 0)),
      { ...QUICK, only: ["threads"], threads: [1] },
    );
    expect(knobOf(tuned, "threads")).toMatchObject({
      verdict: "no gain",
      value: 2,
      reason: "1 gives +9.09% samples a second; both spreads together are 17%.",
    });
    expect(tuned.whole).toBeNull();
  });

  it("where turns drift apart: the distance between them is its spread", async () => {
    let steps = 0;
    const tuned = await lab.tune(
      training(({ threads }) => (threads === 1 ? 18 : 19) + 2 * steps++),
      { ...QUICK, rounds: 2, only: ["threads"], threads: [1] },
    );
    const [before, after] = knobOf(tuned, "threads").trials;
    // Turns of 25 and 37 ms.
    expect(before!.spread).toBeCloseTo(6 / 31);
    expect(after!.gain).toBeLessThan(before!.spread! + after!.spread!);
    expect(knobOf(tuned, "threads").verdict).toBe("no gain");
  });

  it("where it computes something else, however fast", async () => {
    const make = ({ batch }: lab.TuneChoice) => {
      const model = new nn.Linear(4, 1);
      return {
        model,
        step() {
          model.zeroGrad();
          vi.advanceTimersByTime(torch.getNumThreads());
          const loss = model(torch.ones([batch, 4]))
            .mean()
            .mul(torch.getNumThreads());
          loss.backward();
          return loss;
        },
      };
    };
    const tuned = await lab.tune(make, { ...QUICK, only: ["threads"], threads: [1] });
    const knob = knobOf(tuned, "threads");
    expect(knob).toMatchObject({ verdict: "other results", value: 2 });
    expect(knob.reason).toMatch(
      /^1 gives \+100% samples a second, and other results: after 6 steps grad of (weight|bias) is [\d.e+]+ tolerances apart\.$/,
    );
    expect(tuned.settings.threads).toBe(2);
  });

  it("where it fails, with the reason of what refused it", async () => {
    const make = () => {
      const model = new nn.Linear(4, 1);
      return {
        model,
        step() {
          vi.advanceTimersByTime(1);
          return model(torch.ones([2, 4]))
            .mean()
            .item();
        },
      };
    };
    const tuned = await lab.tune(make, { ...QUICK, only: ["capture"] });
    const knob = knobOf(tuned, "capture");
    expect(knob.verdict).toBe("failed");
    expect(knob.reason).toMatch(
      /^on failed: TypeError: torch\.capture: the step reads elements on the host, /,
    );
  });

  it("where its loss is no number", async () => {
    const make = ({ autocast }: lab.TuneChoice) => {
      const model = new nn.Linear(4, 1);
      return {
        model,
        step: () =>
          autocast(() => {
            const casts = torch.isAutocastEnabled("cpu");
            vi.advanceTimersByTime(casts ? 1 : 10);
            return model(torch.ones([2, 4]))
              .float()
              .mean()
              .mul(casts ? Number.NaN : 1);
          }),
      };
    };
    const tuned = await lab.tune(make, { ...QUICK, only: ["autocast"] });
    expect(knobOf(tuned, "autocast")).toMatchObject({
      verdict: "failed",
      reason: "bfloat16 failed: The loss is no finite number.",
    });
  });
});

describe("checkpointing", () => {
  it("that is slower says what memory it saves", async () => {
    const make = ({ checkpoint }: lab.TuneChoice) => {
      const model = new nn.Sequential(
        ...Array.from({ length: 8 }, () => [new nn.Linear(16, 16), new nn.Tanh()]).flat(),
      );
      const x = torch.ones([256, 16]);
      return {
        model,
        step() {
          model.zeroGrad();
          const block = (input: Tensor) => {
            vi.advanceTimersByTime(1);
            return model(input);
          };
          const loss = checkpoint(block, [x.clone()]).mean();
          loss.backward();
          return loss;
        },
      };
    };
    const tuned = await lab.tune(make, { ...QUICK, only: ["checkpoint"] });
    const knob = knobOf(tuned, "checkpoint");
    expect(knob.verdict).toBe("no gain");
    expect(knob.trials[1]).toMatchObject({ stepMs: 2, gain: -0.5 });
  });
});

describe("the batch", () => {
  const rising = ({ batch }: { batch: number }) => 15 + batch / 16;

  it("is compared by samples a second, and the smallest near the best is taken", async () => {
    const tuned = await lab.tune(training(rising), { ...QUICK, only: ["batch"], batch: 16 });
    const knob = knobOf(tuned, "batch");
    expect(knob.trials.map(({ value, stepMs }) => [value, stepMs])).toEqual([
      [16, 17],
      [32, 18],
      [64, 20],
      [128, 24],
      [256, 32],
    ]);
    expect(knob).toMatchObject({ verdict: "kept", before: 16, value: 256 });
    expect(knob.trials.every(({ results }) => results === null)).toBe(true);
    expect(tuned.largestBatch!.end).toMatch(/^The processor's memory is the machine's, /);
  });

  it("has no larger one than maxBatch", async () => {
    const options = { ...QUICK, only: ["batch"], batch: 16, maxBatch: 40 } as const;
    const tuned = await lab.tune(training(rising), options);
    expect(knobOf(tuned, "batch").trials.map(({ value }) => value)).toEqual([16, 32, 40]);
  });
});

describe("a knob that is not tried says why", () => {
  const reasons = ({ knobs }: lab.Tuned) =>
    Object.fromEntries(knobs.map(({ knob, verdict, reason }) => [knob, `${verdict}: ${reason}`]));

  it("where the training does not use it, or cannot", async () => {
    const model = new nn.Linear(4, 1);
    const make = () => ({
      model,
      step: async () => {
        vi.advanceTimersByTime(1);
        return model(torch.ones([1, 4])).mean();
      },
    });
    const tuned = await lab.tune(make, { ...QUICK, threads: [2] });
    expect(reasons(tuned)).toEqual({
      threads: "does not apply: There is no value to try beside the present one, 2.",
      channelsLast: "does not apply: The model has no weight of four dimensions, as a Conv2d has.",
      autocast:
        "does not apply: The function that makes the training does not use it: put autocast(() => ...) around the forward pass and the loss.",
      batch:
        "does not apply: The function that makes the training does not use it: make data of batch items.",
      numWorkers:
        "does not apply: The function that makes the training does not use it: give numWorkers to a data.DataLoader.",
      checkpoint:
        "does not apply: The function that makes the training does not use it: call a block of layers by checkpoint(block, [x]).",
      capture: "does not apply: The step returns a promise, which a replay could not repeat.",
    });
  });

  it("where it was not asked for", async () => {
    const tuned = await lab.tune(
      training(() => 1),
      { ...QUICK, only: ["channelsLast"] },
    );
    expect(reasons(tuned)["threads"]).toBe("not asked for: The option only leaves it out.");
  });
});

it("the seed orders the tries", async () => {
  const orderOf = async (seed: number) => {
    const options = { ...QUICK, windows: 1, seed, threads: [1] };
    const make = training(() => 1);
    const tuned = await lab.tune(make, { ...options, only: ["threads", "autocast", "capture"] });
    return tuned.knobs.filter(({ trials }) => trials.length > 0).map(({ knob }) => knob);
  };
  expect(await orderOf(0)).toEqual(["autocast", "capture", "threads"]);
  expect(await orderOf(1)).toEqual(["capture", "autocast", "threads"]);
});

it("a training is closed after each measurement", async () => {
  let open = 0;
  const make = training(() => 1);
  const tuned = await lab.tune(
    async (choice: lab.TuneChoice) => {
      open++;
      return { ...(await make(choice)), close: () => void open-- };
    },
    { ...QUICK, only: ["threads"], threads: [1] },
  );
  expect(open).toBe(0);
  expect(tuned.code).toContain("const training = await make({");
});

it("a setting whose step and close throw has not run, for what the step threw", async () => {
  const make = training(() => 1);
  const tuned = await lab.tune(
    async (choice: lab.TuneChoice) => {
      const made = await make(choice);
      const fails = torch.getNumThreads() === 1;
      return {
        ...made,
        step: (batch: Tensor) => {
          if (fails) throw new RangeError("one thread is not enough");
          return made.step(batch);
        },
        close: () => {
          if (fails) throw new Error("nothing is open");
        },
      };
    },
    { ...QUICK, only: ["threads"], threads: [1] },
  );
  expect(knobOf(tuned, "threads").trials.map(({ value, error }) => [value, error])).toEqual([
    [2, null],
    [1, "RangeError: one thread is not enough"],
  ]);
});

describe("a training that cannot be tuned is refused in a sentence", () => {
  it.each<[string, unknown, string]>([
    [
      "no function",
      7,
      "lab.tune takes a function that makes a training, as ({ batch }) => ({ model, step }), got 7.",
    ],
    [
      "without a model",
      () => ({ step: () => 1 }),
      "lab.tune: the function must return { model, step }, a module and a function, and may return the functions data and close, got an object.",
    ],
    [
      "without a loss",
      () => ({ model: new nn.Linear(1, 1), step: () => {} }),
      "lab.tune: a step must return its loss, a number or a tensor of one element, by which results are compared, got undefined.",
    ],
    [
      "that throws",
      () => {
        throw new RangeError("no such file");
      },
      "no such file",
    ],
  ])("%s", async (_, make, message) => {
    await expect(lab.tune(make as lab.MakeTraining, QUICK)).rejects.toThrow(message);
  });

  it("after it was closed, where its first step throws", async () => {
    let closed = 0;
    const make = () => ({
      model: new nn.Linear(1, 1),
      step: (): number => {
        throw new RangeError("no such file");
      },
      close: () => closed++,
    });
    await expect(lab.tune(make, QUICK)).rejects.toThrow("no such file");
    expect(closed).toBe(1);
  });

  it("with the step's error, where close throws too", async () => {
    const make = () => ({
      model: new nn.Linear(1, 1),
      step: (): number => {
        throw new RangeError("no such file");
      },
      close: () => {
        throw new Error("nothing is open");
      },
    });
    await expect(lab.tune(make, QUICK)).rejects.toThrow("no such file");
  });

  it("and so are options that do not fit", async () => {
    const make = training(() => 1);
    await expect(lab.tune(make, { batch: 8, maxBatch: 4 })).rejects.toThrow(
      "lab.tune: maxBatch, 4, must not be below batch, 8.",
    );
    await expect(lab.tune(make, { only: ["speed" as lab.TuneKnob] })).rejects.toThrow(
      'lab.tune: only[0] must be one of "threads", "channelsLast", "autocast", "batch", "numWorkers", "checkpoint", "capture", got "speed".',
    );
  });
});
