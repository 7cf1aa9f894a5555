// A sweep on the device under test: what a step leaves there, and what it returns without reading it.
import { describe, expect, it } from "vitest";
import { lab, type Tensor, torch } from "../../lib/index.ts";
import { device, queues } from "./device_under_test.ts";

const QUICK = { warmupSteps: 1, windows: 2, windowMs: 5, device, journal: null } as const;

describe("a step that returns a tensor left on the device", () => {
  const x = torch.ones([4, 4], { device });

  it("has its loss read outside of the timing, and that is said", async () => {
    const { points } = await lab.sweep({ ...QUICK, batch: [1], setup: () => () => x.sum() });
    expect(points[0]).toMatchObject({ status: "measured", loss: { value: 16, finite: true }, leak: null });
    expect(points[0]!.notes).toEqual(
      queues
        ? [`The step returns a tensor on ${x.device}; it was read once a window, outside of the timing.`]
        : [],
    );
  });

  it("and keeps it from step to step leaks, and the holder is named", async () => {
    const kept: Tensor[] = [];
    const { points } = await lab.sweep({
      ...QUICK,
      batch: [1],
      setup: () => () => {
        const y = torch.ones([64, 256], { device }).exp();
        kept.push(y);
        return y;
      },
    });
    expect(points[0]!.leak!.bytesPerStep).toBeCloseTo(64 * 1024, -3);
    expect(points[0]!.leak!.holders).toEqual([
      expect.stringMatching(/^\[64, 256\] float32 of 64 KiB by exp at .*sweep\.test\.ts:\d+$/),
    ]);
  });

  it("of NaN says that the training does not stand", async () => {
    const { points } = await lab.sweep({ ...QUICK, batch: [1], setup: () => () => x.sub(x).div(0).sum() });
    expect(points[0]!.loss).toEqual({ value: null, finite: false });
    expect(points[0]!.notes).toContain("The loss became NaN: the times stand, the training does not.");
  });
});
