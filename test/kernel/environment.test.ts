// PyTorch's environment variables that a cell sets by process.env: answered as those of %env.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../helpers/kernel_process.ts";

let kernel: KernelProcess;
beforeAll(async () => void (kernel = await KernelProcess.start()));
afterAll(() => kernel.stop());

const told = async (code: string): Promise<string> => (await kernel.client.execute(code)).stderr;

describe("before libtorch is loaded", () => {
  it.each([
    [
      "a variable that PyTorch has not",
      'process.env["PYTORCH_MPS_LOG_LEVEL"] = "1";',
      /^PyTorch has no variable PYTORCH_MPS_LOG_LEVEL; for mps it reads PYTORCH_ENABLE_MPS_FALLBACK, /,
    ],
    [
      "a high watermark below the low one's default",
      'process.env["PYTORCH_MPS_HIGH_WATERMARK_RATIO"] = "0.7";',
      /^PYTORCH_MPS_HIGH_WATERMARK_RATIO=0\.7 is below the low watermark, by default 1\.4, and Metal refuses to start: set PYTORCH_MPS_LOW_WATERMARK_RATIO too, to at most 0\.7\.\n$/,
    ],
    [
      "a ratio that is no number",
      'process.env["PYTORCH_MPS_HIGH_WATERMARK_RATIO"] = "70%";',
      /^PYTORCH_MPS_HIGH_WATERMARK_RATIO=70% is no ratio: give a number from 0 \(no limit\) to 2, as 0\.7\.\n$/,
    ],
    ["the same by %env", "%env PYTORCH_MPS_LOW_WATERMARK_RATIO=3", /=3 is no ratio: give a number from 0/],
  ])("%s is answered", async (_, code, message) => {
    expect(await told(code)).toMatch(message);
  });

  it.each([
    [
      "both watermarks",
      'Object.assign(process.env, { PYTORCH_MPS_LOW_WATERMARK_RATIO: "0.6", PYTORCH_MPS_HIGH_WATERMARK_RATIO: "0.7" });',
    ],
    ["fallback", 'process.env["PYTORCH_ENABLE_MPS_FALLBACK"] = "1";'],
    ["a variable of somebody else's", 'process.env["MY_VARIABLE"] = "1";'],
    ["nothing", "1 + 1"],
  ])("%s is left alone", async (_, code) => {
    expect(await told(code)).toBe("");
  });
});

describe("above what loads libtorch, in one cell", () => {
  it.each([
    ["%env above the import", '%env PYTORCH_MPS_FAST_MATH=1\nimport { torch } from "mpslab";'],
    [
      "process.env above the import",
      'process.env["PYTORCH_MPS_FAST_MATH"] = "1";\nimport { torch } from "mpslab";',
    ],
    [
      "process.env above an import by expression",
      'process.env["PYTORCH_MPS_FAST_MATH"] = "1";\nconst { torch } = await import("mpslab");',
    ],
    [
      "process.env below the import, which loads nothing yet",
      'import { torch } from "mpslab";\nprocess.env["PYTORCH_MPS_FAST_MATH"] = "1";',
    ],
  ])("%s is read, and nothing is told", async (_, code) => {
    const own = await KernelProcess.start();
    try {
      const { stderr, result } = await own.client.execute(`${code}\ntorch.ones([2]).sum().item()`);
      expect([stderr, result]).toEqual(["", "2"]);
      // What libtorch has read is set again, or to another value, or removed.
      const again = await own.client.execute('process.env["PYTORCH_MPS_FAST_MATH"] = "1";');
      expect(again.stderr).toBe("");
      const removed = await own.client.execute("%env PYTORCH_MPS_FAST_MATH=");
      expect(removed.stderr).toMatch(/^libtorch was loaded before and has read PYTORCH_MPS_FAST_MATH: /);
    } finally {
      await own.stop();
    }
  });
});

it("one that is set when libtorch is loaded comes too late, and is told once", async () => {
  await told('import { torch } from "mpslab"; torch.ones([2]).sum().item();');
  const late =
    /^libtorch was loaded before and has read PYTORCH_MPS_FAST_MATH: restart the session, and set it in the first cell\.\n$/;
  expect(await told('process.env["PYTORCH_MPS_FAST_MATH"] = "1";')).toMatch(late);
  expect(await told("1 + 1")).toBe("");
});
