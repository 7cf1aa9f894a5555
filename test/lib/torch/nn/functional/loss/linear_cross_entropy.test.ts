// functional.linearCrossEntropy: PyTorch's loss of PyTorch's numbers, a loss at each place of the output, refusals.
import { describe, expect, it } from "vitest";
import { functional as F, torch } from "../../../../../../lib/index.ts";
import { readFixture } from "../../../fixtures.ts";
import { refuses } from "../../../tensor/misuse.ts";
import { fromRecord, type Recorded } from "../../recorded.ts";

const fixture = readFixture<{ linearCrossEntropy: Record<string, Recorded> }>("computed_layers.json");
/** Class indices, all 0. */
const classes = (...shape: number[]) => torch.zeros(shape, { dtype: "int64" });

describe("linearCrossEntropy", () => {
  it("gives PyTorch's loss", () => {
    const { x, weight: linear, bias: linearBias, target, loss } = fixture.linearCrossEntropy;
    const value = F.linearCrossEntropy(fromRecord(x!), fromRecord(linear!), fromRecord(target!), {
      linearBias: fromRecord(linearBias!),
      labelSmoothing: 0.1,
    });
    expect(value.item()).toBeCloseTo(loss!.values[0]!, 5);
  });

  it("gives a loss at each place of the output", () => {
    torch.manualSeed(0);
    const [x, linear, linearBias] = [torch.randn([4, 3]), torch.randn([5, 2, 3]), torch.randn([5, 2])];
    const target = torch.randint(0, 5, [4, 2]);
    const losses = F.linearCrossEntropy(x, linear, target, { linearBias, reduction: "none" });
    expect(losses.shape).toEqual([4, 2]);
    for (const place of [0, 1]) {
      const alone = F.linearCrossEntropy(x, linear.select(1, place), target.select(1, place), {
        linearBias: linearBias.select(1, place),
        reduction: "none",
      });
      expect(losses.select(1, place).allclose(alone, 1e-5, 1e-6)).toBe(true);
    }
  });

  refuses([
    [
      "a weight of other features",
      () => F.linearCrossEntropy(torch.ones([2, 3]), torch.ones([5, 4]), classes(2)),
      "RangeError",
      "linearCrossEntropy: linearWeight must be [classes, 3] or [classes, ..., 3] for an input of 3 features, got [5, 4].",
    ],
    [
      "a batch of sequences",
      () => F.linearCrossEntropy(torch.ones([2, 4, 3]), torch.ones([5, 3]), classes(2, 4)),
      "RangeError",
      "linearCrossEntropy: input must be [features] or [batch, features], got [2, 4, 3]; flatten what stands before the features into one batch.",
    ],
    [
      "a bias of other classes",
      () =>
        F.linearCrossEntropy(torch.ones([2, 3]), torch.ones([5, 3]), classes(2), {
          linearBias: torch.ones([4]),
        }),
      "RangeError",
      "linearCrossEntropy: linearBias must be [5] for a linearWeight of shape [5, 3], got [4].",
    ],
    [
      "a loss at several places of one item without a batch",
      () => F.linearCrossEntropy(torch.ones([3]), torch.ones([5, 7, 3]), classes(7)),
      "RangeError",
      "linearCrossEntropy: a linearWeight of shape [5, 7, 3] takes a batch, [batch, 3], got [3].",
    ],
  ]);
});
