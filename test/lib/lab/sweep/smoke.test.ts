// Tests the smoke window and the memory plateau test, which run here and on a remote by the same call.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { lab, type Tensor, torch } from "../../../../lib/index.ts";

const step = () => torch.ones([8, 8]).sum();

describe("a smoke window", () => {
  it("of a sound step passes: a finite loss, memory flat over ten flushes", async () => {
    const result = await lab.smoke({ setup: () => step, point: { batch: 8 } });
    expect(result).toMatchObject({
      device: "cpu",
      passed: true,
      failures: [],
      window: { point: { batch: 8 }, status: "measured", loss: { value: 64, finite: true } },
      plateau: { live: { verdict: "steady", epochs: 10 }, footprint: { epochs: 10 } },
    });
    expect(inspect(result)).toContain("Passed: long work may be attached.");
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it("of a step that retains tensors fails in both tests, and names the holder", async () => {
    const kept: Tensor[] = [];
    const { passed, failures, plateau } = await lab.smoke({
      setup: () => () => void kept.push(torch.ones([64, 256]).exp()),
    });
    expect(passed).toBe(false);
    expect(plateau!.live.verdict).toBe("growing");
    expect(failures).toEqual([
      expect.stringMatching(/^A step leaves .* behind: \[64, 256\] float32 of 64 KiB by exp/),
      expect.stringMatching(
        /^Memory of live tensors grew from .* over 10 flushes: suspect retained tensors\.$/,
      ),
    ]);
  });

  it.each<[string, lab.SmokeOptions["setup"], string]>([
    [
      "throws",
      () => () => {
        throw new RangeError("no");
      },
      "The step did not run (failed): RangeError: no",
    ],
    [
      "is none",
      () => ({}) as never,
      "The step did not run (failed): TypeError: The setup must return a step",
    ],
    ["loses its number", () => () => Number.NaN, "The loss is not finite."],
    ["never ends", () => () => new Promise(() => {}), "The step did not run (deadline): DeadlineError"],
  ])("of a step that %s says so", async (_name, setup, words) => {
    const { passed, failures } = await lab.smoke({ setup, deadlineMs: 2000 });
    expect(passed).toBe(false);
    expect(failures[0]).toContain(words);
  });

  it("of a step whose garbage nobody holds passes: memory is read after a flush", async () => {
    const { plateau, failures } = await lab.smoke({ setup: () => () => void torch.ones([64, 256]).exp() });
    expect([failures, plateau!.live.verdict, plateau!.live.rise]).toEqual([[], "steady", 0]);
  });

  it("of a step that stops ending in the plateau test says so", async () => {
    let setups = 0;
    const { failures } = await lab.smoke({
      deadlineMs: 2000,
      setup: () => (++setups === 1 ? step : () => new Promise(() => {})),
    });
    expect(failures).toEqual([
      "The plateau test did not end: The measurement ran longer than its deadline (deadlineMs: 2000) and was stopped. Raise deadlineMs, or make the step smaller.",
    ]);
  });
});

it.each<[string, unknown, string]>([
  ["no setup", {}, "lab.smoke: setup must be a function of a point"],
  ["a point without a batch", { setup: () => step, point: {} }, "lab.smoke: point.batch must be an integer"],
  ["a misspelt option", { setup: () => step, points: [] }, 'unknown option "points"'],
  ["no steps", { setup: () => step, stepsPerEpoch: 0 }, "stepsPerEpoch must be"],
])("misuse: %s", async (_name, options, words) => {
  await expect(lab.smoke(options as never)).rejects.toThrow(words);
});
