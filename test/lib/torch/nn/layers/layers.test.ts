// Every layer against PyTorch: from equal seeds equal state dicts to the bit, outputs and gradients up to rounding, and
// as many random numbers drawn.
import { describe, expect, it } from "vitest";
import { type nn, torch } from "../../../../../lib/index.ts";
import { FEATURES } from "./features.ts";
import { expectRecorded, records } from "./recorded.ts";
import { SEQUENCES } from "./sequences.ts";
import { SPATIAL } from "./spatial.ts";

const LAYERS = { ...SPATIAL, ...FEATURES, ...SEQUENCES };

it("every layer that PyTorch recorded is tested here, and no other", () => {
  expect(Object.keys(LAYERS).sort()).toEqual(Object.keys(records).sort());
});

/** On simulated Metal: there are no sparse tensors, and what falls back to the CPU draws from the CPU's generator. */
const NOT_ON_METAL = new Set(["Embedding sparse", "RReLU"]);

describe.each(Object.entries(LAYERS))("%s", (name, build) => {
  const absent = torch.getDefaultDevice() === "mps" && NOT_ON_METAL.has(name);
  it.skipIf(absent)("gives PyTorch's state dict, outputs and gradients", () => {
    expectRecorded(records[name]!, build);
  });

  it.skipIf(absent)("gives the same once more as a copy, whatever becomes of the original", () => {
    const copied = (): nn.Module => {
      const original = build.make();
      const copy = original.clone();
      torch.noGrad(() => original.parameters().forEach((parameter) => parameter.fill_(NaN)));
      return copy;
    };
    expectRecorded(records[name]!, { ...build, make: copied });
  });
});
