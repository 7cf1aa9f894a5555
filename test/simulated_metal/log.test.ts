// `lab.log` with tensors of a device that has a queue: the host does not wait for them inside the loop.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lab, mps, torch } from "../../lib/index.ts";

beforeAll(() => void mps.simulate());
beforeEach(() => lab.ledger.clear());

const on = (value: number) => torch.full([], value, { device: "mps" });

describe("lab.log of a tensor on the device", () => {
  it("waits for nothing until the epoch is flushed", () => {
    const x = torch.full([512, 512], 1 / 512, { device: "mps" });
    for (const _ of lab.epochs(1)) {
      for (let batch = 0; batch < 4; batch++) lab.log({ loss: x.matmul(x).sum() });
      lab.log({ last: x.sum() }, { reduce: "last" });
    }
    const [{ metrics, waitMs, finalWaitMs }] = lab.ledger.epochs as [lab.EpochRecord];
    expect(metrics["loss"]).toBeCloseTo(512, 1);
    expect(metrics["last"]).toBeCloseTo(512, 1);
    // All of the epoch's waiting is the wait at its end.
    expect(waitMs).toBe(finalWaitMs);
  });

  it("adds up in float32 what is in half precision, and beside numbers", () => {
    for (const _ of lab.epochs(1)) {
      for (let batch = 0; batch < 3000; batch++) lab.log({ loss: on(2).to("float16") });
      lab.log({ loss: 2 });
    }
    expect(lab.ledger.epochs[0]!.metrics).toEqual({ loss: 2 });
  });

  it("outlives a tidy scope, and what is done to the tensor afterwards", () => {
    for (const _ of lab.epochs(1)) {
      torch.tidy(() => {
        const loss = on(3);
        lab.log({ loss });
        loss.fill_(100);
      });
      lab.log({ loss: on(1) });
    }
    expect(lab.ledger.epochs[0]!.metrics).toEqual({ loss: 2 });
  });

  it("takes the last of them", () => {
    for (const _ of lab.epochs(1)) for (const lr of [on(1), 2, on(3)]) lab.log({ lr }, { reduce: "last" });
    expect(lab.ledger.epochs[0]!.metrics).toEqual({ lr: 3 });
  });

  it("leaves no memory behind", () => {
    const names = Array.from({ length: 20 }, (_, at) => `metric ${at}`);
    for (const _ of lab.epochs(6)) {
      for (let batch = 0; batch < 4; batch++)
        lab.log(Object.fromEntries(names.map((name) => [name, on(batch)])));
    }
    expect(lab.growth(lab.ledger.epochs).verdict).toBe("steady");
  });
});
