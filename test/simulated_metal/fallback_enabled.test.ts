// `PYTORCH_ENABLE_MPS_FALLBACK=1` on simulated Metal: what runs on the CPU, and how it is counted.
import { expect, it } from "vitest";
import { mps, type Tensor, torch } from "../../lib/index.ts";

it("an operator without a Metal kernel runs on the CPU, counted with its bytes and its time", () => {
  process.env["PYTORCH_ENABLE_MPS_FALLBACK"] = "1";
  mps.simulate({ memory: "8GB" });
  const x = torch.diag(torch.tensor([3, 1], { dtype: "float32" })).to("mps");
  for (let i = 0; i < 3; i++) {
    const [values] = torch.linalg.eig(x) as [Tensor, Tensor];
    expect(values.device).toBe(x.device);
    expect(torch.real(values).tolist()).toEqual([3, 1]);
  }
  const [eig, ...others] = mps.fallbacks();
  // 2 x 2 numbers of 4 bytes go; 2 and 2 x 2 complex ones of 8 bytes come.
  expect(eig).toMatchObject({
    operator: "aten::linalg_eig",
    calls: 3,
    toCpuBytes: 3 * 16,
    fromCpuBytes: 3 * 48,
  });
  expect(eig!.wallMs).toBeGreaterThan(0);
  expect(others).toEqual([]);
});
