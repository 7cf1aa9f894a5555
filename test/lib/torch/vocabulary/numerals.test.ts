// Decimal numerals as C and Python write them, where JavaScript's differ.
import { describe, expect, it } from "vitest";
import { formatExponential, formatFixed, pythonFloat } from "../../../../lib/torch/vocabulary/numerals.ts";

describe("formatFixed", () => {
  it.each([
    [0.03125, 4, "0.0312"],
    [0.09375, 4, "0.0938"],
    [-0.03125, 4, "-0.0312"],
    [0.5, 0, "0"],
    [1.5, 0, "2"],
    [2.5, 0, "2"],
    [1.005, 2, "1.00"],
    [-0, 4, "-0.0000"],
    [-0.00001, 4, "-0.0000"],
    [1e22, 0, "10000000000000000000000"],
    [1e22, 2, "10000000000000000000000.00"],
    [123456.789, 4, "123456.7890"],
  ])("%d with %d digits is %s", (value, digits, text) => {
    expect(formatFixed(value, digits)).toBe(text);
  });
});

describe("formatExponential", () => {
  it.each([
    [123456, 4, "1.2346e+05"],
    [1.03125, 4, "1.0312e+00"],
    [1.09375, 4, "1.0938e+00"],
    [2.5, 0, "2e+00"],
    [-1e-5, 4, "-1.0000e-05"],
    [1e100, 4, "1.0000e+100"],
    [5e-324, 4, "4.9407e-324"],
    [9.99995, 4, "1.0000e+01"],
    [0, 4, "0.0000e+00"],
  ])("%d with %d digits is %s", (value, digits, text) => {
    expect(formatExponential(value, digits)).toBe(text);
  });
});

describe("pythonFloat", () => {
  it.each([
    [0.25, "0.25"],
    [1, "1.0"],
    [-0, "-0.0"],
    [1e-7, "1e-07"],
    [1.5e-5, "1.5e-05"],
    [0.0001, "0.0001"],
    [1e15, "1000000000000000.0"],
    [1e16, "1e+16"],
    [NaN, "nan"],
    [-Infinity, "-inf"],
  ])("of %d is %s", (value, text) => {
    expect(pythonFloat(value)).toBe(text);
  });
});
