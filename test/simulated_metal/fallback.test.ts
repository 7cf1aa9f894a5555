// Operators that the installed PyTorch has no Metal kernel of, on simulated Metal: refused with PyTorch's words, or, with
// its variable, run on the CPU and counted.
import { describe, expect, it } from "vitest";
import { mps, torch, UnsupportedOperatorError } from "../../lib/index.ts";

describe("what PyTorch has on Metal", () => {
  it.each([
    ["aten::mm", true],
    ["add.Tensor", true],
    ["aten::linalg_inv_ex", true],
    // Composed of others.
    ["einsum", true],
    ["aten::linalg_eig", false],
    // Parts of it have a kernel, but MPSFallback.mm sends it to the CPU.
    ["aten::linalg_svd", false],
    ["special_airy_ai", false],
  ])("%s: %s", (operator, has) => {
    expect(mps.supports(operator)).toBe(has);
  });

  it("is told of known operators alone", () => {
    expect(() => mps.supports("linalg_magic")).toThrow('has no operator "linalg_magic"');
  });

  it("is a table: each operator has a kernel, or is missing, never both", () => {
    const [kernels, missing] = [mps.metalKernels(), mps.operatorsWithoutMetal()];
    expect(kernels.has("mm.out") && kernels.has("mm") && !missing.has("mm")).toBe(true);
    expect([...missing].filter((operator) => kernels.has(operator))).toEqual([]);
  });
});

const fallBack = process.env["PYTORCH_ENABLE_MPS_FALLBACK"];

it("without the variable an operator without a kernel is refused as PyTorch refuses it", () => {
  delete process.env["PYTORCH_ENABLE_MPS_FALLBACK"];
  mps.simulate({ memory: "8GB" });
  if (fallBack !== undefined) process.env["PYTORCH_ENABLE_MPS_FALLBACK"] = fallBack;
  const x = torch.eye(3, { device: "mps" });
  expect(() => torch.linalg.eig(x)).toThrow(UnsupportedOperatorError);
  expect(() => torch.linalg.eig(x)).toThrow(
    /The operator 'aten::linalg_eig' is not currently implemented for the MPS device\..* `PYTORCH_ENABLE_MPS_FALLBACK=1` to use the CPU as a fallback/,
  );
  // PyTorch names the form that computes.
  expect(() => torch.special.airyAi(x)).toThrow("'aten::special_airy_ai.out'");
  expect(mps.fallbacks()).toEqual([]);
});
