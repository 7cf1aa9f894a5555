// `lab.utilization`: the union of operators' times on the device, and what it says on the CPU and on a simulated device.
import { expect, it } from "vitest";
import { lab, mps, torch } from "../../../../../lib/index.ts";
import { busyMs } from "../../../../../lib/lab/measures/utilization/busy.ts";

const event = (parent: number, deviceBeginMs: number | null, deviceTimeMs: number) => ({
  parent,
  deviceBeginMs,
  deviceTimeMs,
});

it("counts operators that overlap once, gaps not at all, and callers by what they called", () => {
  expect(busyMs([event(-1, 0, 2), event(-1, 1, 2), event(-1, 10, 1)])).toBe(4);
  expect(busyMs([event(-1, 0, 10), event(0, 1, 2), event(0, 8, 2)])).toBe(4);
  expect(busyMs([event(-1, null, 0), event(0, 1, 2)])).toBe(2);
  expect(busyMs([])).toBe(0);
});

it("is refused on the CPU", () => {
  expect(() => lab.utilization(() => 1, { device: "cpu" })).toThrow(
    "lab.utilization: the CPU computes while the host waits, so that it has no time of its own: measure on mps or cuda.",
  );
});

it("measures a device: one that computes is busier than one whose host sleeps", async () => {
  mps.simulate({ memory: "8GB" });
  const x = torch.ones([256, 256]).to("mps");
  const compute = () => {
    for (let at = 0; at < 10; at++) x.matmul(x);
  };
  const busy = lab.utilization(compute, { device: "mps", steps: 4 });
  const idle = await lab.utilization(
    async () => {
      x.add(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
    { device: "mps", steps: 4 },
  );
  expect(busy).toMatchObject({
    device: "mps (simulated)",
    steps: 4,
    notes: [expect.stringContaining("GPU")],
  });
  expect(busy.source).toBe("lab.utilization on mps (simulated), 4 steps, events around operators");
  expect(busy.windowsMs).toHaveLength(3);
  expect(idle.value).toBeLessThan(busy.value);
  // As evidence: a simulated device decides nothing.
  const { missing } = lab.decide(
    { utilization: busy },
    { rules: [{ name: "idle", when: [{ fact: "utilization", below: 0.18 }], lane: "mps", action: "." }] },
  );
  expect(missing).toEqual([
    "how busy the device is (give utilization: lab.utilization(step) on a real machine; mps (simulated) is this machine's processor)",
  ]);
});
