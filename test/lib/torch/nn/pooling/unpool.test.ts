// Max unpooling puts each maximum back where it stood, and takes the output's size where the stride leaves several.
import { describe, expect, it } from "vitest";
import { nn, torch } from "../../../../../lib/index.ts";

describe("nn.MaxUnpool1d", () => {
  const input = torch.tensor([[[1.5, 2, 3, 4, 5]]]);
  const [maxima, indices] = new nn.MaxPool1d(2, 2, { returnIndices: true })(input);

  it("takes the size of its output by place and by name", () => {
    const unpool = new nn.MaxUnpool1d(2, 2);
    expect(unpool(maxima!, indices!).tolist()).toEqual([[[0, 2, 0, 4]]]);
    for (const size of [[1, 1, 5], { outputSize: [1, 1, 5] }])
      expect(unpool(maxima!, indices!, size).tolist()).toEqual([[[0, 2, 0, 4, 0]]]);
    expect(unpool(maxima!, indices!, { outputSize: null }).shape).toEqual([1, 1, 4]);
  });

  it("refuses another option", () => {
    const unpool = new nn.MaxUnpool1d(2, 2);
    expect(() => unpool(maxima!, indices!, { size: [5] } as never)).toThrow("size");
  });
});
