// Memory snapshots of the device under test: its allocations, their lines, a backward on threads of libtorch's own.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lab, torch } from "../../lib/index.ts";
import { device } from "./device_under_test.ts";

const MiB = 1024 * 1024;
const file = import.meta.filename;
const source = readFileSync(file, "utf8").split("\n");
const lineWith = (comment: string) =>
  `${file}:${source.findIndex((line) => line.endsWith(`// ${comment}`)) + 1}`;
const siteOf = (sites: readonly lab.AllocationSite[], comment: string) =>
  sites.find(({ line }) => line === lineWith(comment));

describe(`a memory snapshot of ${device}`, () => {
  it("has its allocations by line, what was alive at the peak and what outlives", async () => {
    const kept: unknown[] = [];
    const snapshot = await lab.memorySnapshot(
      () => {
        const x = torch.ones([MiB], { device }); // made
        kept.push(x.neg()); // kept
      },
      { everyLine: true },
    );
    expect(snapshot.device).toContain(device.replace(/:0$/, ""));
    expect(siteOf(snapshot.peak.sites, "made")).toMatchObject({ bytes: 4 * MiB, blocks: 1 });
    expect(siteOf(snapshot.peak.sites, "kept")).toMatchObject({
      bytes: 4 * MiB,
      operators: ["aten::neg"],
    });
    expect(snapshot.outlives.sites).toEqual([siteOf(snapshot.outlives.sites, "kept")]);
    expect(snapshot.endBytes - snapshot.startBytes).toBe(4 * MiB);
    expect(kept).toHaveLength(1);
  });

  it("has the line of a backward, and its nodes", async () => {
    const weight = torch.ones([MiB], { device }).requiresGrad_();
    const { outlives } = await lab.memorySnapshot(
      () => {
        weight.mul(weight).sum().backward(); // backward
      },
      { everyLine: true },
    );
    expect(siteOf(outlives.sites, "backward")).toMatchObject({
      bytes: 4 * MiB,
      operators: ["MulBackward0"],
    });
    expect(weight.grad).not.toBeNull();
  });
});
