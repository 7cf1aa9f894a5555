// PyTorch's own operator samples on simulated Metal, queued: what PyTorch computed on the CPU comes out, and what Metal
// lacks is refused with PyTorch's words. `npm run test:operators -- simulated` checks all samples.
import { afterAll, beforeAll, expect, it } from "vitest";
import { mps, torch } from "../../lib/index.ts";
import { keptSamples } from "../operators/kept_samples.ts";
import { listed, Tally } from "../operators/tally.ts";

const tally = new Tally("mps");
const fallBack = process.env["PYTORCH_ENABLE_MPS_FALLBACK"];

beforeAll(() => {
  delete process.env["PYTORCH_ENABLE_MPS_FALLBACK"];
  mps.simulate({ memory: "8GB" });
  torch.setDefaultDevice("mps");
  for (const line of keptSamples()) tally.add(line);
});

afterAll(() => {
  if (fallBack !== undefined) process.env["PYTORCH_ENABLE_MPS_FALLBACK"] = fallBack;
});

it("the samples pass that pass on the CPU", () => {
  const known = Object.entries(listed.failing).filter(([, { inFixture }]) => inFixture > 0);
  expect(Object.fromEntries(tally.failing)).toEqual(
    Object.fromEntries(
      known.map(([name, { inFixture }]) => [name, expect.objectContaining({ length: inFixture })]),
    ),
  );
  expect(tally.passed).toBeGreaterThan(1600);
});

it("few need what Metal lacks", () => {
  expect(Object.fromEntries(tally.lacking)).toEqual({
    "an operator that PyTorch has no Metal kernel of": 61,
    "float64, which Metal lacks": 49,
  });
});

it("the queue is drained only where elements decide the shape or the value, or may be refused", () => {
  const waiting = Object.keys(mps.simulation()!.drains).map((name) => name.replace("aten::", ""));
  const byElements =
    /^(equal|nonzero|masked_select|index|_index_put_impl_|bincount|repeat_interleave|_?unique\w*|_histogramdd\w*)$/;
  const mayRefuse = /^(linalg_\w+|cholesky_inverse|multinomial|floor_divide)$/;
  expect(waiting.filter((name) => !byElements.test(name) && !mayRefuse.test(name))).toEqual([]);
});
