// Limits of dtypes: PyTorch's numbers.
import { describe, expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";
import { refuses } from "./misuse.ts";

describe("torch.finfo", () => {
  it.each([
    ["float64", "float64", 64, 2.220446049250313e-16, 1.7976931348623157e308, 2.2250738585072014e-308, 1e-15],
    ["float32", "float32", 32, 1.1920928955078125e-7, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-6],
    ["float16", "float16", 16, 0.0009765625, 65504, 6.103515625e-5, 1e-3],
    ["bfloat16", "bfloat16", 16, 0.0078125, 3.3895313892515355e38, 1.1754943508222875e-38, 1e-2],
    ["float8_e5m2", "float8_e5m2", 8, 0.25, 57344, 6.103515625e-5, 1],
    ["float8_e4m3fn", "float8_e4m3fn", 8, 0.125, 448, 0.015625, 1],
    ["complex64", "float32", 32, 1.1920928955078125e-7, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-6],
  ] as const)("of %s", (name, dtype, bits, eps, max, smallestNormal, resolution) => {
    expect(torch.finfo(name)).toEqual({
      dtype,
      bits,
      eps,
      max,
      min: -max,
      smallestNormal,
      tiny: smallestNormal,
      resolution,
    });
  });

  it("is what masks of attention are filled with", () => {
    const scores = torch.zeros([2]).maskedFill(torch.tensor([true, false]), torch.finfo("float32").min);
    expect(scores.softmax(0).tolist()).toEqual([0, 1]);
  });
});

describe("torch.iinfo", () => {
  it.each([
    ["int8", 8, 127, -128],
    ["int32", 32, 2147483647, -2147483648],
    ["int64", 64, 9223372036854775807n, -9223372036854775808n],
    ["uint8", 8, 255, 0],
    ["uint64", 64, 18446744073709551615n, 0],
  ] as const)("of %s", (dtype, bits, max, min) => {
    expect(torch.iinfo(dtype)).toEqual({ dtype, bits, max, min });
  });
});

refuses([
  [
    "finfo of integers",
    () => torch.finfo("int8"),
    "TypeError",
    "torch.finfo: int8 is no floating dtype; torch.iinfo() knows integers.",
  ],
  [
    "iinfo of floats",
    () => torch.iinfo("float32"),
    "TypeError",
    "torch.iinfo: float32 is no integer dtype; torch.finfo() knows floating ones.",
  ],
  [
    "finfo of a word",
    () => torch.finfo("float" as never),
    "TypeError",
    'torch.finfo: "float" is no dtype; "float32" is one.',
  ],
]);
