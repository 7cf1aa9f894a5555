// The queue of the device under test: events, waiting, and what makes the host wait.
import { describe, expect, it } from "vitest";
import { accelerator, cpu, torch } from "../../lib/index.ts";
import { native } from "../../lib/torch/engine/native.ts";
import { device, queues } from "./device_under_test.ts";

const timed = () => new accelerator.Event({ enableTiming: true }, device);

describe(`events on ${device}`, () => {
  it("time what ran between them", () => {
    const [start, end] = [timed(), timed()];
    const x = torch.randn([256, 256], { device });
    start.record();
    for (let i = 0; i < 50; i++) x.matmul(x);
    end.record();
    end.synchronize();
    expect(end.query()).toBe(true);
    expect(start.elapsedTime(end)).toBeGreaterThan(0);
  });

  it("may be recorded again, waited for, and asked before they were recorded", () => {
    const event = new accelerator.Event({}, device);
    expect(event.query()).toBe(true);
    event.synchronize();
    event.wait();
    event.record();
    event.record();
    event.wait();
    event.synchronize();
    expect(event.query()).toBe(true);
  });

  const misuse: [string, () => unknown, string, string][] = [
    [
      "an end that is no event",
      () => timed().elapsedTime(1 as never),
      "TypeError",
      "accelerator.Event.elapsedTime: the end must be another accelerator.Event, got 1.",
    ],
    [
      "a start that was never recorded",
      () => timed().elapsedTime(timed()),
      "RangeError",
      "accelerator.Event.elapsedTime: the start was never recorded; call its record() first.",
    ],
    [
      "an event without timing",
      () => new accelerator.Event({}, device).elapsedTime(timed()),
      "RangeError",
      "accelerator.Event.elapsedTime: the start was made without timing; make it with new accelerator.Event({ enableTiming: true }).",
    ],
    [
      "an unknown option",
      () => new accelerator.Event({ timing: true } as never, device),
      "TypeError",
      'accelerator.Event: unknown option "timing"; it takes enableTiming.',
    ],
    [
      "a device that does not exist",
      () => new accelerator.Event({}, "gpu" as never),
      "TypeError",
      `"gpu" names no device; ${native.devices().available.join(", ")} ${native.devices().available.length === 1 ? "is" : "are"} here.`,
    ],
  ];
  it.each(misuse)("%s is refused", (_, call, name, message) => {
    expect(call).toThrow(expect.objectContaining({ name, message }));
  });

  it.skipIf(!queues)("of two devices are not compared", () => {
    const [start, end] = [timed(), new accelerator.Event({ enableTiming: true }, "cpu")];
    start.record();
    end.record();
    expect(() => start.elapsedTime(end)).toThrow(`both events must be of ${device}, but the end is of cpu.`);
    expect(cpu.currentAllocatedMemory()).toBeGreaterThanOrEqual(0);
  });
});

/** How often the host waits for the device in a call. */
function waits(call: () => unknown): number {
  const before = native.waited().waits;
  call();
  return native.waited().waits - before;
}

describe(`the host waits for ${device}`, () => {
  const x = torch.tensor([3, -1, 2], { dtype: "float32" }).to(device);
  const index = torch.tensor([2, 0], { dtype: "int64" }).to(device);
  const once = queues ? 1 : 0;

  it.each<[string, () => unknown]>([
    ["item()", () => x.sum().item()],
    ["cpu()", () => x.cpu()],
    ["to() another device", () => x.to("cpu", { copy: true })],
    ["a batch that comes from the CPU", () => torch.ones([3]).to(device)],
    ["copy_() from the CPU", () => x.clone().copy_(torch.ones([3]))],
    ["nonzero()", () => x.nonzero()],
    ["a mask as an index", () => x.index([x.gt(0)])],
    ["maskedSelect()", () => x.maskedSelect(x.gt(0))],
    ["equal()", () => x.equal(x)],
  ])("once in %s", (_, call) => {
    expect(waits(call)).toBe(once);
  });

  it.each<[string, () => unknown]>([
    ["arithmetic", () => x.add(1).mul(x).sum()],
    ["an index tensor", () => x.index([index])],
    ["a conversion of dtype", () => x.to("float16")],
    ["to() the same device", () => x.to(device)],
    ["a copy that need not wait", () => x.to("cpu", { nonBlocking: true })],
    ["filling", () => x.clone().fill_(2)],
  ])("never in %s", (_, call) => {
    expect(waits(call)).toBe(0);
  });

  it("as long as synchronize() lasts", () => {
    const a = torch.randn([512, 512], { device });
    accelerator.synchronize(device);
    const before = native.waited().waitedMs;
    for (let i = 0; i < 20; i++) a.matmul(a);
    accelerator.synchronize(device);
    const waitedMs = native.waited().waitedMs - before;
    if (queues) expect(waitedMs).toBeGreaterThan(0);
    else expect(waitedMs).toBe(0);
  });
});
