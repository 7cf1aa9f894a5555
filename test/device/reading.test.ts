// itemAsync() and dataAsync() on the device under test: JavaScript goes on while the device works.
import { describe, expect, it } from "vitest";
import { torch } from "../../lib/index.ts";
import { native } from "../../lib/torch/engine/native.ts";
import { device, queues, simulated } from "./device_under_test.ts";

/** Work of some milliseconds. */
function busy() {
  const size = simulated ? 128 : 1024;
  let x = torch.full([size, size], 1 / size, { device });
  for (let i = 0; i < 50; i++) x = x.matmul(x);
  return x;
}

describe(`on ${device}`, () => {
  it("several values come as they were when they were asked for, without a wait of the main thread", async () => {
    const x = torch.ones([3], { device });
    busy();
    const before = native.waited().waits;
    const asked = [x.sum().itemAsync(), x.at(0).itemAsync(), x.dataAsync().then((data) => [...data])];
    if (queues) x.mul_(100);
    expect(native.waited().waits).toBe(before);
    expect(await Promise.all(asked)).toEqual([3, 1, [1, 1, 1]]);
    expect(native.waited().waits).toBe(before);
  });

  it.runIf(queues)("timers run while the device works", async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 0);
    for (let i = 0; i < 20; i++) busy();
    await busy().sum().itemAsync();
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(0);
  });

  it.runIf(queues)("a tensor that is disposed meanwhile is said so, and the session goes on", async () => {
    const x = torch.ones([1], { device });
    const asked = [x.itemAsync(), x.dataAsync()];
    x.dispose();
    for (const one of asked) await expect(one).rejects.toMatchObject({ name: "UseAfterDisposeError" });
    expect(await torch.full([1], 2, { device }).itemAsync()).toBe(2);
  });

  it("the value outlives the tidy in which it was asked for", async () => {
    const x = torch.ones([1], { device });
    let asked: Promise<number> | undefined;
    torch.tidy(() => {
      asked = x.itemAsync();
    });
    expect(await asked).toBe(1);
  });
});
