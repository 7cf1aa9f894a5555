// Tests what `lab.compare` takes: functions that share a model and move it, and functions that return anything.
import { describe, expect, it } from "vitest";
import { lab, nn, torch } from "../../../../../lib/index.ts";
import { label } from "../../../../helpers/metal_device.ts";

const QUICK = { warmup: 1, repeats: 3, repeatMs: 0 } as const;

describe("lab.compare", () => {
  it("lets candidates move a model that they share", () => {
    const model = new nn.Linear(4, 2);
    const x = torch.ones([3, 4]);
    const result = lab.compare(
      (device) => {
        model.to(device);
        const here = x.to(device);
        return () => model(here);
      },
      { ...QUICK, repeats: 20, devices: ["cpu", "mps"] },
    );
    expect(result.results.map(({ device, repeats }) => [device, repeats])).toEqual([
      ["cpu", 20],
      [label, 20],
    ]);
  });

  it("takes functions that return different things, a model too", async () => {
    const model = new nn.Linear(4, 2);
    const options = { ...QUICK, devices: ["cpu"] } as const;
    const { results } = lab.compare(
      { nothing: () => {}, number: () => 1, tensor: () => torch.ones([2]), moved: () => model.to("cpu") },
      options,
    );
    expect(results.map(({ name }) => name)).toEqual(["nothing", "number", "tensor", "moved"]);
    const mixed = lab.compare({ later: async () => torch.ones([2]), set: () => () => "up" }, options);
    expect((await mixed).results).toHaveLength(2);
  });
});
