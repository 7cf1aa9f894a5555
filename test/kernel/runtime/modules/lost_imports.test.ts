// Imports outlive what ends a cell or the session, in the real kernel: a failed cell, a crash, a restart with %restore.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../../../helpers/kernel_process.ts";

const directory = mkdtempSync(join(tmpdir(), "mpslab-imports-"));
const environment = { JPY_SESSION_NAME: join(directory, "lesson.ipynb") };
let kernel: KernelProcess;
const start = async () => (kernel = await KernelProcess.start({ directory, environment }));
beforeAll(async () => {
  writeFileSync(join(directory, "tag.ts"), 'export const tag: string = "t"; export type Tag = "t";');
  await start();
});
afterAll(async () => {
  await kernel.stop();
  rmSync(directory, { recursive: true });
});

const run = (code: string) => kernel.client.execute(code);
const crash = () => run('process.kill(process.pid, "SIGKILL"); await new Promise(() => {});');
const IMPORTS = 'import { torch as t } from "mpslab"; import { tag, type Tag } from "./tag.ts";';
const USE = "const own: Tag = 't'; own + tag + t.ones([2]).sum().item()";

describe("imports", () => {
  it("stay when their cell fails behind them", async () => {
    await run(`${IMPORTS} throw new Error("stop");`);
    expect((await run(USE)).result).toBe("'tt2'");
  });

  it("stay up to the one that cannot be loaded", async () => {
    await run(
      '%check off\nimport { sep } from "node:path"; import missing from "./missing.ts"; import os from "node:os";',
    );
    expect((await run("%check error\nsep")).result).toBe("'/'");
    expect((await run("os")).reply["evalue"]).toContain(
      "Cannot find name 'os': Cell [3], which imports it, failed before it got there.",
    );
  });

  it("are there again after a crash, and values lead back to their cells", async () => {
    await run("const rate = 0.1;");
    await crash();
    expect((await run(USE)).result).toBe("'tt2'");
    expect((await run("rate")).reply["evalue"]).toContain(
      "Cannot find name 'rate': Cell [6], which declares it, ran in a session that has ended: run it again.",
    );
  });

  it("are there again after a second crash, without the name that became a value", async () => {
    await run("const sep = 1;");
    await crash();
    expect((await run(USE)).result).toBe("'tt2'");
    expect((await run("sep")).reply["evalue"]).toContain(
      "which declares it, ran in a session that has ended",
    );
  });

  it("that cannot be loaded any more are missing without a word, until they are used", async () => {
    writeFileSync(join(directory, "gone.ts"), "export const gone = 1;");
    await run('import { gone } from "./gone.ts";');
    rmSync(join(directory, "gone.ts"));
    await crash();
    const { reply, stderr } = await run("1 + 1");
    expect([reply["status"], stderr]).toEqual(["ok", ""]);
    expect((await run("gone")).reply["evalue"]).toContain("Cannot find name 'gone': Cell [");
  });

  it("come back with %restore in a new kernel, where the cell may import them itself", async () => {
    await run("const rate = 0.1;");
    await run("%snapshot");
    await kernel.stop();
    await start();
    const { result } = await run(
      `%restore\nimport { tag } from "./tag.ts";\nrate + tag + t.ones([2]).sum().item()`,
    );
    expect(result).toBe("'0.1t2'");
    expect((await run(USE)).result).toBe("'tt2'");
  });

  it("stay away where %restore names what it brings back, and after %reset", async () => {
    await kernel.stop();
    await start();
    await run("%restore rate");
    expect((await run("tag")).reply["evalue"]).toContain("Cannot find name 'tag'");
    await run(IMPORTS);
    await run("%reset -f");
    await crash();
    expect((await run("tag")).reply["evalue"]).toMatch(/Cannot find name 'tag'\.$/);
  });
});
