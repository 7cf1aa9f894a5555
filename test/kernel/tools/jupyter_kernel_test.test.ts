// Jupyter's own tests for kernels (`jupyter_kernel_test` of `.venv`) against the built kernel, one test here for each
// of theirs. What they run is in `protocol_conformance.py`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeKernelspec } from "../../../kernel/cli/kernelspec.ts";
import { venvProgram } from "../../../kernel/cli/project.ts";

const script = join(import.meta.dirname, "protocol_conformance.py");
const dataFolder = mkdtempSync(join(tmpdir(), "mpslab-jupyter-"));
let output = "";

beforeAll(() => {
  writeKernelspec(dataFolder);
  const environment = { ...process.env, JUPYTER_PATH: dataFolder };
  output = spawnSync(venvProgram("python"), [script, "-v"], { env: environment, encoding: "utf8" }).stderr;
});
afterAll(() => rmSync(dataFolder, { recursive: true }));

/** `test_error (__main__.MpslabTests.test_error) ... ok` */
const outcomeOf = (test: string): string | undefined =>
  new RegExp(`^${test} \\(.*\\) \\.\\.\\. (?:\\n.*)*?(\\w+)`, "m").exec(output)?.[1];

describe("jupyter_kernel_test", () => {
  it.each([
    "test_kernel_info",
    "test_execute_stdout",
    "test_execute_stderr",
    "test_execute_result",
    "test_display_data",
    "test_clear_output",
    "test_error",
    "test_completion",
    "test_inspect",
    "test_pager",
    "test_is_complete",
    "test_history",
    "test_recv_iopub_welcome_msg",
  ])("%s", (test) => {
    expect(outcomeOf(test), output).toBe("ok");
  });

  it("has no test that is missing here, and none is skipped", () => {
    expect(output).toMatch(/^Ran 13 tests/m);
    expect(output).not.toMatch(/\.\.\. skipped/);
  });
});
