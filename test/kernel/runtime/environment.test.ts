// PyTorch's environment variables that a cell sets by process.env: answered as those of %env.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
beforeAll(async () => void (kernel = await KernelProcess.start()));
afterAll(() => kernel.stop());

const plain = (lines: readonly string[]): string => stripVTControlCharacters(lines.join("\n"));

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

it("a local module below sees a variable that the cell sets, and an error of it has the import's line", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mpslab-environment-"));
  const own = await KernelProcess.start({ directory: folder });
  try {
    writeFileSync(
      join(folder, "reader.ts"),
      'import { torch } from "mpslab";\nexport const seen = process.env["DATA_FOLDER"] ?? "none";\nexport const sum: number = torch.ones([2]).sum().item();\n',
    );
    const code =
      '%env PYTORCH_MPS_FAST_MATH=1\nprocess.env["DATA_FOLDER"] = "small";\nimport { seen, sum } from "./reader.ts";\n[seen, sum]';
    const { stderr, result } = await own.client.execute(code);
    expect([stderr, result]).toEqual(["", "[ 'small', 2 ]"]);
    const missing = await own.client.execute(
      '%check off\nprocess.env["DATA_FOLDER"] = "large";\nimport { x } from "nowhere";\nx',
    );
    expect(missing.reply["evalue"]).toMatch(/^Cannot find 'nowhere' from the notebook's folder /);
    expect(plain(missing.reply["traceback"] as string[])).toContain("at Cell [2]:3:1");
    const loop = await own.client.execute(
      'process.env["DATA_FOLDER"] = "x";\nimport { nn } from "mpslab";\nfor (let epoch = 0; epoch < 2; epoch++) new nn.Linear(1, 1);',
    );
    expect(loop.reply["status"]).toBe("ok");
  } finally {
    await own.stop();
    rmSync(folder, { recursive: true });
  }
});

describe("above what loads libtorch, in one cell", () => {
  // A Mac has Metal itself, and no CUDA.
  it.skipIf(process.platform === "darwin")("%metal simulated leaves CUDA out", async () => {
    const own = await KernelProcess.start();
    const cell =
      '%metal simulated 4GB\nimport { mps } from "mpslab";\n[process.env.MPSLAB_METAL, mps.isAvailable()]';
    const { stderr, result } = await own.client.execute(cell);
    await own.stop();
    expect([stderr, result]).toEqual(["", "[ 'simulated 4GB', true ]"]);
  });

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
      "process.env above the import and an epoch loop",
      'process.env["PYTORCH_MPS_FAST_MATH"] = "1";\nimport { torch } from "mpslab";\nfor (let epoch = 0; epoch < 1; epoch++) torch.ones([2]);',
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
      const removed = await own.client.execute('delete process.env["PYTORCH_MPS_FAST_MATH"];');
      expect(removed.stderr).toMatch(/^libtorch was loaded before and has read PYTORCH_MPS_FAST_MATH: /);
    } finally {
      await own.stop();
    }
  });
});

it("what libtorch has read is what a record says of fallbacks, and no later value", async () => {
  const enabled = async (first: string, later: string): Promise<string> => {
    const own = await KernelProcess.start();
    try {
      await own.client.execute(
        `${first}\nimport { lab, torch } from "mpslab";\ntorch.ones([2]).sum().item();`,
      );
      await own.client.execute(later);
      return String((await own.client.execute("lab.logbook.record({}).fields.fallbackEnabled")).result);
    } finally {
      await own.stop();
    }
  };
  const set = "%env PYTORCH_ENABLE_MPS_FALLBACK=1";
  const removed = 'delete process.env["PYTORCH_ENABLE_MPS_FALLBACK"];';
  expect([await enabled(set, removed), await enabled(removed, set)]).toEqual(["true", "false"]);
});

it("one that is set when libtorch is loaded comes too late, and is told once", async () => {
  await told('import { torch } from "mpslab"; torch.ones([2]).sum().item();');
  const late =
    /^libtorch was loaded before and has read PYTORCH_MPS_FAST_MATH: restart the session, and set it in the first cell\.\n$/;
  expect(await told('process.env["PYTORCH_MPS_FAST_MATH"] = "1";')).toMatch(late);
  expect(await told("1 + 1")).toBe("");
});
