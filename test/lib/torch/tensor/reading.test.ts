// itemAsync() and dataAsync(): what item() and data() give, as promises. What a device that queues its work adds to
// that is in test/device/reading.test.ts.
import { describe, expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";
import { native } from "../../../../lib/torch/engine/native.ts";

describe("on the CPU", () => {
  it.each([
    [torch.tensor(2.5), 2.5],
    [torch.tensor([[true]]), true],
    [torch.tensor(2n ** 62n), 2n ** 62n],
    [torch.tensor({ re: 1, im: -2 }), { re: 1, im: -2 }],
  ])("itemAsync() of %s gives %o", async (tensor, value) => {
    expect(await tensor.itemAsync()).toEqual(value);
  });

  it("dataAsync() gives the tensor's own memory, as data() does", async () => {
    const x = torch.zeros([2]);
    const data = await x.dataAsync();
    data[1] = 5;
    expect(x.tolist()).toEqual([0, 5]);
  });

  it("what cannot be read is refused by the promise", async () => {
    await expect(torch.ones([2]).itemAsync()).rejects.toThrow(
      new RangeError(
        "item() reads a tensor of one element, and this one has shape [2]: use tolist(), or at(...) to choose one.",
      ),
    );
    await expect(torch.eye(2).toSparse().dataAsync()).rejects.toThrow(/\.toDense\(\)/);
    const disposed = torch.ones([1]);
    disposed.dispose();
    await expect(disposed.itemAsync()).rejects.toMatchObject({ name: "UseAfterDisposeError" });
    await expect(disposed.dataAsync()).rejects.toMatchObject({ name: "UseAfterDisposeError" });
  });
});

describe("the promise that an event was passed", () => {
  const recorded = () => {
    const event = native.acquireEvent("cpu", false);
    native.recordEvent(event);
    return event;
  };

  it("comes from another thread, for several events at once", async () => {
    let settled = false;
    const all = Promise.all([recorded(), recorded(), recorded()].map((event) => native.eventPassed(event)));
    void all.then(() => (settled = true));
    await Promise.resolve();
    expect(settled).toBe(false);
    expect(await all).toEqual([undefined, undefined, undefined]);
  });

  it("survives the event's release", async () => {
    const event = recorded();
    const passed = native.eventPassed(event);
    native.releaseEvent(event);
    await passed;
    expect(() => native.eventPassed(event)).toThrow(new TypeError("The event was released."));
  });
});
