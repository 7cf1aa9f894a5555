// PyTorch's variables for the watermarks, read when the device is made: which values are refused, with whose words, and
// what the allocator does where the low one is off. The numbers follow from the rules as in allocator.test.ts.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mps, type Tensor, torch } from "../../lib/index.ts";

const MiB = 2 ** 20;
const HIGH = "PYTORCH_MPS_HIGH_WATERMARK_RATIO";
const LOW = "PYTORCH_MPS_LOW_WATERMARK_RATIO";

function setVariables(variables: Readonly<Record<string, string>>): void {
  for (const name of [HIGH, LOW]) delete process.env[name];
  Object.assign(process.env, variables);
}
afterAll(() => setVariables({}));

describe("are refused, and no device is made:", () => {
  it.each([
    [
      "a high one alone that is below the low one's default",
      { [HIGH]: "0.7" },
      "invalid low watermark ratio 1.4",
    ],
    ["a high one above 2", { [HIGH]: "2.5" }, "invalid high watermark ratio 2.5"],
    ["a high one below 0", { [HIGH]: "-1" }, "invalid high watermark ratio -1"],
    ["a low one above the high one", { [HIGH]: "1", [LOW]: "1.1" }, "invalid low watermark ratio 1.1"],
    [
      "a low one above 2 where the high one is off",
      { [HIGH]: "0", [LOW]: "2.1" },
      "invalid low watermark ratio 2.1",
    ],
  ])("%s", (_, variables, message) => {
    setVariables(variables);
    expect(() => mps.simulate({ memory: "4GB" })).toThrow(
      expect.objectContaining({ name: "RangeError", message: expect.stringContaining(message) }),
    );
    expect(mps.simulation()).toBeNull();
  });
});

describe("a low one of 0", () => {
  beforeAll(() => {
    setVariables({ [LOW]: "0" });
    // The high watermark is at 4,867,629,601 bytes, 4,642 MiB.
    expect(mps.simulate({ memory: "4GB" })).toMatchObject({ limitBytes: 4_867_629_601 });
  });
  const held: Tensor[] = [];
  const take = (bytes: number) => held.push(torch.empty([bytes], { dtype: "uint8", device: "mps" }));
  const memory = () => [mps.currentAllocatedMemory() / MiB, mps.driverAllocatedMemory() / MiB];
  afterAll(() => {
    for (const tensor of held) tensor.dispose();
  });

  it("knows no pressure: the heap is of its tier up to the high watermark", () => {
    for (const size of [1888, 1888, 608]) take(size * MiB);
    expect(memory()).toEqual([4384, 4384]);
    for (let i = 0; i < 7; i++) {
      // The rest of a heap of 32 MiB would be enough: it is used up first.
      take(5 * MiB);
      take(27 * MiB);
    }
    expect(memory()).toEqual([4608, 4608]);
  });

  it("lets a free range serve what fits once free heaps are given back, before there is a new heap", () => {
    take(MiB);
    take(5 * MiB);
    expect(memory()).toEqual([4614, 4648]);
    held.splice(-2, 1)[0]!.dispose();
    // With 2 MiB more the high watermark would be passed, so the heap of small buffers (8 MiB) is released. The 27 MiB
    // that are free then serve the request.
    take(2 * MiB);
    expect(memory()).toEqual([4615, 4640]);
  });
});
