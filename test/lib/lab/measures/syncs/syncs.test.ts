// Tests which lines make the host wait, on a device with a real queue: a Mac's, or the simulated one.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { lab, torch } from "../../../../../lib/index.ts";
import { label } from "../../../../helpers/metal_device.ts";

torch.setNumThreads(1);
const file = fileURLToPath(import.meta.url);
const source = readFileSync(file, "utf8").split("\n");
/** The line of this file that ends with such a comment. */
const lineWith = (comment: string) =>
  `${file}:${source.findIndex((line) => line.endsWith(`// ${comment}`)) + 1}`;

describe("on the CPU, which has no queue", () => {
  it("nothing waits, and the result says why", () => {
    const x = torch.ones([4]);
    const found = lab.syncs(() => x.sum().item(), { device: "cpu" });
    expect(found).toMatchObject({ device: "cpu", calls: 3, waitedMsPerCall: 0, sites: [] });
    expect(found.notes[0]).toMatch(/^cpu has no queue: its operators are done when they return/);
  });
});

describe("on a device with a queue", () => {
  it("the line that waits longest comes first, wherever it stands", () => {
    const x = torch.ones([16], { device: "mps" });
    const large = torch.ones([512, 512], { device: "mps" });
    const { sites } = lab.syncs(
      () => {
        x.nonzero();
        let y = large;
        for (let i = 0; i < 4; i++) y = y.matmul(large);
        return y.sum().item();
      },
      { device: "mps" },
    );
    expect(sites.map(({ operation }) => operation)).toEqual(["item", "nonzero"]);
  });

  it("each line that waits is told with its operation, how often, and what to do instead", () => {
    const x = torch.ones([256, 256], { device: "mps" });
    const found = lab.syncs(
      () => {
        let y = x;
        for (let i = 0; i < 3; i++) {
          y = y.matmul(x);
          y.sum().item(); // reads
        }
        x.nonzero(); // counts
        x.mul(2);
      },
      { calls: 2, device: "mps" },
    );
    expect(found.device).toBe(label);
    const sites = found.sites.toSorted((a, b) => b.waitsPerCall - a.waitsPerCall);
    expect(sites).toMatchObject([
      {
        line: lineWith("reads"),
        operation: "item",
        waitsPerCall: 3,
        advice: expect.stringContaining("itemAsync()"),
      },
      {
        line: lineWith("counts"),
        operation: "nonzero",
        waitsPerCall: 1,
        advice: expect.stringContaining("torch.where"),
      },
    ]);
    const sum = found.sites.reduce((total, site) => total + site.waitedMsPerCall, 0);
    expect(sum).toBeCloseTo(found.waitedMsPerCall, 9);
    expect(found.waitedMsPerCall).toBeLessThanOrEqual(found.hostMsPerCall);
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });

  it("a copy to the host waits; a function that reads nothing does not", () => {
    const x = torch.ones([16], { device: "mps" });
    expect(lab.syncs(() => x.cpu()).sites).toMatchObject([{ waitsPerCall: 1 }]);
    expect(lab.syncs(() => x.add(1).mul(2))).toMatchObject({ sites: [], waitedMsPerCall: 0 });
  });

  it("a wait in a gradient's hook is the hook's, not backward's", () => {
    const x = torch.ones([16], { device: "mps" }).requiresGrad_();
    const found = lab.syncs(() => {
      const y = x.mul(2);
      y.registerHook((grad) => void grad.sum().item()); // hook
      y.sum().backward();
    });
    expect(found.sites).toMatchObject([{ line: lineWith("hook"), operation: "item", waitsPerCall: 1 }]);
  });

  it("operators run unwatched again afterwards, and after a function that throws", () => {
    const x = torch.ones([2], { device: "mps" });
    expect(() =>
      lab.syncs(() => {
        throw new RangeError("no");
      }),
    ).toThrow(RangeError);
    expect(x.add(1).tolist()).toEqual([2, 2]);
  });
});

it.each<[string, () => unknown, string]>([
  ["no function", () => lab.syncs(3 as never), "lab.syncs takes a function"],
  ["a misspelt option", () => lab.syncs(() => {}, { call: 1 } as never), 'unknown option "call"'],
])("%s is refused", (_, misuse, message) => {
  expect(misuse).toThrow(
    expect.objectContaining({ name: "TypeError", message: expect.stringContaining(message) }),
  );
});
