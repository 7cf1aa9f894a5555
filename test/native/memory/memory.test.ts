// Memory: what the allocator counts, keeps and gives back; that the collector sees tensors; what running out looks like.
import { describe, expect, it } from "vitest";
import { runProgram } from "../programs.ts";

const MiB = 1024 * 1024;

describe("the host allocator", () => {
  it("counts what tensors asked for, and keeps what they freed", () => {
    const stats = runProgram(`
      const x = operator("zeros")([${MiB}]);
      const held = native.memoryStats("cpu");
      native.dispose(x);
      return [held, native.memoryStats("cpu")];
    `) as Record<string, number>[];
    expect(stats.map(({ allocatedBytes }) => allocatedBytes)).toEqual([4 * MiB, 0]);
    expect(stats[1]!["driverBytes"]).toBe(stats[0]!["driverBytes"]);
    expect(stats[1]!["peakBytes"]).toBe(4 * MiB);
  });

  it("gives a freed block to the next tensor of its size", () => {
    const same = runProgram(`
      return [100, 10_000, 1_000_000].map((size) => {
        const first = operator("zeros")([size]);
        const { address } = native.storage(first);
        native.dispose(first);
        return native.storage(operator("zeros")([size])).address === address;
      });
    `);
    expect(same).toEqual([true, true, true]);
  });

  it("returns emptied caches to the system: the resident set shrinks", () => {
    const { before, freed, after, held } = runProgram(`
      for (const [size, count] of [[64, 200_000], [5_000, 2_000], [200_000, 200], [5_000_000, 10]]) {
        const tensors = Array.from({ length: count }, () => operator("ones")([size]));
        tensors.forEach((tensor) => native.dispose(tensor));
      }
      gc();
      const before = process.memoryUsage().rss;
      const freed = native.emptyCache("cpu");
      return { before, freed, after: process.memoryUsage().rss, held: native.memoryStats("cpu").driverBytes };
    `) as Record<string, number>;
    expect(held).toBe(0);
    expect(freed!).toBeGreaterThan(200 * MiB);
    expect(before! - after!).toBeGreaterThan(0.8 * freed!);
  });

  it("cuts blocks of up to 2 MiB from shared regions: what was freed in pieces serves a larger one", () => {
    const held = runProgram(`
      const pieces = Array.from({ length: 64 }, () => operator("ones")([100_000]));
      const between = operator("ones")([100_000]);
      pieces.forEach((tensor) => native.dispose(tensor));
      native.emptyCache("cpu");
      const before = process.memoryUsage().rss;
      const larger = Array.from({ length: 16 }, () => operator("ones")([400_000]));
      return {
        inside: larger.filter((tensor) => Math.abs(Number(native.storage(tensor).address - native.storage(between).address)) < ${32 * MiB}).length,
        grown: process.memoryUsage().rss - before,
        sums: new Set(larger.map((tensor) => native.item(operator("sum")(tensor)))).size,
      };
    `) as Record<string, number>;
    expect(held["inside"]).toBe(16);
    expect(held["sums"]).toBe(1);
    expect(held["grown"]).toBeLessThan(40 * MiB);
  });

  it("resetPeak starts the peak anew", () => {
    const peak = runProgram(`
      native.dispose(operator("zeros")([${MiB}]));
      native.resetPeak("cpu");
      return native.memoryStats("cpu").peakBytes;
    `);
    expect(peak).toBe(0);
  });
});

describe("the collector", () => {
  it("frees tensors in a loop that never yields", () => {
    const peak = runProgram(`
      const zeros = operator("zeros");
      for (let i = 0; i < 3_000; i++) zeros([${MiB / 4}]);
      return native.memoryStats("cpu").peakBytes;
    `) as number;
    // 3,000 tensors of 1 MiB each.
    expect(peak).toBeLessThan(400 * MiB);
  });

  it("sees what a scalar loss holds: its whole graph", () => {
    const peak = runProgram(`
      const x = operator("randn")([512, 1024], { requiresGrad: true });
      const exp = operator("exp"), sum = operator("sum");
      for (let i = 0; i < 1_000; i++) sum(exp(x));
      return native.memoryStats("cpu").peakBytes;
    `) as number;
    expect(peak).toBeLessThan(400 * MiB);
  });

  it("frees a graph of half a million operations without overflowing the stack", () => {
    const freed = runProgram(`
      const add = operator("add");
      let x = operator("zeros")([1], { requiresGrad: true });
      for (let i = 0; i < 500_000; i++) x = add(x, 1);
      x = null;
      gc();
      return native.memoryStats("cpu").allocatedBytes;
    `);
    expect(freed).toBe(0);
  });
});

describe("out of memory", () => {
  const limited = `native.setHostLimits({ recommendedBytes: ${64 * MiB}, highWatermark: 1, lowWatermark: 1 });
    const zeros = operator("zeros");`;

  it("is told with the numbers and the largest tensors of that device, one for each storage", () => {
    const told = runProgram(`${limited}
      native.setOutOfMemoryFormatter((message, device, holders) =>
        Object.assign(new OutOfMemoryError(message), { device, holders: holders.map(({ address, ...rest }) => rest) }));
      native.setOrigin("Cell [2]");
      globalThis.kept = zeros([${8 * MiB}]);
      globalThis.view = operator("view")(kept, [2, ${4 * MiB}]);
      try { zeros([${16 * MiB}]); } catch (error) {
        return [error.constructor.name, error.message, error.device, error.holders];
      }
    `);
    expect(told).toEqual([
      "OutOfMemoryError",
      expect.stringMatching(
        /^zeros\(\): out of host memory: 64\.0 MiB wanted, 32\.0 MiB held by tensors, .* 64\.0 MiB allowed \(got size \[16777216\]\)\.$/,
      ),
      "cpu",
      [{ tensor: "float32 [8388608]", bytes: 32 * MiB, cell: "Cell [2]" }],
    ]);
  });

  it("comes only after tensors that nobody holds were collected", () => {
    const made = runProgram(`${limited}
      native.setCollector(gc, gc);
      let made = 0;
      for (; made < 50; made++) zeros([${4 * MiB}]);
      return made;
    `);
    expect(made).toBe(50);
  });

  it("leaves the session working", () => {
    const sum = runProgram(`${limited}
      try { zeros([1e9]); } catch {}
      return native.item(operator("sum")(operator("ones")([1000])));
    `);
    expect(sum).toBe(1000);
  });
});
