// `lab.memorySnapshot` and `lab.recordMemory` on the CPU: what was alive at the peak, what outlives, by line; misuse.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { lab, torch } from "../../../../lib/index.ts";

torch.setNumThreads(1);
const KiB = 1024;
const file = fileURLToPath(import.meta.url);
const source = readFileSync(file, "utf8").split("\n");
/** The line of this file that ends with such a comment. */
const lineWith = (comment: string) =>
  `${file}:${source.findIndex((line) => line.endsWith(`// ${comment}`)) + 1}`;
const siteOf = (sites: readonly lab.AllocationSite[], comment: string) =>
  sites.find(({ line }) => line === lineWith(comment));

const everyLine = true;

describe("a memory snapshot", () => {
  it("says what was alive at the peak, by the line that allocated it", async () => {
    const { device, peak } = await lab.memorySnapshot(
      () => {
        const x = torch.ones([64, KiB]); // 256 KiB
        const y = x.neg(); // 256 KiB more
        x.dispose();
        const z = y.sum(); // little
        return z;
      },
      { everyLine },
    );
    expect(device).toBe("cpu");
    expect(peak.sites.slice(0, 2)).toEqual([
      {
        line: lineWith("256 KiB"),
        bytes: 256 * KiB,
        blocks: 1,
        epochs: 0,
        operators: ["aten::ones"],
        variables: [],
      },
      {
        line: lineWith("256 KiB more"),
        bytes: 256 * KiB,
        blocks: 1,
        epochs: 0,
        operators: ["aten::neg"],
        variables: [],
      },
    ]);
    expect(peak.bytes).toBe(peak.earlierBytes + 512 * KiB);
    expect(siteOf(peak.sites, "little")).toBeUndefined();
  });

  it("says what outlives the function, after a garbage collection", async () => {
    const kept: unknown[] = [];
    const { outlives } = await lab.memorySnapshot(
      () => {
        for (let i = 0; i < 3; i++) {
          const x = torch.ones([KiB]);
          kept.push(x.add(i)); // kept
        }
      },
      { everyLine },
    );
    expect(outlives).toMatchObject({
      bytes: 12 * KiB,
      sites: [{ line: lineWith("kept"), bytes: 12 * KiB, blocks: 3, operators: ["aten::add"] }],
    });
    expect(kept).toHaveLength(3);
  });

  it("names the nodes of a backward, with the line that called it", async () => {
    const weight = torch.ones([KiB], { requiresGrad: true });
    const { outlives } = await lab.memorySnapshot(
      () => {
        weight.mul(weight).sum().backward(); // backward
      },
      { everyLine },
    );
    const site = siteOf(outlives.sites, "backward")!;
    expect(site).toMatchObject({ bytes: 4 * KiB, blocks: 1 });
    expect(site.operators).toEqual(["MulBackward0"]);
    expect(weight.grad).not.toBeNull();
  });

  it("names what a hook of a backward calls, operators and nodes, with its own lines", async () => {
    const weight = torch.ones([KiB], { requiresGrad: true });
    const inner = torch.ones([KiB], { requiresGrad: true });
    const kept: unknown[] = [];
    weight.registerHook((grad) => {
      kept.push(grad.neg()); // operator of the hook
      torch.enableGrad(() => inner.mul(inner).sum().backward()); // backward of the hook
    });
    const { outlives } = await lab.memorySnapshot(
      () => {
        weight.exp().sum().backward(); // outer backward
      },
      { everyLine },
    );
    const operatorsAt = (comment: string) => siteOf(outlives.sites, comment)?.operators;
    expect(operatorsAt("operator of the hook")).toEqual(["aten::neg"]);
    expect(operatorsAt("backward of the hook")).toEqual(["MulBackward0"]);
    // It copies a gradient that a hook has seen.
    expect(operatorsAt("outer backward")).toEqual(["torch::autograd::AccumulateGrad"]);
    expect(kept).toHaveLength(1);
  });

  it("counts memory from before the recording apart, and that it went", async () => {
    const before = torch.ones([256, KiB]);
    const snapshot = await lab.memorySnapshot(() => before.dispose());
    expect(snapshot.peak).toMatchObject({ bytes: snapshot.startBytes, sites: [], atMs: 0 });
    expect(snapshot.startBytes - snapshot.endBytes).toBe(1024 * KiB);
    expect(snapshot).toMatchObject({ allocations: 0, releases: 1 });
  });

  it("awaits the function, and lets its error through with the recording stopped", async () => {
    const snapshot = await lab.memorySnapshot(async () => {
      await Promise.resolve();
      torch.ones([4]);
    });
    expect(snapshot.allocations).toBe(1);
    await expect(lab.memorySnapshot(() => Promise.reject(new Error("mine")))).rejects.toThrow("mine");
    expect(await lab.memorySnapshot(() => {})).toMatchObject({ allocations: 0, releases: 0, devices: [] });
  });

  it("keeps the latest events, and blocks whose events fell out", async () => {
    const kept = new Set<unknown>();
    const snapshot = await lab.memorySnapshot(
      () => {
        kept.add(torch.ones([KiB])); // early
        for (let i = 0; i < 50; i++) torch.ones([1]).dispose();
      },
      { maxEvents: 10, everyLine },
    );
    expect(snapshot.droppedEvents).toBe(101 - 10);
    expect(snapshot.outlives).toMatchObject({
      bytes: 4 * KiB,
      sites: [{ line: lineWith("early"), blocks: 1 }],
    });
  });

  it("shows itself as a table, with the chart for a page", async () => {
    const kept: unknown[] = [];
    const snapshot = await lab.memorySnapshot(() => kept.push(torch.ones([256, KiB])), { everyLine });
    const text = inspect(snapshot);
    expect(text).toMatch(/^Memory of .+ on cpu: peak .+ after .+, 1 MiB outlive; 1 allocation, 0 releases$/m);
    expect(text).toContain("ones");
    const bundle = await (snapshot as unknown as Record<symbol, () => Promise<Record<string, unknown>>>)[
      Symbol.for("Jupyter.display")
    ]!();
    expect(Object.keys(bundle)).toEqual(["application/vnd.vegalite.v5+json", "image/png", "text/plain"]);
    expect(bundle["text/plain"]).toBe(text);
    expect(JSON.stringify(snapshot)).not.toContain("save");
  });
});

describe("a recording", () => {
  it("gives snapshots until it stops, and what lines keep from epoch to epoch", () => {
    const kept: unknown[] = [];
    using recording = lab.recordMemory({ everyLine });
    for (const epoch of lab.epochs(3)) {
      torch.ones([KiB]).neg();
      kept.push(torch.full([KiB], epoch, { dtype: "float32" })); // leak
    }
    const { epochs, outlives } = recording.snapshot();
    expect(epochs).toBe(3);
    expect(siteOf(outlives.sites, "leak")).toMatchObject({ blocks: 3, epochs: 3, bytes: 12 * KiB });
    expect(recording.snapshot().outlives.bytes).toBe(outlives.bytes);
    const counted = recording.events;
    expect(counted).toBeGreaterThan(12);
    recording.stop();
    recording.stop();
    torch.ones([1]);
    expect(recording.events).toBe(counted);
    expect(() => recording.snapshot()).toThrow(
      "recording.snapshot: the recording was stopped. Take the snapshot before stop().",
    );
  });

  it("is the only one of its process", async () => {
    using _ = lab.recordMemory();
    expect(() => lab.recordMemory()).toThrow("A memory history is being recorded already: stop it first.");
    await expect(lab.memorySnapshot(() => {})).rejects.toThrow("stop it first");
  });
});

describe("misuse", () => {
  it("is refused with the way out", async () => {
    await expect(lab.memorySnapshot(7 as never)).rejects.toThrow(
      "lab.memorySnapshot takes a function and calls it, as lab.memorySnapshot(() => step()), not 7.",
    );
    expect(() => lab.recordMemory({ maxEvents: 0 })).toThrow(RangeError);
    expect(() => lab.recordMemory({ maxEvents: 1e9 })).toThrow(
      "lab.recordMemory: maxEvents may be at most 100000000, which take 3.2 GB, got 1000000000. Record a shorter stretch.",
    );
    expect(() => lab.recordMemory({ everyline: true } as never)).toThrow(/everyline/);
  });
});
