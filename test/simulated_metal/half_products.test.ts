// Products of halves on simulated Metal: computed in float32 and rounded once, on every processor.
import { beforeAll, describe, expect, it } from "vitest";
import { mps, nn, type Tensor, torch } from "../../lib/index.ts";

beforeAll(() => mps.simulate({ memory: "8GB" }));

type Half = "float16" | "bfloat16";
const given = (shape: readonly number[], dtype: Half): Tensor =>
  torch.randn(shape, { device: "mps" }).to(dtype);

/** What a step gives with halves, and with the same numbers in float32, rounded at the end. */
function bothWays(
  shapes: readonly (readonly number[])[],
  dtype: Half,
  step: (...factors: Tensor[]) => Tensor,
) {
  const halves = shapes.map((shape) => given(shape, dtype));
  const rounded = step(...halves.map((half) => half.float())).to(dtype);
  const computed = step(...halves);
  expect(computed.dtype).toBe(dtype);
  expect(computed.equal(rounded)).toBe(true);
}

describe.each(["float16", "bfloat16"] as const)("%s", (dtype) => {
  it.each<[string, readonly (readonly number[])[], (...factors: Tensor[]) => Tensor]>([
    [
      "matmul",
      [
        [48, 96],
        [96, 33],
      ],
      (a, b) => a!.matmul(b!),
    ],
    [
      "matmul of a transposed matrix",
      [
        [96, 48],
        [96, 33],
      ],
      (a, b) => a!.transpose(0, 1).matmul(b!),
    ],
    [
      "bmm",
      [
        [4, 12, 9],
        [4, 9, 7],
      ],
      (a, b) => torch.bmm(a!, b!),
    ],
    ["mv", [[12, 9], [9]], (a, b) => a!.matmul(b!)],
    ["linear", [[8, 96], [33, 96], [33]], (x, weight, bias) => nn.functional.linear(x!, weight!, bias!)],
    [
      "conv2d",
      [
        [2, 3, 9, 9],
        [5, 3, 3, 3],
      ],
      (x, weight) => nn.functional.conv2d(x!, weight!),
    ],
    [
      "addmm_",
      [
        [4, 5],
        [4, 6],
        [6, 5],
      ],
      (sum, a, b) => sum!.clone().addmm_(a!, b!),
    ],
  ])("%s is float32's, rounded", (_, shapes, step) => bothWays(shapes, dtype, step));

  it("a factor of another dtype is refused, as by the CPU", () => {
    const [half, float] = [given([4, 4], dtype), torch.ones([4, 4], { device: "mps" })];
    expect(() => {
      torch.mm(half, float).cpu();
    }).toThrow(/dtype/);
  });

  it("gradients are float32's, rounded", () => {
    const [x, weight] = [given([8, 96], dtype), given([33, 96], dtype)];
    const gradientOf = (input: Tensor, factor: Tensor) => {
      const leaf = factor.detach().requiresGrad_();
      nn.functional.linear(input, leaf).sum().backward();
      return leaf.grad!;
    };
    expect(gradientOf(x, weight).equal(gradientOf(x.float(), weight.float()).to(dtype))).toBe(true);
  });
});
